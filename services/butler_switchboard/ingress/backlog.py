"""How many messages wait, by tier and source, and which are let go if there are too many (SWB-14, SWB-06.5, D79).

The database is counted at most once a second, and only while messages come in; between two counts this process adds
what it admits itself. So the bound holds right after a start, and with other replicas to within a second of theirs;
so does the narrower one of tier default while the service level is missed (docs/adr/0113).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Final, Protocol
from uuid import UUID

import structlog

from butler_contracts.errors import ButlerError
from butler_contracts.ingest import PolicyTier
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.time import Clock, wait_until_set
from butler_switchboard.ingress.overflow import LIMITS, Load, Overflow, TierLimit, on_overflow

__all__ = ["SHED", "Backlog", "BacklogEvents", "Offers"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/ingress.sql")
_LEVELS: Final = NamedQueries("butler_switchboard", "sql/service_levels.sql")
_log = structlog.get_logger(__name__)

SHED: Final = "shed"
"""The lane of rows that are let go: the worker that takes one ends it as `overload_rejected`."""
REFRESH_S: Final = 1.0
DEFER_S: Final = 2.0
"""How long the sender of a deferred message waits for its answer at most, which slows it down."""
MOST_AT_ONCE: Final = 1_000

Place = tuple[str, str]
"""Tier and source."""


class BacklogEvents(Protocol):
    def overflowed(self, policy_tier: str, outcome: str, count: int = 1) -> None: ...


class Offers(Protocol):
    """The workers' queue."""

    def offer(self, item_id: UUID, lane: str, source: str) -> bool: ...


class Backlog:
    """Call `reserve` before a message is written, `settle` after it; `run` lets `shed` messages go."""

    def __init__(
        self,
        pool: Pool,
        clock: Clock,
        queue: Offers,
        events: BacklogEvents,
        limits: Mapping[PolicyTier, TierLimit] = LIMITS,
        *,
        tight_share: float = 0.5,
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._queue = queue
        self._events = events
        self._limits = limits
        self._tight_share = tight_share
        self._share = 1.0
        self._counted: Counter[Place] | None = None
        self._counted_at = 0.0
        self._admitted: Counter[Place] = Counter()
        self._reserved: Counter[Place] = Counter()
        self._counting = asyncio.Lock()
        self._to_shed = 0
        self._shed_wanted = asyncio.Event()

    async def reserve(self, tier: PolicyTier, source: str) -> Overflow:
        """Decide about one more message and, unless it is refused, keep its place until `settle`.

        Raises `TargetUnavailable` while the backlog is unknown, that is, in an outage right after the start.
        """
        await self._count_if_due()
        verdict = on_overflow(tier, self._limits[tier], self._load(tier, source), share=self._share)
        if verdict is not Overflow.ACCEPT:
            self._events.overflowed(tier.value, verdict.value)
        if not verdict.refuses:
            self._reserved[tier.value, source] += 1
        if verdict is Overflow.SHED:
            self._to_shed += 1
            self._shed_wanted.set()
        return verdict

    def settle(self, tier: PolicyTier, source: str, *, queued: bool) -> None:
        """Release a place kept by `reserve`; the message is queued, or is not (a duplicate, a failure)."""
        place = (tier.value, source)
        self._reserved -= Counter({place: 1})
        if queued:
            self._admitted[place] += 1

    async def wait_for_room(self, tier: PolicyTier) -> None:
        """Hold a sender back until its tier has room again, for at most `DEFER_S`."""
        for _ in range(int(DEFER_S / REFRESH_S)):
            await asyncio.sleep(REFRESH_S)
            await self._count_if_due()
            if self._waiting(tier) <= self._limits[tier].max_backlog:
                return

    async def run(self, stopping: asyncio.Event) -> None:
        """Let go of as many old messages as new ones were accepted in their place."""
        while not stopping.is_set():
            if not await wait_until_set(self._shed_wanted, REFRESH_S):
                continue
            self._shed_wanted.clear()
            count, self._to_shed = min(self._to_shed, MOST_AT_ONCE), max(0, self._to_shed - MOST_AT_ONCE)
            try:
                await self._shed(count)
            except ButlerError as failure:
                _log.warning("nothing_shed", problem=failure.message)
                self._to_shed += count
            if self._to_shed:
                self._shed_wanted.set()
                await wait_until_set(stopping, REFRESH_S)

    async def _shed(self, count: int) -> None:
        async with acquire(self._pool, doing="letting old messages go") as connection:
            rows = await connection.fetch(_SQL["shed"], count)
        for row in rows:
            self._admitted[PolicyTier.DEFAULT.value, row["source"]] -= 1
            self._queue.offer(row["item_id"], SHED, row["source"])
        self._events.overflowed(PolicyTier.DEFAULT.value, "let_go", len(rows))
        _log.warning("messages_let_go", count=len(rows))

    async def _count_if_due(self) -> None:
        """Count if due; while one caller counts, the others use the last count."""
        if self._counted is not None and (not self._is_due() or self._counting.locked()):
            return
        async with self._counting:
            if self._counted is not None and not self._is_due():
                return
            try:
                await self._count()
            except ButlerError:
                if self._counted is None:
                    raise
            self._counted_at = self._clock.monotonic()

    def _is_due(self) -> bool:
        return self._clock.monotonic() - self._counted_at >= REFRESH_S

    async def _count(self) -> None:
        before = self._admitted.copy()
        async with acquire(self._pool, doing="counting what waits") as connection:
            rows = await connection.fetch(_SQL["backlog"])
            tight = await connection.fetchval(_LEVELS["tight"])
        self._share = self._tight_share if tight else 1.0
        self._counted = Counter({(row["lane"], row["source"]): row["waiting"] for row in rows})
        self._admitted.subtract(before)

    def _of(self, place: Place) -> int:
        counted = self._counted[place] if self._counted is not None else 0
        return max(0, counted + self._admitted[place]) + self._reserved[place]

    def _places(self, tier: PolicyTier) -> set[Place]:
        known = (*(self._counted or ()), *self._admitted, *self._reserved)
        return {place for place in known if place[0] == tier.value and self._of(place) > 0}

    def _waiting(self, tier: PolicyTier) -> int:
        return sum(self._of(place) for place in self._places(tier))

    def _load(self, tier: PolicyTier, source: str) -> Load:
        own = (tier.value, source)
        return Load(
            waiting=self._waiting(tier),
            own=self._of(own),
            sources=len(self._places(tier) | {own}),
            default=self._waiting(PolicyTier.DEFAULT),
        )
