"""Makes a month that a message needs and no sweep has made: after the machine slept, or the clock was set."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import structlog

from butler_kit.db import NamedQueries, Pool, acquire

__all__ = ["make_months"]

_MAKE_INBOX_MONTHS = NamedQueries("butler_switchboard", "sql/partitions.sql")["make_inbox_months"]
_log = structlog.get_logger(__name__)


async def make_months(pool: Pool, moments: Collection[datetime]) -> tuple[str, ...]:
    """Make the inbox's months of exactly these times; return the names of the new ones."""
    firsts = {moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0) for moment in moments}
    made: list[str] = []
    async with acquire(pool, doing="making a partition") as connection:
        for first in sorted(firsts):
            made += [record["made"] for record in await connection.fetch(_MAKE_INBOX_MONTHS, first, first)]
    _log.warning("partitions_made_late", made=made, why="no sweep has been here: did the clock jump?")
    return tuple(made)
