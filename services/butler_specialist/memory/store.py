"""What is known about people, in the pool's schema: each read and write is of one person (D68, ADR 0078).

Invariant: statements about a person are decided one after the other, each on what then stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID, uuid5

import asyncpg

from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.faults import points, reached_async
from butler_specialist.memory.decide import Learned, confirmed, learned
from butler_specialist.store.model import Record, RecordChange, RecordDraft
from butler_specialist.store.record_orders import is_made, make_change
from butler_specialist.store.records import fact_of, record_of

__all__ = ["EVERYBODY", "MOST_KNOWN", "MemoryStore", "Said", "words_to_find"]

_SQL: Final = NamedQueries("butler_specialist.sql", "memory.sql")
EVERYBODY: Final = "everybody's episodes"
"""What `lock_person` takes for the folding of messages."""
MOST_KNOWN: Final = 500
"""The most records of one person that are read, the newest first."""
_BATCH: Final = 1000
_FORGOTTEN: Final = "withdrawn"
_WORD: Final = re.compile(r"\w{2,}")

Said = tuple[Record, datetime]
"""A record, and when it was recorded."""
Decision = Callable[[Sequence[Record], date], Sequence[RecordChange]]
"""Decides the changes to all that is known of a person, on a day."""


class MemoryStore:
    """Facts and preferences; `person` is a contact's id, or the key of an address (`teller_key`)."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def recall(self, person: str, words: str, *, most: int) -> Sequence[Said]:
        """Return standing records with any of the words (see `words_to_find`); without words, the newest."""
        async with acquire(self._pool, doing="recalling what is known of a person") as connection:
            if words:
                rows = await connection.fetch(_SQL["recall"], person, words, most)
            else:
                rows = await connection.fetch(_SQL["known"], person, most)
        return [(record_of(row), row["recorded_at"]) for row in rows]

    async def episodes(self, person: str, words: str, *, most: int) -> Sequence[asyncpg.Record]:
        """Return the person's episodes with any of the words (see `words_to_find`), the newest first."""
        async with acquire(self._pool, doing="recalling what a person spoke of") as connection:
            rows: list[asyncpg.Record] = await connection.fetch(_SQL["recall_episodes"], person, words, most)
        return rows

    async def how_much(self, *, most: int) -> Sequence[Mapping[str, Any]]:
        """Return how much is known of whom, without its words: rows of facts, and rows of episodes."""
        async with acquire(self._pool, doing="counting what is known") as connection:
            known = await connection.fetch(_SQL["how_much_is_known"], most)
            spoken = await connection.fetch(_SQL["how_much_was_spoken"], most)
        return [dict(row) for row in (*known, *spoken)]

    async def remember(
        self, contact_id: UUID, draft: RecordDraft, *, order: UUID, who: str, through: str
    ) -> tuple[UUID, Learned]:
        """Store it once, by its order; return the record that says it, and what was decided."""
        person = str(contact_id)
        async with transaction(self._pool, doing="remembering what a person said") as connection:
            await connection.execute(_SQL["lock_person"], person)
            before = await connection.fetchrow(_SQL["told_by"], order)
            if before is not None:
                return before["record_id"], Learned(draft)
            found = learned(draft, await _known(connection, person))
            if found.known is not None and await is_made(connection, _change_id(order, found.known)):
                return found.known.record_id, Learned(None, found.known)
            changes = [RecordChange(one.record_id, one.version, "superseded") for one in found.supersedes]
            if found.known is not None:
                changes.append(confirmed(found.known, draft.occurred_on))
            await _make(connection, changes, order=order, who=who, through=through)
            record_id = uuid5(order, "memory") if found.known is None else found.known.record_id
            if found.known is None:
                kept = (order, record_id, fact_of(draft), through, who, contact_id)
                await connection.execute(_SQL["keep"], *kept)
        return record_id, found

    async def forget(
        self, person: str, ids: Sequence[UUID], *, order: UUID, who: str, through: str
    ) -> Sequence[UUID]:
        """Withdraw those that are this person's and stand; they are erased when their time is over."""
        async with transaction(self._pool, doing="forgetting what is known of a person") as connection:
            await connection.execute(_SQL["lock_person"], person)
            found = [row for row in await _known(connection, person) if row.record_id in ids]
            changes = [RecordChange(row.record_id, row.version, _FORGOTTEN) for row in found]
            await _make(connection, changes, order=order, who=who, through=through)
        return [row.record_id for row in found]

    async def change(
        self, person: str, decide: Decision, *, today: date, order: UUID, who: str, through: str
    ) -> int:
        """Change all that is known of a person as `decide` says; return how many records that changes."""
        async with transaction(self._pool, doing="consolidating what is known") as connection:
            await connection.execute(_SQL["lock_person"], person)
            changes = decide(await _known(connection, person), today)
            await _make(connection, changes, order=order, who=who, through=through)
            await reached_async(points.MEMORY_BEFORE_COMMIT, "merge")
        await reached_async(points.MEMORY_COMMITTED, "merge")
        return len(changes)

    async def erase(self, person: str) -> int:
        """Delete all that is known of a person, withdrawn or not, with former states, and the words of their sessions.

        Return how many rows went. Messages are folded into episodes before that or after it, never meanwhile.
        """
        async with transaction(self._pool, doing="erasing what a person spoke of") as connection:
            await connection.execute(_SQL["lock_person"], EVERYBODY)
            await connection.execute(_SQL["forget_unfolded"], person)
            gone = await _erased(connection, "erase_episodes", person)
            await reached_async(points.MEMORY_BEFORE_COMMIT, "erase")
        await reached_async(points.MEMORY_COMMITTED, "erase")
        async with acquire(self._pool, doing="erasing what is known of a person") as connection:
            gone += await _erased(connection, "erase_transcripts", person)
            return gone + await _erased(connection, "erase_records", person)


def words_to_find(query: str) -> str:
    """Return a query for PostgreSQL: any of the words, each as a prefix. Empty without words."""
    words = dict.fromkeys(_WORD.findall(query.lower()))
    return " | ".join(f"{word}:*" for word in list(words)[:20])


async def _erased(connection: Connection, query: str, person: str) -> int:
    gone = 0
    while batch := len(await connection.fetch(_SQL[query], person, _BATCH)):
        gone += batch
        if batch < _BATCH:
            break
    return gone


async def _known(connection: Connection, person: str) -> list[Record]:
    return [record_of(row) for row in await connection.fetch(_SQL["known"], person, MOST_KNOWN)]


async def _make(
    connection: Connection, changes: Sequence[RecordChange], *, order: UUID, who: str, through: str
) -> None:
    for change in changes:
        change_id = _change_id(order, change)
        # One that was made already was undone since: a repeated order changes nothing.
        if not await is_made(connection, change_id):
            await make_change(connection, change, change_id=change_id, who=who, through=through)


def _change_id(order: UUID, of: Record | RecordChange) -> UUID:
    """Return the id of an order's change to a record: it makes one at most, however often it comes."""
    return uuid5(order, str(of.record_id))
