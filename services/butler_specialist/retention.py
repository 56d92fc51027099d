"""Internal maintenance of the specialist's own tables: a sweep, no schedule (D55). Records are kept."""

from __future__ import annotations

import asyncio
from typing import Final

from butler_contracts.errors import TargetUnavailable, TimedOut
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.telemetry import get_logger

__all__ = ["ROUTE_DAYS", "SESSION_DAYS", "keep_pruning", "prune"]

_log = get_logger(__name__)

_SQL = NamedQueries("butler_specialist.sql", "retention.sql")
_SWEEPS: Final = ((_SQL["drop_routes"], 30), (_SQL["drop_sessions"], 90))
ROUTE_DAYS: Final = _SWEEPS[0][1]
SESSION_DAYS: Final = _SWEEPS[1][1]
_BATCH: Final = 1000
_EVERY_S: Final = 3600.0


async def prune(pool: Pool) -> int:
    """Remove routed work ended 30 days ago and sessions begun 90 days ago; returns how many rows went."""
    gone = 0
    async with acquire(pool, doing="pruning") as connection:
        for statement, days in _SWEEPS:
            while batch := len(await connection.fetch(statement, days, _BATCH)):
                gone += batch
    return gone


async def keep_pruning(pool: Pool, stopping: asyncio.Event) -> None:
    """Prune now and every hour until stopped; an outage waits for the next turn."""
    while not stopping.is_set():
        try:
            await prune(pool)
        except (TargetUnavailable, TimedOut) as error:
            _log.warning("maintenance_put_off", problem=error.message)
        try:
            async with asyncio.timeout(_EVERY_S):
                await stopping.wait()
        except TimeoutError:
            continue
