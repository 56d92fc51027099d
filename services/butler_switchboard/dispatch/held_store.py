"""What became of what plans hold, in PostgreSQL: whom was asked, and the one word about it (ADR 0124).

Invariant: of any number of words, by a verdict or by who wrote the message, the first counts; with a yes the parts
join the plan and have their first attempts in the same statement.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from butler_contracts.keys import subrequest_id
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.held import branches_of
from butler_switchboard.dispatch.model import Held, RequestState, Word
from butler_switchboard.dispatch.state import load_request

__all__ = ["HeldStore"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/held.sql")


class HeldStore:
    """Reads and adds to committed plans."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def load(self, request_id: UUID) -> RequestState | None:
        async with acquire(self._pool, doing="reading a held request") as connection:
            return await load_request(connection, request_id)

    async def note_asked(self, request_id: UUID, asked: Held, told: str) -> None:
        """Record who is asked until when; on the channels that read answers here, `told` is what is read for now."""
        until = asked.until.isoformat() if asked.until is not None else None
        noted: dict[str, Any] = {"asked": list(asked.asked or ()), "until": until}
        async with acquire(self._pool, doing="recording who is asked") as connection:
            await connection.execute(_SQL["note_asked"], request_id, uuid7_timestamp(request_id), noted, told)

    async def settle(self, request_id: UUID, word: Word, said_by: str | None) -> bool:
        """Record a word that gives nothing to a butler; False if there was one before, or nothing is held."""
        async with acquire(self._pool, doing="recording a word") as connection:
            settled = await connection.fetchval(_SQL["settle"], request_id, word.value, said_by)
        return settled is not None

    async def release(self, request_id: UUID, held: Held, said_by: str | None) -> bool:
        """Give what is held to its butlers; False if there was a word before, or the request has ended."""
        first = branches_of(held)
        async with acquire(self._pool, doing="releasing what was held") as connection:
            released: bool = await connection.fetchval(
                _SQL["release"],
                request_id,
                uuid7_timestamp(request_id),
                said_by,
                [subrequest_id(request_id, item.segment_id, item.target, item.attempt) for item in first],
                [item.segment_id for item in first],
                [item.target for item in first],
                [item.position for item in first],
            )
        return released
