"""The durable side of admission: one transaction from the bounds to the queued row (MSG-7, MSG-12, MSR-05.1).

Invariant: a `delivery_requests` row that is to be delivered and its `delivery_work` row exist together or not
at all; one idempotency key has one row, whichever replica was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.queue import LeasedQueue
from butler_messenger.admission.limits import channel_share, check_bounds
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.states import Status

__all__ = ["IDENTITY_SCOPE", "AdmissionStore", "NewDelivery", "lane_for"]

_QUERIES = NamedQueries("butler_messenger.sql", "admission.sql")
_FIND_BY_KEY: Final = _QUERIES["find_by_key"]
_FIND_BY_ID: Final = _QUERIES["find_by_id"]
_LOCK: Final = _QUERIES["lock_admission"]
_IN_FLIGHT: Final = _QUERIES["count_in_flight"]
_HELD: Final = _QUERIES["count_held"]
_THROTTLED: Final = _QUERIES["throttled_for_s"]
_INSERT: Final = _QUERIES["insert_request"]

IDENTITY_SCOPE: Final = "bot"
"""User scopes are off (D48)."""


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A delivery that is to be stored; `route_context` is None for one that nobody has to be told of."""

    delivery_id: UUID
    idempotency_key: str
    request_id: UUID | None
    subrequest_id: UUID | None
    origin_butler: str
    intent: str
    channel: str
    contact_id: UUID | None
    target_identity: str | None
    thread_identity: str | None
    reply_to: str | None
    notify_request: dict[str, Any]
    route_context: dict[str, Any] | None
    status: Status
    expires_after_s: float


def lane_for(intent: str) -> str:
    """Replies and reactions go before other sends (MSG-8)."""
    return "send" if intent == "send" else "reply"


class AdmissionStore:
    """Reads and writes `delivery_requests` on behalf of admission."""

    def __init__(self, pool: Pool, queue: LeasedQueue) -> None:
        self._pool = pool
        self._queue = queue

    async def find(self, idempotency_key: str) -> Delivery | None:
        """The delivery of this key, whatever its state."""
        async with acquire(self._pool, doing="looking for a delivery") as connection:
            row = await connection.fetchrow(_FIND_BY_KEY, idempotency_key)
        return Delivery.from_row(row) if row else None

    async def get(self, delivery_id: UUID) -> Delivery | None:
        async with acquire(self._pool, doing="looking for a delivery") as connection:
            row = await connection.fetchrow(_FIND_BY_ID, delivery_id)
        return Delivery.from_row(row) if row else None

    async def check_bounds(self, connection: Connection, *, channel: str, max_in_flight: int) -> None:
        """Refuse when too much is under way or the provider pauses; exact until the transaction ends."""
        await connection.execute(_LOCK)
        throttled_for_s = await connection.fetchval(_THROTTLED, channel, IDENTITY_SCOPE)
        in_flight = await connection.fetchval(_IN_FLIGHT)
        nearly_full = in_flight >= channel_share(max_in_flight)
        held = await connection.fetchval(_HELD, channel) if nearly_full else 0
        check_bounds(
            in_flight=in_flight,
            max_in_flight=max_in_flight,
            held=held,
            throttled_for_s=throttled_for_s,
            channel=channel,
        )

    async def insert(self, connection: Connection, new: NewDelivery) -> Delivery | None:
        """Store and, if it is to be delivered, queue it; None when the key was taken meanwhile."""
        row = await connection.fetchrow(
            _INSERT,
            new.delivery_id,
            new.idempotency_key,
            new.request_id,
            new.subrequest_id,
            new.origin_butler,
            new.intent,
            new.channel,
            IDENTITY_SCOPE,
            new.contact_id,
            new.target_identity,
            new.thread_identity,
            new.reply_to,
            new.notify_request,
            new.route_context,
            new.status.value,
            new.expires_after_s,
        )
        if row is None:
            return None
        if new.status is Status.PENDING:
            await self._queue.enqueue(
                connection,
                item_id=new.delivery_id,
                lane=lane_for(new.intent),
                source=new.origin_butler,
                thread_key=new.thread_identity,
            )
        return Delivery.from_row(row)
