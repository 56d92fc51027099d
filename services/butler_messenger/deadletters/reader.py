"""Reads dead letters (MSR-08.1, MSR-08.2)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_kit.db import NamedQueries, Pool, acquire, transaction
from butler_messenger.deadletters.questions import ListQuestion
from butler_messenger.deadletters.views import ReplayPolicy, dead_letter_view, full_view
from butler_messenger.tracking.cursor import page_of, read_cursor

__all__ = ["DeadLetterReader", "UnknownDeadLetter", "unknown_dead_letter"]

_SQL: Final = NamedQueries("butler_messenger.sql", "dead_letters.sql")


class UnknownDeadLetter(NotFound):
    """No such dead letter, or it is no longer kept (HTTP 404)."""


def unknown_dead_letter(dead_letter_id: UUID) -> UnknownDeadLetter:
    return UnknownDeadLetter(f"no dead letter {dead_letter_id}; look for it with messenger_dead_letter_list")


class DeadLetterReader:
    """Answers queries about dead letters."""

    def __init__(self, pool: Pool, policy: ReplayPolicy) -> None:
        self._pool = pool
        self._policy = policy

    async def page(self, asked: ListQuestion) -> dict[str, Any]:
        """Return a page, newest first; `next_cursor` is null on the last one."""
        after = read_cursor(asked.cursor)
        async with transaction(self._pool, doing="listing dead letters") as connection:
            await connection.execute(_SQL["plan_each_time"])
            rows = await connection.fetch(
                _SQL["page"],
                asked.channel,
                asked.origin_butler,
                asked.error_class,
                asked.since,
                asked.state,
                *after,
                asked.request_id,
                asked.limit + 1,
            )
        return page_of(
            "dead_letters",
            rows,
            lambda row: dead_letter_view(row, self._policy),
            limit=asked.limit,
            own_id="dead_letter_id",
        )

    async def inspect(self, dead_letter_id: UUID) -> dict[str, Any]:
        """Return one dead letter in full. Raises `UnknownDeadLetter`."""
        async with acquire(self._pool, doing="reading a dead letter") as connection:
            row = await connection.fetchrow(_SQL["find"], dead_letter_id)
        if row is None:
            raise unknown_dead_letter(dead_letter_id)
        return full_view(row, self._policy)
