"""The stored state of a request, read and added to on the caller's own connection (D12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import asyncpg

from butler_contracts.keys import subrequest_id
from butler_contracts.stored import Unreadable
from butler_kit.db import Connection, NamedQueries
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.model import Branch, Plan, RequestState, Subroute
from butler_switchboard.dispatch.records import plan_from_json, subroute_from_row
from butler_switchboard.ingress.store import message_from_row

__all__ = ["add_branches", "load_request"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/dispatch.sql")


async def load_request(connection: Connection, request_id: UUID) -> RequestState | None:
    """Return a request's state as this connection sees it, or None if it is gone. Raises `Unreadable`."""
    rows = await connection.fetch(_SQL["load_request"], request_id, uuid7_timestamp(request_id))
    if not rows:
        return None
    message = message_from_row(rows[0])
    try:
        plan, subroutes = _plan_of(rows), _subroutes_of(rows)
    except Unreadable:
        if message.final_state_at is None:
            raise
        plan, subroutes = None, ()  # it has ended: what can be read is enough to report it
    return RequestState(message, plan, subroutes)


def _plan_of(rows: Sequence[asyncpg.Record]) -> Plan | None:
    document = rows[0]["plan"]
    return plan_from_json(document) if document is not None else None


def _subroutes_of(rows: Sequence[asyncpg.Record]) -> tuple[Subroute, ...]:
    return tuple(subroute_from_row(dict(row)) for row in rows if row["subrequest_id"] is not None)


async def add_branches(connection: Connection, request_id: UUID, branches: Sequence[Branch]) -> None:
    """Add attempts; an existing one stays as it is (D12)."""
    await connection.execute(
        _SQL["add_subroutes"],
        request_id,
        uuid7_timestamp(request_id),
        [subrequest_id(request_id, item.segment_id, item.target, item.attempt) for item in branches],
        [item.segment_id for item in branches],
        [item.target for item in branches],
        [item.attempt for item in branches],
        [item.position for item in branches],
        [item.next_try_at for item in branches],
        [item.replay_of for item in branches],
        [item.rerouted_from for item in branches],
    )
