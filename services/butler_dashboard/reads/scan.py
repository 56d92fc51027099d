"""One page of a long list: a bounded, filtered walk along an index, and the place where it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import (
    BEGINNING_OF_TIME,
    END_OF_TIME,
    NEWEST_ID,
    moment,
    read_cursor,
    write_cursor,
)
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["Walk", "scan"]


@dataclass(frozen=True, slots=True)
class Walk:
    """The part of a list to read: `limit` rows from `cursor` on, newest first, looking through at most `scanned_max`.

    None leaves a side open. `since` is inclusive, `until` exclusive.
    """

    since: datetime | None
    until: datetime | None
    cursor: str | None
    limit: int
    scanned_max: int

    def begin(self) -> tuple[datetime, UUID, datetime, int]:
        """Return the time and id to begin before, the oldest time, the row limit; refuse a foreign cursor."""
        at, row_id = read_cursor(self.cursor, moment, UUID) if self.cursor else (END_OF_TIME, NEWEST_ID)
        if self.until is not None and self.until <= at:
            at, row_id = self.until, UUID(int=0)
        return at, row_id, self.since or BEGINNING_OF_TIME, self.scanned_max


async def scan(
    reader: Reader,
    queries: NamedQueries,
    index: str,
    filters: tuple[str | list[str] | None, ...],
    walk: Walk,
    *,
    key: tuple[str, str],
    doing: str,
) -> tuple[Sequence[Row], str | None]:
    """Return the rows of a page and the cursor of the next: after the last row, or where the walk was cut short.

    `queries` has `page{index}` and `edge{index}`; `key` names the columns of time and id.
    """
    begin = walk.begin()
    async with reader.connection(doing) as connection:
        rows = await connection.fetch(queries[f"page{index}"], *begin, *filters, walk.limit + 1)
        full = len(rows) > walk.limit
        last = rows[walk.limit - 1] if full else await connection.fetchrow(queries[f"edge{index}"], *begin)
    return rows[: walk.limit], write_cursor(*(last[name] for name in key)) if last is not None else None
