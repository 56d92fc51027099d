"""Makes partitions ahead and deletes old data (SWB-02.2, SWB-17.4, D9, D38, D55).

Invariants: this month and the next two always exist, by the database's clock; a month that still holds unfinished
requests is never dropped, nor one whose messages are not counted yet (SWB-22.3, SWB-37.1); a dedupe key lives at
least as long as its message, or the same message could be there twice. Safe on several replicas at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import structlog

from butler_contracts.errors import ButlerError
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_rollups.models import OF_MESSAGES, STEP, Job
from butler_rollups.progress import watermark_of
from butler_rollups.run import Asked, run
from butler_rollups.sql_engine import SqlEngine
from butler_rollups.windows import TRAILING
from butler_switchboard.operations.months import drop_months

__all__ = ["Retention", "RetentionPolicy", "Swept"]

_SQL = NamedQueries("butler_switchboard", "sql/partitions.sql")
_log = structlog.get_logger(__name__)

MONTHS_AHEAD = timedelta(days=62)
"""Reaches into the second month after this one from any day."""

AHEAD_AT_START: Final = timedelta(days=1)
"""Much longer than the time until the first sweep."""

BEHIND: Final = timedelta(days=1)
"""A row carries its id's millisecond, which may lie just before midnight of the first."""

CHUNK = 5_000
"""Rows deleted in one statement: short locks, little WAL at a time."""

MAX_CHUNKS = 200

COUNTED_DAYS = 32
"""Days of counts for the service levels: longer than the longest period of a budget."""

UNREAD_DAYS = 2
"""Days that a message waits to be read for what it says about people: longer than its tries last."""

_AGAIN: Final = TRAILING * STEP[Job.FANOUT]
"""Days that the next run computes again, from messages that must still be there."""


@dataclass(frozen=True)
class RetentionPolicy:
    """Days that each kind of data lives; `inbox_days` None keeps the inbox for good (the policy override).

    A dead letter never outlives the history that its replay would be recorded in.
    """

    inbox_days: int | None = 31
    dedupe_days: int = 45
    session_days: int = 90
    history_days: int = 365
    dead_letter_days: int = 90
    dead_letter_max: int = 10_000


@dataclass(frozen=True)
class Swept:
    """What one sweep made, dropped and deleted."""

    made: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    deleted: dict[str, int] = field(default_factory=dict)


class Retention:
    """Call `prepare` before the first message, `sweep` every hour."""

    def __init__(self, pool: Pool, policy: RetentionPolicy) -> None:
        self._pool = pool
        self._policy = policy

    async def prepare(self) -> tuple[str, ...]:
        """Make the partitions that the first messages and beats fall into; the first sweep makes the others.

        A month is about a hundred tables and indexes, so the first start of a household does not wait for three.
        """
        return await self._make(ahead=AHEAD_AT_START)

    async def _make(self, *, ahead: timedelta) -> tuple[str, ...]:
        async with acquire(self._pool, doing="making partitions") as connection:
            now = await connection.fetchval(_SQL["database_now"])
            inbox = await connection.fetch(_SQL["make_inbox_months"], now - BEHIND, now + ahead)
            beats = await connection.fetch(_SQL["make_heartbeat_days"], now - BEHIND, now + ahead)
        return tuple(record["made"] for record in (*inbox, *beats))

    async def sweep(self) -> Swept:
        """Make what is missing, drop what is too old, and return what was done."""
        made = await self._make(ahead=MONTHS_AHEAD)
        async with acquire(self._pool, doing="reading the clock") as connection:
            now: datetime = await connection.fetchval(_SQL["database_now"])
        dropped = await self._drop_months(now)
        swept = Swept(made, dropped, await self._forget(now))
        if swept.made or swept.dropped or swept.deleted:
            _log.info("retention_swept", made=swept.made, dropped=swept.dropped, deleted=swept.deleted)
        return swept

    async def _drop_months(self, now: datetime) -> tuple[str, ...]:
        if self._policy.inbox_days is None:
            return ()
        async with acquire(self._pool, doing="dropping old partitions") as connection:
            before = now - timedelta(days=self._policy.inbox_days)
            for job in OF_MESSAGES:
                before = await self._counted(connection, job, before)
            return await drop_months(connection, before)

    async def _counted(self, connection: Connection, job: Job, before: datetime) -> datetime:
        """Return `before`, or earlier: what `job` has not counted yet, or will compute again, stays.

        A lag is made up for here and now, whichever engine does it otherwise: the rows are the same.
        """
        counted = await watermark_of(connection, job)
        if counted is not None and counted - _AGAIN < before:
            try:
                counted = (await run(connection, SqlEngine(), Asked(job))).watermark
            except ButlerError as failure:
                _log.warning("inbox_drop_put_off", why=failure.message)
        return before if counted is None else min(before, counted - _AGAIN)

    async def _forget(self, now: datetime) -> dict[str, int]:
        policy = self._policy
        ages = {
            "forget_conflicts": policy.dedupe_days,
            "forget_sessions": policy.session_days,
            "forget_plans": policy.history_days,
            "forget_subroutes": policy.history_days,
            "forget_routing_log": policy.history_days,
            "forget_notifications": policy.history_days,
            "forget_audit": policy.history_days,
            "forget_transitions": policy.history_days,
            "forget_schedule_runs": policy.history_days,
            "forget_operations": policy.history_days,
            "forget_corrections": policy.history_days,
            "forget_learned_rules": policy.history_days,
            "forget_rollout_decisions": policy.history_days,
            "forget_extraction_log": policy.history_days,
            "forget_service_counts": COUNTED_DAYS,
            "forget_service_changes": policy.history_days,
            "forget_extraction_queue": UNREAD_DAYS,
            "forget_spending": policy.history_days,
            "forget_spending_days": policy.history_days,
        }
        counts = {name: await self._delete(name, now - timedelta(days=days)) for name, days in ages.items()}
        counts["forget_keys"] = await self._delete("forget_keys", await self._unknown_before(now))
        oldest = now - timedelta(days=min(policy.dead_letter_days, policy.history_days))
        counts["forget_dead_letters"] = await self._delete(
            "forget_dead_letters", oldest, policy.dead_letter_max
        )
        return {name.removeprefix("forget_"): count for name, count in counts.items() if count}

    async def _unknown_before(self, now: datetime) -> datetime:
        """Return the moment before which repeated messages are not recognised any more."""
        async with acquire(self._pool, doing="reading the months of the inbox") as connection:
            begins: datetime | None = await connection.fetchval(_SQL["inbox_begins"])
        before = now - timedelta(days=self._policy.dedupe_days)
        return before if begins is None else min(before, begins)

    async def _delete(self, query: str, before: datetime, *more: int) -> int:
        total = 0
        for _ in range(MAX_CHUNKS):
            async with transaction(self._pool, doing=query.replace("_", " ")) as connection:
                await connection.execute(_SQL["find_by_index"])
                status = await connection.execute(_SQL[query], before, CHUNK, *more)
            count = int(status.rpartition(" ")[2])
            total += count
            if count < CHUNK:
                break
        return total
