"""A durable work queue in one narrow PostgreSQL table, safe for any number of replicas (D11, SWB-39).

Invariants: a row has at most one live lease; a worker that lost its lease can no longer finish, defer or renew
(compare-and-set on `lease_id`); only the first blocking row of a thread may be claimed, so rows of a thread are
worked on in `seq` order, through retries and crashes; no claim waits for another replica. The database's
`clock_now()` is the only clock. `attempt` counts claims, so a row that keeps crashing its workers shows; `failures`
counts the attempts that a defect ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from butler_contracts.errors import InternalFailure
from butler_kit.db import Connection, NamedQueries, Pool, acquire, quote_identifier
from butler_kit.queue.identity import LeaseIds

__all__ = ["Due", "Lease", "LeaseLost", "LeasedQueue", "Unblocked", "WorkItem"]

_QUERIES = NamedQueries("butler_kit.queue", "sql/leases.sql")


class LeaseLost(InternalFailure):
    """The row is no longer ours: its lease ran out and another worker took it, or the row was removed."""


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A row to be queued. `thread_key` None: no order to keep."""

    item_id: UUID
    lane: str
    source: str
    thread_key: str | None = None
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Due:
    """A row that may be claimed, or may be in `in_s` seconds."""

    item_id: UUID
    lane: str
    source: str
    in_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on one row; `attempt` is 1 at the first claim, `failures` counts those before it.

    Times are the database's.
    """

    item_id: UUID
    lease_id: UUID
    lane: str
    source: str
    thread_key: str | None
    attempt: int
    enqueued_at: datetime
    claimed_at: datetime
    wakes: int = 0
    failures: int = 0

    @property
    def waited_ms(self) -> float:
        """Milliseconds from being queued to this claim."""
        return (self.claimed_at - self.enqueued_at).total_seconds() * 1000


@dataclass(frozen=True, slots=True)
class Unblocked:
    """The result of unblocking: the thread's new head, and whether the row was woken and is due at once."""

    next_id: UUID | None
    woken: bool


