"""Model usage and cost by day, butler, model and person, and sessions refused by budgets (SWB-33.1, D59)."""

from __future__ import annotations

from datetime import date
from typing import Final
from uuid import UUID

from butler_dashboard.reads.model import Model
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["Refusals", "Usage", "UsageRow", "household_usage"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/usage.sql")
_MOST: Final = 500


class UsageRow(Model):
    """What one model took for one person at one butler in a day of UTC; `person` is None for whoever is no contact.

    `priced`: False where the owner gave no price: then the cost is that of a public list, or 0.
    """

    day: date
    butler: str
    model: str
    person: UUID | None
    sessions: int
    input_tokens: int
    output_tokens: int
    microcents: int
    priced: bool


class Refusals(Model):
    """How many sessions of a butler a day's budget did not let begin."""

    day: date
    butler: str
    refused: int


class Usage(Model):
    """The latest day first; `more` says that older rows were left out.

    The sums are of all of them; `tokens` are those read and written.
    """

    rows: tuple[UsageRow, ...]
    more: bool
    refused: tuple[Refusals, ...]
    sessions: int
    tokens: int
    microcents: int
    not_begun: int


async def household_usage(reader: Reader, *, days: int) -> Usage:
    """Return the usage of the last `days` days, including today."""
    async with reader.moment("reading what was used") as connection:
        rows = await connection.fetch(_SQL["used"], days, _MOST + 1)
        refused = await connection.fetch(_SQL["refused"], days, _MOST)
        [summed] = await connection.fetch(_SQL["summed"], days)
    return Usage(
        rows=tuple(UsageRow(**row) for row in rows[:_MOST]),
        more=len(rows) > _MOST,
        refused=tuple(Refusals(**row) for row in refused),
        **summed,
    )
