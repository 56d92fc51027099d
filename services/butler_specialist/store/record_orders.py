"""An operator's orders on one record: decided on its locked row, each once (ADR 0042).

Invariants: a repeated order is answered and changes nothing; the former state names who ordered the change.
"""

from __future__ import annotations

import json
from typing import Any, Final
from uuid import UUID, uuid5

import asyncpg

from butler_contracts.errors import NotFound
from butler_contracts.record_orders import UNDO_HOURS, RecordOrder, RecordVerb
from butler_kit.db import Connection, NamedQueries, Pool, transaction
from butler_kit.operations import Order
from butler_specialist.changes.ordered import LastChange, decided
from butler_specialist.store.model import RecordChange
from butler_specialist.store.records import fact_of, record_of

__all__ = ["RecordOrders", "is_made", "make_change"]

_SQL: Final = NamedQueries("butler_specialist.sql", "orders.sql")
_ORDERS: Final = UUID("0199b2c4-6a10-7c3e-9d55-3f0f8f6b7a01")


class RecordOrders:
    """Orders on the records in the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def do(self, verb: RecordVerb, asked: RecordOrder, order: Order) -> dict[str, Any]:
        """Execute the order once; return the record's state.

        Raises `NotFound`, `Conflict`, `ValidationFailed`.
        """
        change_id = _change_id(verb, asked, order)
        async with transaction(self._pool, doing="changing a record") as connection:
            row = await connection.fetchrow(_SQL["lock"], asked.record_id)
            if row is None:
                raise NotFound("This record is not kept here, or no longer.")
            if not await is_made(connection, change_id):
                row = await _changed(connection, verb, asked, row, change_id=change_id, who=order.who)
        return {
            "record_id": str(row["record_id"]),
            "request_id": str(row["request_id"]),
            "version": row["version"],
            "withdrawn": row["withdrawn_at"] is not None,
        }


async def _changed(
    connection: Connection,
    verb: RecordVerb,
    asked: RecordOrder,
    row: asyncpg.Record,
    *,
    change_id: UUID,
    who: str,
) -> asyncpg.Record:
    last = await connection.fetchrow(_SQL["last_change"], asked.record_id, row["version"], UNDO_HOURS)
    change = decided(verb, asked, record_of(row), _last(last))
    made = await make_change(connection, change, change_id=change_id, who=who, through="operator")
    assert made is not None, "its row is locked"  # noqa: S101
    return made


async def is_made(connection: Connection, change_id: UUID) -> bool:
    """Return whether a change was made already."""
    return await connection.fetchval(_SQL["made"], change_id) is not None


async def make_change(
    connection: Connection, change: RecordChange, *, change_id: UUID, who: str, through: str
) -> asyncpg.Record | None:
    """Make a change that no message asked for; None if the record has changed since that was decided."""
    after = fact_of(change.after) if change.after is not None else None
    row: asyncpg.Record | None = await connection.fetchrow(
        _SQL["change"],
        change.record_id,
        change.version,
        after,
        change_id,
        change.cause,
        who,
        change.undoes,
        through,
    )
    return row


def _last(row: asyncpg.Record | None) -> LastChange | None:
    return None if row is None else LastChange(row["changed_by"], record_of(row), row["fresh"])


def _change_id(verb: RecordVerb, asked: RecordOrder, order: Order) -> UUID:
    """Return an id that is the same for the same order: its key, and all that it says."""
    said = json.dumps([order.uid, verb, asked.model_dump(mode="json")], sort_keys=True)
    return uuid5(_ORDERS, said)
