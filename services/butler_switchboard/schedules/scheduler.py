"""Runs Switchboard's scheduled jobs, each due time once across all replicas (SWB-25.2, SWB-25.3, D40).

Invariants: a run is claimed in the database before it starts; only the latest missed run is caught up; a native job
never reaches the runtime; a failed run is recorded and stops nothing. A run is not repeated unless its effect has an
idempotency key of its own (ADR 0058).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final, Protocol

from butler_contracts.errors import ButlerError, InternalFailure
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_kit.time.due import latest_due, next_due
from butler_switchboard.operations.audit import Audit, AuditEntry

__all__ = ["NativeJob", "Repeatable", "Schedule", "ScheduleEvents", "Scheduler"]

_SQL = NamedQueries("butler_switchboard", "sql/schedules.sql")
_log = get_logger(__name__)

LONGEST_WAIT_S: Final = 30.0
"""The clock is read at least this often, so that a clock jump is noticed."""
NATIVE_DEADLINE_S: Final = 240.0
DETAIL_MAX: Final = 500
REPEATED_AFTER: Final = timedelta(seconds=30)
"""A repeatable run is considered lost, or is retried, this long after it was claimed."""

NativeJob = Callable[[], Awaitable[Mapping[str, Any]]]
"""Works on the pool and returns what it did, as JSON."""


@dataclass(frozen=True, slots=True)
class Repeatable:
    """An act for a due time, repeated up to `late` after it if it did not end: its effect has an idempotency key.

    `act` receives the due time, and how late it is, and takes at most `within`. A run that has not ended `lost_after`
    its claim is taken over by another replica.
    """

    act: Callable[[datetime, timedelta], Awaitable[Mapping[str, Any]]]
    late: timedelta
    within: timedelta = timedelta(seconds=NATIVE_DEADLINE_S)
    lost_after: timedelta = REPEATED_AFTER


@dataclass(frozen=True, slots=True)
class Schedule:
    """One entry: a cron line in its zone with a native `job`, or an act of its own."""

    name: str
    cron: str
    job: str | None = None
    zone: tzinfo = UTC
    repeatable: Repeatable | None = None

    @property
    def kind(self) -> str:
        """The label under which its runs are counted; the entries of many members share one."""
        return self.job or self.name if self.repeatable is not None else self.name


async def _no_more() -> Sequence[Schedule]:
    return ()


class ScheduleEvents(Protocol):
    def schedule_ran(self, job: str, outcome: str) -> None: ...


class Scheduler:
    """`run` drives it; the jobs of one process run one after another."""

    def __init__(
        self,
        *,
        pool: Pool,
        schedules: Sequence[Schedule],
        jobs: Mapping[str, NativeJob],
        audit: Audit,
        events: ScheduleEvents,
        clock: Clock,
        replica: str,
        more: Callable[[], Awaitable[Sequence[Schedule]]] = _no_more,
    ) -> None:
        self._pool = pool
        self._schedules = tuple(schedules)
        self._jobs = dict(jobs)
        self._audit = audit
        self._events = events
        self._clock = clock
        self._replica = replica
        self._more = more
        self._since: datetime | None = None

    @property
    def fixed(self) -> tuple[Schedule, ...]:
        """The schedules that are the same for the whole life of this process."""
        return self._schedules

    async def run(self, stopping: asyncio.Event) -> None:
        """Run what is due until stopped."""
        while not stopping.is_set():
            wait_s = 1.0
            try:
                await self.run_due()
                wait_s = await self._wait_s()
            except ButlerError as failure:
                _log.warning("schedules_wait", problem=failure.message)
            try:
                async with asyncio.timeout(wait_s):
                    await stopping.wait()
            except TimeoutError:
                continue

    async def run_due(self) -> list[str]:
        """Claim and run everything that is due now; returns the names of what this process ran."""
        ran = []
        for schedule in await self._all():
            due = await self._due(schedule)
            late = await self._claim(schedule, due) if due is not None else None
            if due is not None and late is not None:
                await self._perform(schedule, due, late)
                ran.append(schedule.name)
        return ran

    async def _due(self, schedule: Schedule) -> datetime | None:
        async with acquire(self._pool, doing="reading schedules") as connection:
            now: datetime = await connection.fetchval(_SQL["now"])
            last: datetime | None = await connection.fetchval(_SQL["last_run"], schedule.name)
            begun: datetime | None = await connection.fetchval(_SQL["unfinished_run"], schedule.name)
        self._since = self._since or now
        # A schedule that never ran has missed nothing before this process started. A run in the future comes from a
        # wrong clock: it must not silence the schedule until then, and the claim still keeps each run single.
        after = self._since if last is None else last if last <= now else None
        due = latest_due(schedule.cron, now=now, after=after, zone=schedule.zone)
        if schedule.repeatable is None:
            return due
        due = due or begun
        return due if due is not None and now - due <= schedule.repeatable.late else None

    async def _all(self) -> tuple[Schedule, ...]:
        """Return the fixed entries and those of the household's members."""
        return (*self._schedules, *await self._more())

    async def _claim(self, schedule: Schedule, due: datetime) -> timedelta | None:
        """Claim a run and return how late it is; None if another process has it."""
        async with acquire(self._pool, doing="claiming a scheduled run") as connection:
            claimed: timedelta | None = await connection.fetchval(
                _SQL["claim_run"], schedule.name, due, self._replica
            )
            if claimed is None and schedule.repeatable is not None:
                claimed = await connection.fetchval(
                    _SQL["take_over_run"],
                    schedule.name,
                    due,
                    self._replica,
                    schedule.repeatable.lost_after.total_seconds(),
                )
        return claimed

    async def _perform(self, schedule: Schedule, due: datetime, late: timedelta) -> None:
        await reached_async(points.SCHEDULE_CLAIMED, schedule.kind)
        started = self._clock.monotonic()
        try:
            detail = await self._result(schedule, due, late)
            outcome = "done"
        except Exception as failure:
            if schedule.repeatable is not None and isinstance(failure, ButlerError) and failure.retryable:
                _log.warning("scheduled_run_put_off", job=schedule.name, problem=failure.message)
                return
            outcome, detail = "failed", {"error": str(failure)[:DETAIL_MAX] or type(failure).__name__}
            _log.exception("scheduled_run_failed", job=schedule.name)
        self._events.schedule_ran(schedule.kind, outcome)
        self._audit.record(
            AuditEntry(
                butler="switchboard",
                actor=f"schedule:{schedule.name}",
                operation="schedule.run",
                subject=schedule.name,
                summary=f"due {due.isoformat()}, {(self._clock.monotonic() - started) * 1000:.0f} ms",
                result=outcome,
                error=detail.get("error"),
            )
        )
        async with acquire(self._pool, doing="finishing a scheduled run") as connection:
            await connection.execute(
                _SQL["finish_run"], schedule.name, due, outcome, dict(detail), self._replica
            )

    async def _result(self, schedule: Schedule, due: datetime, late: timedelta) -> Mapping[str, Any]:
        if schedule.repeatable is not None:
            async with asyncio.timeout(schedule.repeatable.within.total_seconds()):
                return await schedule.repeatable.act(due, late)
        native = self._jobs.get(schedule.job or schedule.name)
        if native is None:
            raise InternalFailure(
                f"schedule '{schedule.name}' names the job '{schedule.job}', which is not there"
            )
        async with asyncio.timeout(NATIVE_DEADLINE_S):
            return await native()

    async def _wait_s(self) -> float:
        async with acquire(self._pool, doing="reading the clock") as connection:
            now: datetime = await connection.fetchval(_SQL["now"])
        due = min((next_due(each.cron, now, each.zone) for each in await self._all()), default=None)
        if due is None:
            return LONGEST_WAIT_S
        return min(LONGEST_WAIT_S, max(0.05, (due - now) / timedelta(seconds=1)))
