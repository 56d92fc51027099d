"""Internal maintenance of the specialist's own tables: a sweep, not a schedule (D55). Records are kept."""

from __future__ import annotations

from typing import Final

from butler_kit.db import NamedQueries, Pool, acquire

__all__ = ["prune"]

_SQL = NamedQueries("butler_specialist.sql", "retention.sql")
_SWEEPS: Final = (
    (_SQL["drop_routes"], 30),
    (_SQL["drop_sessions"], 90),
    (_SQL["drop_reminders"], 90),
    (_SQL["drop_reminder_answers"], 90),
    (_SQL["drop_superseded"], 365),
    (_SQL["drop_held_calls"], 90),
    (_SQL["drop_external_calls"], 90),
)
_BATCH: Final = 1000


async def prune(pool: Pool) -> int:
    """Delete expired rows and return how many went.

    Ended work goes after 30 days, sessions, ended reminders and calls outside after 90, edits after 365. A medicine's
    reminder that was stopped stays.
    """
    gone = 0
    async with acquire(pool, doing="pruning") as connection:
        for statement, days in _SWEEPS:
            while batch := len(await connection.fetch(statement, days, _BATCH)):
                gone += batch
    return gone