class LeasedQueue:
    """The work table `table` (dotted with its schema, or found by the pool's search path).

    Methods that take `connection` run inside the caller's transaction when one is given, else on their own
    connection. All raise `TargetUnavailable` or `TimedOut` when the database does not serve them.

    `replica`: a name that never more than one process uses on this table; see `release_former`.
    """

    def __init__(
        self,
        pool: Pool,
        table: str,
        *,
        lease_s: float = 30.0,
        timeout_s: float = 5.0,
        replica: str | None = None,
    ) -> None:
        self._pool = pool
        self.table = table
        self.lease_s = lease_s
        self._timeout_s = timeout_s
        self._ids = LeaseIds(replica)
        self._sql = {
            name: _QUERIES[name].replace("{table}", quote_identifier(table)) for name in _QUERIES.names()
        }

    async def enqueue(
        self,
        connection: Connection | None,
        *,
        item_id: UUID,
        lane: str,
        source: str,
        thread_key: str | None = None,
        available_in_s: float = 0.0,
    ) -> None:
        """Queue one item; one that is queued already stays as it is."""
        await self.enqueue_many(connection, [WorkItem(item_id, lane, source, thread_key, available_in_s)])

    async def enqueue_many(self, connection: Connection | None, items: Sequence[WorkItem]) -> None:
        """Queue items in this order, in one statement."""
        columns: tuple[list[Any], ...] = (
            [item.item_id for item in items],
            [item.lane for item in items],
            [item.source for item in items],
            [item.thread_key for item in items],
            [item.delay_s for item in items],
        )
        async with self._on(connection, "queueing work") as target:
            await target.execute(self._sql["enqueue"], *columns)

    async def claim(self, item_id: UUID) -> Lease | None:
        """Claim `item_id`; None when it is gone, held, not due, or behind its thread's head."""
        return await self._claim_one("claim", item_id)

    async def free(self, item_id: UUID) -> Due | None:
        """Return when a row may be claimed; None when it is gone, held, or behind its thread's head."""
        async with self._on(None, "looking for due work") as connection:
            row = await connection.fetchrow(self._sql["free"], item_id)
        return Due(item_id, row["lane"], row["source"], row["seconds"]) if row else None

    async def claim_head(self, thread_key: str) -> Lease | None:
        """Claim the thread's first row; None when there is none, or it is held or not due."""
        return await self._claim_one("claim_head", thread_key)

    async def head(self, thread_key: str) -> Due | None:
        """Return the thread's first row that still blocks it, whether or not it may be claimed now."""
        async with self._on(None, "looking for due work") as connection:
            row = await connection.fetchrow(self._sql["head"], thread_key)
        return Due(row["item_id"], row["lane"], row["source"]) if row else None

    async def due(
        self,
        limit: int,
        *,
        grace_s: float = 0.0,
        exclude: Collection[UUID] = (),
        without_lanes: Collection[str] = (),
    ) -> tuple[Due, ...]:
        """Return up to `limit` claimable rows, sources in turn; never-claimed ones only after `grace_s`."""
        async with self._on(None, "looking for due work") as connection:
            rows = await connection.fetch(
                self._sql["due"], limit, grace_s, list(exclude), list(without_lanes)
            )
        return tuple(Due(row["item_id"], row["lane"], row["source"]) for row in rows)

    async def next_due_s(self) -> float | None:
        """Return the seconds until the next row becomes due; None without one."""
        async with self._on(None, "looking for the next due work") as connection:
            seconds: float | None = await connection.fetchval(self._sql["next_due"])
        return seconds

    async def renew(self, lease: Lease) -> None:
        """Extend `lease` to `lease_s` from now; raises `LeaseLost`."""
        if await self.renew_many([lease]):
            raise self._lost(lease)

    async def renew_many(self, leases: Iterable[Lease]) -> tuple[Lease, ...]:
        """Extend all in one statement; return those that are lost."""
        held = tuple(leases)
        async with self._on(None, "renewing leases") as connection:
            rows = await connection.fetch(
                self._sql["renew"],
                [lease.item_id for lease in held],
                [lease.lease_id for lease in held],
                self.lease_s,
            )
        kept = {row["lease_id"] for row in rows}
        return tuple(lease for lease in held if lease.lease_id not in kept)

    async def defer(self, lease: Lease, delay_s: float, *, connection: Connection | None = None) -> bool:
        """Give the row back, due again in `delay_s`; it keeps its place in its thread. Raises `LeaseLost`.

        Returns True when it was woken meanwhile and is due at once.
        """
        row = await self._change("defer", lease, delay_s, lease.wakes, connection=connection)
        return bool(row["woken"])

    async def fail(self, lease: Lease, delay_s: float, *, releases_thread: bool = False) -> None:
        """Count a failed attempt and give the row back, due again in `delay_s`. Raises `LeaseLost`."""
        await self._change("fail", lease, delay_s, releases_thread, connection=None)

    async def unblock(
        self, lease: Lease, *, delay_s: float | None = None, connection: Connection | None = None
    ) -> Unblocked:
        """Let the thread go on past this row, which stays; return the thread's new head, for `offer`.

        With `delay_s` the row is also given back and due again then, or at once when it was woken meanwhile.
        Raises `LeaseLost`.
        """
        row = await self._change("unblock", lease, delay_s, lease.wakes, connection=connection)
        return Unblocked(row["next_id"], bool(row["woken"]))

    async def finish(self, lease: Lease, connection: Connection | None = None) -> UUID | None:
        """Remove the row from the queue; return the thread's new head, for `offer`. Raises `LeaseLost`."""
        head: UUID | None = (await self._change("finish", lease, connection=connection))["next_id"]
        return head

    async def remove(self, item_id: UUID, connection: Connection | None = None) -> UUID | None:
        """Remove a row whoever holds it; return the thread's new head, if there is one."""
        async with self._on(connection, "removing work") as target:
            row = await target.fetchrow(self._sql["remove"], item_id)
        return row["next_id"] if row else None

    async def wake(self, item_id: UUID, connection: Connection | None = None) -> Due | None:
        """Make a row due now or, while it is worked on, as soon as it is deferred; None when it is gone."""
        async with self._on(connection, "waking work") as target:
            row = await target.fetchrow(self._sql["wake"], item_id)
        return Due(row["item_id"], row["lane"], row["source"]) if row else None

    async def release_former(self) -> int:
        """Give back what earlier lives of this replica held; return how many rows. 0 for one without a name.

        Safe because naming a replica vouches that its former life is gone, and because a statement of that
        life still under way in the database either holds its row's lock or checks the lease id.
        """
        former = self._ids.all_lives
        if former is None:
            return 0
        async with self._on(None, "releasing leases of a former life") as connection:
            rows = await connection.fetch(self._sql["release_former"], *former, *self._ids.this_life)
        return len(rows)

    async def depth(self) -> dict[str, int]:
        """Return how many rows each lane has, held ones included."""
        async with self._on(None, "counting work") as connection:
            rows = await connection.fetch(self._sql["depth"])
        return {row["lane"]: row["waiting"] for row in rows}

    async def _claim_one(self, query: str, key: UUID | str) -> Lease | None:
        async with self._on(None, "claiming work") as connection:
            row = await connection.fetchrow(self._sql[query], key, self._ids.new(), self.lease_s)
        return _lease(row) if row else None

    async def _change(
        self, query: str, lease: Lease, *arguments: float | None, connection: Connection | None
    ) -> asyncpg.Record:
        async with self._on(connection, f"{query} of work") as target:
            row = await target.fetchrow(self._sql[query], lease.item_id, lease.lease_id, *arguments)
        if row is None:
            raise self._lost(lease)
        return row

    def _lost(self, lease: Lease) -> LeaseLost:
        return LeaseLost(f"{self.table}: the lease on {lease.item_id} is lost (attempt {lease.attempt})")

    def _on(self, connection: Connection | None, doing: str) -> AbstractAsyncContextManager[Connection]:
        if connection is not None:
            return nullcontext(connection)
        return acquire(self._pool, timeout_s=self._timeout_s, doing=doing)


def _lease(row: asyncpg.Record) -> Lease:
    return Lease(
        item_id=row["item_id"],
        lease_id=row["lease_id"],
        lane=row["lane"],
        source=row["source"],
        thread_key=row["thread_key"],
        attempt=row["attempt"],
        enqueued_at=row["enqueued_at"],
        claimed_at=row["claimed_at"],
        wakes=row["wakes"],
        failures=row["failures"],
    )
