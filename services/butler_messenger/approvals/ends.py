"""Ends a delivery that was held and is not sent."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from butler_contracts.errors import ErrorClass
from butler_contracts.stored import Unreadable
from butler_kit.db import Connection, NamedQueries
from butler_kit.telemetry import get_logger
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.states import Status

__all__ = ["ended_unsent"]

_log = get_logger(__name__)
_END_UNSENT: Final = NamedQueries("butler_messenger.sql", "delivery.sql")["end_unsent"]


async def ended_unsent(
    connection: Connection, delivery_id: UUID, error_class: ErrorClass, text: str
) -> Delivery | None:
    """Fail the delivery with `text` for the requester and return it; None if there is nobody to tell."""
    row = await connection.fetchrow(
        _END_UNSENT, delivery_id, Status.FAILED.value, 0, error_class.value, text, False
    )
    try:
        return Delivery.from_row(row) if row is not None else None
    except Unreadable as error:  # it has ended all the same, and blocks no other
        _log.warning("delivery_unreadable", delivery_id=str(delivery_id), problem=error.message)
        return None
