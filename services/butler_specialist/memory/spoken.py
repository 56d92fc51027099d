"""What one person spoke of with this butler: their episodes, and messages that are in none yet (ADR 0116).

Invariant: it is of one person; in a group it is what they said there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from butler_kit.db import NamedQueries, Pool, acquire
from butler_specialist.memory.episodes import Episode, Said, folded

__all__ = ["StoredEpisodes", "episode_of", "said_of"]

_SQL: Final = NamedQueries("butler_specialist.sql", "memory.sql")
_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class StoredEpisodes:
    """The episodes of `person` (see `teller_key`), of one thread alone if `thread_key` is given."""

    pool: Pool
    person: str
    thread_key: str | None = None

    async def between(self, start: datetime | None, end: datetime | None) -> Sequence[Episode]:
        """Return those of a period, the newest first; without bounds the newest of all."""
        asked = (self.person, self.thread_key, start, end, _MOST)
        async with acquire(self.pool, doing="reading what a person spoke of") as connection:
            rows = await connection.fetch(_SQL["spoken_between"], *asked)
            lately = await connection.fetch(_SQL["spoken_lately"], *asked)
        fresh, _ = folded([said_of(row) for row in lately], {})
        found = (*(episode_of(row) for row in rows), *fresh)
        return sorted(found, key=lambda one: (one.ended_at, one.episode_id), reverse=True)


def said_of(row: asyncpg.Record) -> Said:
    """Return the message that a row of `unfolded` or `spoken_lately` is."""
    return Said(
        row["subrequest_id"],
        row["teller"],
        row["channel"],
        row["thread_key"] or "",
        row["said_at"],
        row["words"] or "",
    )


def episode_of(row: asyncpg.Record) -> Episode:
    """Return the episode that a row of `memory_episodes` is."""
    return Episode(
        row["episode_id"],
        row["person"],
        row["source_channel"],
        row["thread_key"],
        row["begun_at"],
        row["ended_at"],
        row["messages"],
        row["words"],
    )
