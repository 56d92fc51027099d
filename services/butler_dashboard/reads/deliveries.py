"""Deliveries: recent ones first, and one with every attempt and receipt (MSR-09)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_dashboard.reads.delivery_models import (
    Attachment,
    Attempt,
    DeliveryDetail,
    DeliveryError,
    DeliveryFigures,
    DeliveryList,
    DeliverySummary,
    Receipt,
    Suppression,
)
from butler_dashboard.reads.level_models import ChannelLevel
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import SCANNED_MAX
from butler_dashboard.reads.reader import Reader
from butler_dashboard.reads.scan import Walk, scan
from butler_kit.db import Connection, NamedQueries

__all__ = [
    "DeliveryFilter",
    "UnknownDelivery",
    "deliveries_of",
    "delivery_detail",
    "delivery_figures",
    "files_of",
    "list_deliveries",
    "suppressions",
]

_SQL: Final = NamedQueries("butler_dashboard", "sql/deliveries.sql")
_SUPPRESSION_NAMES: Final = tuple(Suppression.model_fields)
_MOST_SUPPRESSIONS: Final = 200
_MADE: Final = ("error", "attachments")
_FAILED: Final = frozenset({"failed", "bounced", "uncertain", "dead_lettered"})


class UnknownDelivery(NotFound):
    """No such delivery, or it is no longer kept (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class DeliveryFilter:
    """What to look for; None leaves a field open. `since` is inclusive, `until` exclusive.

    `but_intent` leaves out one intent.
    """

    status: str | None = None
    channel: str | None = None
    origin_butler: str | None = None
    intent: str | None = None
    but_intent: str | None = None
    since: datetime | None = None
    until: datetime | None = None


async def list_deliveries(
    reader: Reader,
    wanted: DeliveryFilter,
    *,
    limit: int,
    cursor: str | None = None,
    scanned_max: int = SCANNED_MAX,
) -> DeliveryList:
    """Return one page of deliveries by admission time, newest first."""
    # Failed deliveries are few and have an index of their own.
    failed = "_failed" if wanted.status in _FAILED else ""
    rows, following = await scan(
        reader,
        _SQL,
        failed,
        (wanted.status, wanted.channel, wanted.origin_butler, wanted.intent, wanted.but_intent),
        Walk(wanted.since, wanted.until, cursor, limit, scanned_max),
        key=("created_at", "delivery_id"),
        doing="listing deliveries",
    )
    return DeliveryList(deliveries=tuple(DeliverySummary(**_summary(row)) for row in rows), next=following)


async def delivery_figures(reader: Reader) -> DeliveryFigures:
    """Return the figures of the last day's deliveries."""
    async with reader.connection("counting deliveries") as connection:
        [row] = await connection.fetch(_SQL["figures"])
        levels = await connection.fetch(_SQL["levels"])
    return DeliveryFigures(**row, levels=tuple(ChannelLevel(**level) for level in levels))


async def delivery_detail(reader: Reader, delivery_id: UUID) -> DeliveryDetail:
    """Return one delivery with its attempts and receipts. Raises `UnknownDelivery`."""
    async with reader.moment("reading a delivery") as connection:
        row = await connection.fetchrow(_SQL["one"], delivery_id)
        if row is None:
            raise UnknownDelivery(f"delivery {delivery_id} is not known, or no longer kept")
        (found,) = await _details(connection, [row])
    return found


async def deliveries_of(connection: Connection, request_id: UUID) -> tuple[DeliveryDetail, ...]:
    """Return every delivery of a request, oldest first."""
    return await _details(connection, await connection.fetch(_SQL["of_request"], request_id))


async def _details(connection: Connection, rows: Sequence[Row]) -> tuple[DeliveryDetail, ...]:
    ids = [row["delivery_id"] for row in rows]
    attempts: defaultdict[UUID, list[Attempt]] = defaultdict(list)
    receipts: defaultdict[UUID, list[Receipt]] = defaultdict(list)
    if ids:
        for row in await connection.fetch(_SQL["attempts"], ids):
            attempts[row["delivery_id"]].append(Attempt(**_of(row, Attempt)))
        for row in await connection.fetch(_SQL["receipts"], ids):
            receipts[row["delivery_id"]].append(Receipt(**_of(row, Receipt)))
    return tuple(
        DeliveryDetail(
            **_summary(row),
            attempts=tuple(attempts[row["delivery_id"]]),
            receipts=tuple(receipts[row["delivery_id"]]),
        )
        for row in rows
    )


def _summary(row: Row) -> dict[str, Any]:
    shown = {name: row[name] for name in DeliverySummary.model_fields if name not in _MADE}
    return {**shown, "error": _error(row), "attachments": files_of(row)}


def files_of(row: Row) -> tuple[Attachment, ...]:
    """Return the files of a message; a view of the previous release has none."""
    found = row["attachments"] if "attachments" in row.keys() else None  # noqa: SIM118 - a record has no names
    return tuple(Attachment(**file) for file in found or ())


def _error(row: Row) -> DeliveryError | None:
    if row["error_class"] is None:
        return None
    return DeliveryError(
        error_class=row["error_class"], message=row["error_message"], retryable=row["error_retryable"]
    )


def _of(row: Row, model: type[Attempt] | type[Receipt]) -> dict[str, Any]:
    return {name: row[name] for name in model.model_fields}


async def suppressions(reader: Reader) -> tuple[Suppression, ...]:
    """Return the suppressions in force (recipients not written to unasked), newest first."""
    async with reader.connection("listing suppressions") as connection:
        rows = await connection.fetch(_SQL["suppressions"], _MOST_SUPPRESSIONS)
    return tuple(Suppression(**{name: row[name] for name in _SUPPRESSION_NAMES}) for row in rows)
