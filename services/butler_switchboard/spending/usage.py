"""Reads the usage of models by day, butler, model and person (D59)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from butler_kit.db import NamedQueries, Pool, acquire

__all__ = ["MOST_ROWS", "Refused", "UsageStore", "Used"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/spending.sql")
MOST_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Used:
    """One model's usage for one person at one butler in a UTC day; `person` is a contact, None for anybody else.

    `priced` is False if the owner gave no price of a session: then `microcents` are those of a public list, or 0.
    `given_up` are sessions whose process died.
    """

    day: date
    butler: str
    model: str
    person: UUID | None
    sessions: int
    questions: int
    input_tokens: int
    output_tokens: int
    microcents: int
    priced: bool
    running: int
    given_up: int


@dataclass(frozen=True, slots=True)
class Refused:
    """How many sessions of a butler a day's budget refused."""

    day: date
    butler: str
    refused: int


class UsageStore:
    """Reads the ledger. Raises `TargetUnavailable` while the database is away."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def used(self, first: date, last: date) -> Sequence[Used]:
        """Return the usage from `first` to `last`, the latest day first; at most `MOST_ROWS`."""
        return [Used(**row) for row in await self._rows("usage", first, last)]

    async def refused(self, first: date, last: date) -> Sequence[Refused]:
        """Return the sessions that budgets refused."""
        return [Refused(**row) for row in await self._rows("refusals", first, last)]

    async def today(self) -> date:
        """Return the UTC day by the database's clock."""
        async with acquire(self._pool, doing="reading the day") as connection:
            day: date = await connection.fetchval(_SQL["today"])
        return day

    async def _rows(self, statement: str, first: date, last: date) -> Any:
        async with acquire(self._pool, doing="reading what was spent") as connection:
            return await connection.fetch(_SQL[statement], first, last, MOST_ROWS)
