"""The household's day in figures, and what waits for a person's decision."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from butler_dashboard.reads.letter_models import LetterKind
from butler_dashboard.reads.model import Model
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["Cause", "DayCounts", "Undecided", "day_counts", "undecided", "waiting"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/today.sql")


class DayCounts(Model):
    """Messages of the household's day, which began at `since`."""

    messages: int
    done: int
    failed: int
    under_way: int
    since: datetime


class Cause(Model):
    """Open dead letters that failed for one reason."""

    kind: LetterKind
    error_class: str
    error_message: str | None
    letters: int
    newest_at: datetime
    newest_id: UUID


class Undecided(Model):
    """What a person has to decide; `uncertain` deliveries are those of a week."""

    causes: tuple[Cause, ...]
    uncertain: int


async def day_counts(reader: Reader) -> DayCounts:
    """Return how many messages came in today, in total and by state."""
    async with reader.connection("counting the day") as connection:
        [row] = await connection.fetch(_SQL["counts"], reader.timezone.key)
    return DayCounts(**row)


async def undecided(reader: Reader, *, limit: int) -> Undecided:
    """Return open dead letters by cause, newest first, at most `limit`, and the uncertain deliveries."""
    async with reader.moment("reading what waits for a decision") as connection:
        rows = await connection.fetch(_SQL["causes_of_requests"], limit)
        rows += await connection.fetch(_SQL["causes_of_deliveries"], limit)
        uncertain = await connection.fetchval(_SQL["uncertain"])
    causes = sorted((Cause(**row) for row in rows), key=lambda cause: cause.newest_at, reverse=True)
    return Undecided(causes=tuple(causes[:limit]), uncertain=uncertain)


async def waiting(reader: Reader) -> Mapping[str, int]:
    """Return how much waits for a decision, by the section of the menu where it is made."""
    async with reader.moment("counting what waits for a decision") as connection:
        approvals: int = await connection.fetchval(_SQL["approvals_waiting"])
        letters: int = await connection.fetchval(_SQL["requests_open"])
        letters += await connection.fetchval(_SQL["deliveries_open"])
    return {"approvals": approvals, "dead-letters": letters}
