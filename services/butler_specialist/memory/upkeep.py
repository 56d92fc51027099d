"""The two jobs of a memory, which Switchboard starts by its schedules (SWB-25.1, ADR 0078).

Invariants: a message is folded into one episode, whichever replica comes first; only what nobody can restore any
more is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import asyncpg

from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.faults import points, reached_async
from butler_kit.time import Clock
from butler_specialist.memory.decide import consolidated
from butler_specialist.memory.episodes import GAP, Episode, Said, Thread, folded
from butler_specialist.memory.store import EVERYBODY, MemoryStore

__all__ = ["MemoryUpkeep"]

_SQL: Final = NamedQueries("butler_specialist.sql", "memory.sql")
_BATCH: Final = 500
_MOST_BATCHES: Final = 20
_MOST_PEOPLE: Final = 1000
_FORGOTTEN_DAYS: Final = 30
"""How long withdrawn records are kept; "undo" works for a day."""
_NOBODYS: Final = UUID(int=0)
"""Stands for the episode of a message from outside the household."""


class MemoryUpkeep:
    """The jobs; `half_life_days` and `episode_days` are those of `[modules.memory]`, days those of a person's zone."""

    def __init__(
        self,
        pool: Pool,
        clock: Clock,
        zone_of: Callable[[UUID | None], ZoneInfo],
        *,
        half_life_days: int,
        episode_days: int,
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._zone_of = zone_of
        self._half_life_days = half_life_days
        self._episode_days = episode_days

    async def consolidate(self) -> dict[str, Any]:
        """Fold messages into episodes, and merge, supersede and drop what is known.

        Return how many of each.
        """
        messages = await self._fold()
        decide = partial(consolidated, half_life_days=self._half_life_days)
        store, changed = MemoryStore(self._pool), 0
        async with acquire(self._pool, doing="reading of whom something is known") as connection:
            people = await connection.fetch(_SQL["people"], _MOST_PEOPLE)
        for row in people:
            person = row["person"]
            today = self._clock.now().astimezone(self._zone_of(_contact(person))).date()
            changed += await store.change(
                person, decide, today=today, order=uuid4(), who="consolidation", through="memory"
            )
        return {"messages": messages, "people": len(people), "changed": changed}

    async def clean_up(self) -> dict[str, Any]:
        """Delete expired episodes, and records withdrawn long ago with their former states."""
        gone = {"episodes": 0, "forgotten": 0}
        async with acquire(self._pool, doing="cleaning the memory up") as connection:
            for name, statement, days in (
                ("episodes", _SQL["drop_episodes"], self._episode_days),
                ("forgotten", _SQL["drop_forgotten"], _FORGOTTEN_DAYS),
            ):
                for _ in range(_MOST_BATCHES):
                    batch = len(await connection.fetch(statement, days, _BATCH))
                    gone[name] += batch
                    if batch < _BATCH:
                        break
        return gone

    async def _fold(self) -> int:
        count = 0
        for _ in range(_MOST_BATCHES):
            async with transaction(self._pool, doing="folding messages into episodes") as connection:
                await connection.execute(_SQL["lock_person"], EVERYBODY)
                rows = await connection.fetch(_SQL["unfolded"], _BATCH)
                await _fold_batch(connection, rows)
                await reached_async(points.MEMORY_BEFORE_COMMIT, "fold")
            await reached_async(points.MEMORY_COMMITTED, "fold")
            count += len(rows)
            if len(rows) < _BATCH:
                break
        return count


def _contact(person: str) -> UUID | None:
    """Return the contact of a person's key (`teller_key`); None for an address."""
    return None if ":" in person else UUID(person)


async def _fold_batch(connection: Connection, rows: Sequence[asyncpg.Record]) -> None:
    said = [_said(row) for row in rows if row["sender_class"] == "household"]
    episodes, places = folded(said, await _last(connection, said))
    await connection.execute(_SQL["keep_episodes"], [_wire(one) for one in episodes])
    marks = [
        {"subrequest_id": str(key), "episode_id": str(places.get(key, _NOBODYS))}
        for key in (row["subrequest_id"] for row in rows)
    ]
    await connection.execute(_SQL["mark_folded"], marks)


async def _last(connection: Connection, said: Sequence[Said]) -> dict[Thread, Episode]:
    """Return the last episodes of these messages' threads."""
    if not said:
        return {}
    since: datetime = min(one.at for one in said) - GAP
    threads = {(one.person, one.thread_key) for one in said}
    people, keys = [person for person, _ in threads], [key for _, key in threads]
    rows = await connection.fetch(_SQL["last_episodes"], people, keys, since)
    return {(row["person"], row["thread_key"]): _episode(row) for row in rows}


def _said(row: asyncpg.Record) -> Said:
    return Said(
        row["subrequest_id"],
        row["teller"],
        row["channel"],
        row["thread_key"] or "",
        row["said_at"],
        row["words"] or "",
    )


def _episode(row: asyncpg.Record) -> Episode:
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


def _wire(one: Episode) -> dict[str, Any]:
    return {
        "episode_id": str(one.episode_id),
        "person": one.person,
        "source_channel": one.channel,
        "thread_key": one.thread_key,
        "begun_at": one.begun_at.isoformat(),
        "ended_at": one.ended_at.isoformat(),
        "messages": one.messages,
        "words": one.words,
    }
