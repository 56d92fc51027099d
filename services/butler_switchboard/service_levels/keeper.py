"""Evaluates the service levels regularly, and keeps the resulting state in the database (docs/adr/0113).

Invariants: a change is decided on the current row, which nobody else can change meanwhile, by one replica at a time;
the change and its record are one transaction. Nothing here refuses, holds or drops a message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from butler_contracts.errors import InternalFailure, TargetUnavailable, TimedOut
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.service import repeat
from butler_kit.service_levels import Level, State, decided, why_of
from butler_kit.service_levels.rows import columns_of, level_of
from butler_kit.telemetry import get_logger
from butler_switchboard.service_levels.figures import measured
from butler_switchboard.service_levels.objectives import NAME, Policy
from butler_switchboard.service_levels.tally import Tally

__all__ = ["Keeper", "LevelEvents"]

_log = get_logger(__name__)
_SQL: Final = NamedQueries("butler_switchboard", "sql/service_levels.sql")

EVERY_S: Final = 15.0
"""How often a replica looks."""
_NOT_AGAIN_WITHIN_S: Final = 10.0


class LevelEvents(Protocol):
    """The metrics events of the level."""

    def service_level(self, *, tight: bool, burn: float) -> None: ...

    def service_level_changed(self, state: str) -> None: ...


class Keeper:
    """Keeps the one level of a household's message plane; `tally` has what this process counted."""

    def __init__(self, pool: Pool, policy: Policy, tally: Tally, events: LevelEvents) -> None:
        self.policy = policy
        self._pool = pool
        self._tally = tally
        self._events = events

    async def run(self, stopping: asyncio.Event) -> None:
        """Look until stopped."""
        await repeat(self.look, every_s=EVERY_S, stopping=stopping, what="service_levels_look")

    async def look(self) -> None:
        """Store the counts, decide unless a replica has just decided, and set the gauges."""
        await self._write_tally()
        changed = await self._decide()
        if changed is not None:
            self._tell(changed, why=self._why(changed))
        await self._set_gauges()

    async def let_go(
        self, connection: Connection, *, why: str, actor: str
    ) -> tuple[Level, Callable[[], None]]:
        """Release it in the caller's transaction; return its former level and a post-commit callback."""
        row = await connection.fetchrow(_SQL["hold"])
        if row is None:
            raise InternalFailure("a service level was written and nothing said so")
        before = level_of(row)
        after = before.let_go(row["now"])
        await connection.execute(_SQL["save"], *columns_of(after))
        await _record(connection, after, why=why, actor=actor)

        def tell() -> None:
            if before.state is State.TIGHT:
                self._tell(after, why=why)

        return before, tell

    async def _decide(self) -> Level | None:
        """Return the new level if this replica has just changed its state."""
        async with transaction(self._pool, doing="looking at the service levels") as connection:
            row = await connection.fetchrow(_SQL["claim"], _NOT_AGAIN_WITHIN_S)
            if row is None:
                return None
            before = level_of(row)
            counts = await measured(connection, self.policy.windows_s)
            after = decided(before, counts, self.policy, row["now"])
            await connection.execute(_SQL["save"], *columns_of(after))
            if after.state is before.state:
                return None
            await _record(connection, after, why=self._why(after), actor=NAME)
            return after

    async def _write_tally(self) -> None:
        counted = self._tally.taken()
        try:
            async with transaction(self._pool, doing="counting for the service levels") as connection:
                for objective, count in sorted(counted.items()):
                    await connection.execute(_SQL["add"], objective, count.events, count.bad)
        except (TargetUnavailable, TimedOut):
            self._tally.put_back(counted)
            raise

    async def _set_gauges(self) -> None:
        async with acquire(self._pool, doing="reading the service levels") as connection:
            row = await connection.fetchrow(_SQL["level"])
        level = level_of(row) if row is not None else Level()
        self._events.service_level(tight=level.state is State.TIGHT, burn=level.burn)

    def _why(self, level: Level) -> str:
        return why_of(level, self.policy, setting="slo")

    def _tell(self, level: Level, *, why: str) -> None:
        _log.warning("slo_transition", state=level.state.value, reason=why)
        self._events.service_level_changed(level.state.value)


async def _record(connection: Connection, level: Level, *, why: str, actor: str) -> None:
    await connection.execute(_SQL["record_change"], level.changed_at, level.state.value, why, actor)
