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
NAMES = st.sampled_from("ab")
SELDOM = st.sampled_from([False, False, True])
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
        self.resumed = False
        self.counted: dict[tuple[UUID, int], int] = {}
        self.ended: Job | None = None

    def set(self, job: Job) -> None:
        self.job = job

    def idle(self, name: str) -> Reader | None:
        """A reader with nothing to report."""
        reader = self.readers.get(name)
        return reader if reader is not None and reader.report is None else None

    @rule(minutes=st.sampled_from([0, 0, 0, 0, 2, 200]))
    def time_passes(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)
        self.set(expire(self.job, now=self.now))

    @precondition(lambda self: self.job.status is Status.PENDING)
    @rule(name=NAMES)
    def poll(self, name: str) -> None:
        self.leases += 1
        self.set(assign(self.job, lease_id=UUID(int=self.leases), now=self.now))
        self.resumed = False
        self.readers[name] = Reader(UUID(int=self.leases), self.job.batch_seq, int(self.job.cursor or 0))

    @precondition(lambda self: self.idle("a") or self.idle("b"))
    @rule(name=NAMES, size=st.integers(1, 6))
    def submit(self, name: str, size: int) -> None:
        reader = self.idle(name) or self.idle("a") or self.idle("b")
        assert reader is not None
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

    @precondition(lambda self: any(reader.report for reader in self.readers.values()))
    @rule(name=NAMES, answer_is_lost=st.booleans(), tight=SELDOM)
    def tell(self, name: str, answer_is_lost: bool, tight: bool = False) -> None:
        ready = [known for known, reader in self.readers.items() if reader.report]
        name = name if name in ready else ready[0]
        reader = self.readers[name]
        assert reader.report is not None
        try:
            applied = report(self.job, reader.report, now=self.now, tight=tight)
        except WrongState:
            del self.readers[name]
            return
        if applied.outcome is Outcome.APPLIED:
            self.count(reader)
            self.set(applied.job)
        if answer_is_lost:
            return
        if applied.outcome is Outcome.LEASE_LOST or applied.job.status is not Status.ACTIVE:
            del self.readers[name]
            return
        self.readers[name] = replace(
            reader, seq=reader.seq + 1, at=int(reader.report.cursor or 0), report=None
        )

    @precondition(lambda self: self.idle("a") or self.idle("b"))
    @rule(name=NAMES, size=st.integers(1, 6))
    def work(self, name: str, size: int) -> None:
        self.submit(name, size)
        self.tell(name, False)

    def count(self, reader: Reader) -> None:
        """A batch counts once, and only for whoever took the job last."""
        assert reader.report is not None
        assert (reader.lease, reader.report.batch_seq) not in self.counted, "a batch was counted twice"
        assert reader.lease == UUID(int=self.leases), "a former holder's batch was counted"
        assert not self.resumed, "nobody holds a job that waits after a resume"
        self.counted[reader.lease, reader.report.batch_seq] = reader.report.rows_processed

    @precondition(lambda self: self.readers)
    @rule(name=NAMES, now=SELDOM)
    def kill(self, name: str, now: bool) -> None:
        if now:
            self.readers.pop(name, None)

    @precondition(lambda self: self.job.status is not Status.PAUSED)
    @rule(now=SELDOM)
    def pause(self, now: bool) -> None:
        if not now:
            return
        self._ask(lambda: pause(self.job), Status.PAUSED)

    @precondition(lambda self: self.job.status in (Status.PAUSED, Status.COST_CAPPED))
    @rule()
    def resume(self) -> None:
        before = self.job
        self._ask(lambda: resume(self.job, now=self.now), None)
        self.resumed = self.resumed or self.job is not before

    @precondition(lambda self: len(self.counted) > 2)
    @rule(now=SELDOM)
    def cancel(self, now: bool) -> None:
        if not now:
            return
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
    max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
TestBackfill = Backfill.TestCase
