"""Polls, reports, lost answers, silences, pauses, resumes and cancellations in every order, by two connectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from butler_switchboard.backfill.states import (
    TERMINAL,
    Job,
    Outcome,
    Progress,
    Status,
    WrongState,
    assign,
    cancel,
    expire,
    pause,
    report,
    resume,
)

MAILS = 30
START = datetime(2026, 3, 1, 20, tzinfo=UTC)


@dataclass
class Reader:
    """A connector as it works: from the cursor in order, one batch submitted, then reported."""

    lease: UUID
    seq: int
    at: int
    report: Progress | None = None


class Backfill(RuleBasedStateMachine):
    """`submitted` is what Switchboard's inbox holds, by mail; a cursor says that all up to it is there."""

    def __init__(self) -> None:
        super().__init__()
        self.job = Job(job_id=UUID(int=1), daily_cost_cap_cents=40)
        self.now = START
        self.readers: dict[str, Reader] = {}
        self.submitted: set[int] = set()
        self.leases = 0
        self.wish: Status | None = None
        self.counted: dict[int, int] = {}
        self.ended: Job | None = None

    def set(self, job: Job) -> None:
        self.job = job

    @rule(minutes=st.sampled_from([0, 0, 1, 2, 200]))
    def time_passes(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)
        self.set(expire(self.job, now=self.now))

    @rule(name=st.sampled_from("ab"))
    def poll(self, name: str) -> None:
        self.set(expire(self.job, now=self.now))
        if self.job.status is not Status.PENDING:
            return
        self.leases += 1
        self.set(assign(self.job, lease_id=UUID(int=self.leases), now=self.now))
        self.readers[name] = Reader(UUID(int=self.leases), self.job.batch_seq, int(self.job.cursor or 0))

    @rule(name=st.sampled_from("ab"), size=st.integers(1, 8))
    def submit(self, name: str, size: int) -> None:
        reader = self.readers.get(name)
        if reader is None or reader.report is not None:
            return
        upto = min(reader.at + size, MAILS)
        batch = range(reader.at, upto)
        self.submitted.update(batch)
        reader.report = Progress(
            batch_seq=reader.seq + 1,
            lease_id=reader.lease,
            rows_processed=len(batch),
            cost_spent_cents=Decimal(2 * len(batch)),
            cursor=str(upto),
            ended=Status.COMPLETED if upto == MAILS else None,
        )

    @rule(name=st.sampled_from("ab"), answer_is_lost=st.booleans())
    def tell(self, name: str, answer_is_lost: bool) -> None:
        reader = self.readers.get(name)
        if reader is None or reader.report is None:
            return
        try:
            applied = report(self.job, reader.report, now=self.now)
        except WrongState:
            del self.readers[name]
            return
        if applied.outcome is Outcome.APPLIED:
            seq = reader.report.batch_seq
            assert seq not in self.counted, "a batch was counted twice"
            self.counted[seq] = reader.report.rows_processed
            self.set(applied.job)
        if answer_is_lost:
            return
        if applied.outcome is Outcome.LEASE_LOST or applied.job.status is not Status.ACTIVE:
            del self.readers[name]
            return
        self.readers[name] = replace(
            reader, seq=reader.seq + 1, at=int(reader.report.cursor or 0), report=None
        )

    @rule(name=st.sampled_from("ab"))
    def kill(self, name: str) -> None:
        self.readers.pop(name, None)

    @rule()
    def pause(self) -> None:
        self._ask(lambda: pause(self.job), Status.PAUSED)

    @rule()
    def resume(self) -> None:
        self._ask(lambda: resume(self.job, now=self.now), None)

    @precondition(lambda self: len(self.counted) > 3)
    @rule()
    def cancel(self) -> None:
        self._ask(lambda: cancel(self.job, now=self.now), Status.CANCELLED)

    def _ask(self, act, wish: Status | None) -> None:
        try:
            self.set(act())
        except WrongState:
            return
        self.wish = wish

    @invariant()
    def nothing_before_the_cursor_is_missing(self) -> None:
        assert set(range(int(self.job.cursor or 0))) <= self.submitted

    @invariant()
    def counts_are_those_of_the_batches(self) -> None:
        assert self.job.rows_processed == sum(self.counted.values())
        assert self.job.batch_seq == len(self.counted)

    @invariant()
    def a_persons_wish_stands(self) -> None:
        if self.wish is not None:
            assert self.job.status is self.wish

    @invariant()
    def active_means_leased(self) -> None:
        assert (self.job.status is Status.ACTIVE) == (self.job.lease_until is not None)

    @invariant()
    def an_end_is_an_end(self) -> None:
        if self.ended is not None:
            assert self.job.status is self.ended.status
        if self.job.status in TERMINAL:
            self.ended = self.job

    @invariant()
    def a_job_at_its_cap_does_not_go_on(self) -> None:
        if self.job.status is Status.ACTIVE and self.job.progress_at is not None:
            day = self.job.progress_at.date()
            assert self.job.spent_on(day) < self.job.allowed_on(day)


Backfill.TestCase.settings = settings(
    max_examples=150, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestBackfill = Backfill.TestCase
