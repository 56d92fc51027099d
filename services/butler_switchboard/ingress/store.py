"""Reads accepted messages back, one partition at a time (the UUIDv7 says which; SWB-02)."""

from __future__ import annotations

from uuid import UUID

import asyncpg

from butler_contracts.context import RequestContext
from butler_contracts.stored import stored
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.time import uuid7_timestamp
from butler_switchboard.ingress.message import InboxMessage

__all__ = ["InboxStore", "message_from_row"]

_SQL = NamedQueries("butler_switchboard", "sql/ingress.sql")


class InboxStore:
    """Messages by id."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def load(self, request_id: UUID) -> InboxMessage | None:
        """Return the message, or None when its partition is gone or the id was never accepted."""
        async with acquire(self._pool, doing="reading a message") as connection:
            record = await connection.fetchrow(_SQL["load_message"], request_id, uuid7_timestamp(request_id))
        if record is None:
            return None
        return message_from_row(record)


def message_from_row(record: asyncpg.Record) -> InboxMessage:
    """Read a row that has the columns of `load_message`. Raises `Unreadable`."""
    return InboxMessage(
        request_id=record["request_id"],
        context=stored(RequestContext, record["request_context"]),
        text=record["normalized_text"],
        envelope=record["raw_payload"],
        external_event_id=record["external_event_id"],
        supersedes=record["supersedes"],
        lifecycle_state=record["lifecycle_state"],
        final_state_at=record["final_state_at"],
        ended_by=record["ended_by"],
        reroutes=record["reroutes"],
    )
