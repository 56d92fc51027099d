"""Change marks for each part of the household: pages follow changes without rereading everything."""

from __future__ import annotations

from typing import Final

from butler_dashboard.reads.model import Model
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["Marks", "marks"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/changes.sql")


class Marks(Model):
    """An opaque text a part: another text means that something of it changed."""

    connectors: str
    requests: str
    deliveries: str
    approvals: str
    dead_letters: str
    butlers: str
    backfills: str


async def marks(reader: Reader) -> Marks:
    """Return the current marks; takes a few milliseconds, however much is stored."""
    async with reader.moment("looking for changes") as connection:
        found = {name: await connection.fetchval(_SQL[name]) for name in Marks.model_fields}
    return Marks(**{name: mark or "" for name, mark in found.items()})
