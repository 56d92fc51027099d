"""Reads deliveries for status queries (MSG-5.1.1, MSR-09)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_kit.db import NamedQueries, Pool, acquire, transaction
from butler_messenger.tracking.cursor import page_of, read_cursor
from butler_messenger.tracking.views import (
    attempt_view,
    delivery_view,
    latest_attempt_view,
    receipt_view,
    shown_status,
    trace_view,
)

__all__ = ["DeliveryReader", "SearchFilter", "UnknownDelivery", "unknown_delivery"]

_QUERIES = NamedQueries("butler_messenger.sql", "tracking.sql")
_STATUS: Final = _QUERIES["status"]
_PLAN_EACH_TIME: Final = _QUERIES["plan_each_time"]
_SEARCH: Final = _QUERIES["search"]
_ATTEMPTS: Final = _QUERIES["attempts"]
_RECEIPTS: Final = _QUERIES["receipts"]
_BY_REQUEST: Final = _QUERIES["by_request"]


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """The filters; None leaves a field open. `since` is inclusive, `until` not; `cursor` continues a page."""

    origin_butler: str | None = None
    channel: str | None = None
    intent: str | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    request_id: UUID | None = None
    cursor: str | None = None
    limit: int = 50


class DeliveryReader:
    """Answers queries about deliveries; an unknown id is a `ValidationFailed` that says so."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def status(self, delivery_id: UUID) -> dict[str, Any]:
        """Return state, times, latest attempt and receipts of one delivery (MSR-09.1)."""
        async with acquire(self._pool, doing="reading a delivery") as connection:
            row = await connection.fetchrow(_STATUS, delivery_id)
            if row is None:
                raise unknown_delivery(delivery_id)
            receipts = await connection.fetch(_RECEIPTS, [delivery_id])
        return {
            **delivery_view(row),
            "latest_attempt": latest_attempt_view(row),
            "receipts": [receipt_view(receipt) for receipt in receipts],
        }

    async def search(self, wanted: SearchFilter) -> dict[str, Any]:
        """Return a page, newest first; `next_cursor` is null on the last one (MSR-09.2)."""
        after = read_cursor(wanted.cursor)
        async with transaction(self._pool, doing="searching deliveries") as connection:
            await connection.execute(_PLAN_EACH_TIME)
            rows = await connection.fetch(
                _SEARCH,
                wanted.origin_butler,
                wanted.channel,
                wanted.intent,
                wanted.status,
                wanted.since,
                wanted.until,
                wanted.request_id,
                *after,
                wanted.limit + 1,
            )
        return page_of("deliveries", rows, delivery_view, limit=wanted.limit, own_id="delivery_id")

    async def attempts(self, delivery_id: UUID) -> dict[str, Any]:
        """Return every attempt, in order (MSR-09.3)."""
        async with acquire(self._pool, doing="reading attempts") as connection:
            row = await connection.fetchrow(_STATUS, delivery_id)
            if row is None:
                raise unknown_delivery(delivery_id)
            attempts = await connection.fetch(_ATTEMPTS, [delivery_id])
        return {
            "delivery_id": str(delivery_id),
            "status": shown_status(row),
            "attempts": [attempt_view(attempt) for attempt in attempts],
        }

    async def trace(self, request_id: UUID) -> dict[str, Any]:
        """Return every delivery of a request with its attempts and receipts, oldest first (MSR-09.4)."""
        async with acquire(self._pool, doing="tracing a request") as connection:
            rows = await connection.fetch(_BY_REQUEST, request_id)
            ids = [row["delivery_id"] for row in rows]
            attempts = await connection.fetch(_ATTEMPTS, ids)
            receipts = await connection.fetch(_RECEIPTS, ids)
        by_attempt, by_receipt = _grouped(attempts), _grouped(receipts)
        return {
            "request_id": str(request_id),
            "deliveries": [
                trace_view(row, by_attempt[row["delivery_id"]], by_receipt[row["delivery_id"]])
                for row in rows
            ],
        }


def _grouped(rows: list[Any]) -> defaultdict[UUID, list[Any]]:
    grouped: defaultdict[UUID, list[Any]] = defaultdict(list)
    for row in rows:
        grouped[row["delivery_id"]].append(row)
    return grouped


class UnknownDelivery(NotFound):
    """No such delivery, or it is no longer kept (HTTP 404)."""


def unknown_delivery(delivery_id: UUID) -> UnknownDelivery:
    return UnknownDelivery(f"no delivery {delivery_id}; look for it with messenger_delivery_search")
