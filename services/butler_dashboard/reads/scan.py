"""One page of a long list: an index is walked for what the filters ask, up to a bound, and says where it stopped."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import asyncpg

from butler_kit.db import Connection, NamedQueries

__all__ = ["scan"]


async def scan(
    connection: Connection,
    queries: NamedQueries,
    index: str,
    walk: tuple[datetime, UUID, datetime, int],
    filters: tuple[str | None, ...],
    limit: int,
) -> tuple[list[asyncpg.Record], asyncpg.Record | None]:
    """At most `limit` + 1 rows, and where the walk was cut short, if it was before they were found.

    `queries` has `page{index}` and `edge{index}`; `walk` is the time and id to begin before, the oldest time, and how
    many rows to look through.
    """
    rows = await connection.fetch(queries[f"page{index}"], *walk, *filters, limit + 1)
    if len(rows) > limit:
        return rows, None
    return rows, await connection.fetchrow(queries[f"edge{index}"], *walk)
