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

    `priced`: False where a price is not known, and the cost says nothing.
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
    """The latest day first."""

    rows: tuple[UsageRow, ...]
    refused: tuple[Refusals, ...]

    @property
    def sessions(self) -> int:
        return sum(row.sessions for row in self.rows)

    @property
    def tokens(self) -> int:
        """Read and written."""
        return sum(row.input_tokens + row.output_tokens for row in self.rows)

    @property
    def microcents(self) -> int:
        return sum(row.microcents for row in self.rows)

    @property
    def not_begun(self) -> int:
        return sum(one.refused for one in self.refused)


async def household_usage(reader: Reader, *, days: int) -> Usage:
    """Return the usage of the last `days` days, including today."""
    async with reader.moment("reading what was used") as connection:
        rows = await connection.fetch(_SQL["used"], days, _MOST)
        refused = await connection.fetch(_SQL["refused"], days, _MOST)
    return Usage(
        rows=tuple(UsageRow(**row) for row in rows), refused=tuple(Refusals(**row) for row in refused)
    )
