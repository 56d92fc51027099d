"""Reads the counts of all replicas from the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from butler_kit.db import Connection, NamedQueries
from butler_kit.service_levels import Count, Measured, Sli

__all__ = ["measured"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/service_levels.sql")


async def measured(connection: Connection, windows_s: Sequence[float]) -> Measured:
    """Return the counts of each objective with any event within the longest window."""
    found: defaultdict[Sli, dict[float, Count]] = defaultdict(dict)
    for row in await connection.fetch(_SQL["tallied"], list(windows_s), max(windows_s)):
        found[Sli(row["objective"])][row["seconds"]] = Count(row["events"], row["bad"])
    return dict(found)
