"""The durable side of admission: one transaction from the bounds to the queued row (MSG-7, MSG-12, MSR-05.1).

Invariant: a `delivery_requests` row that is to be delivered and its `delivery_work` row exist together or not
at all; one idempotency key has one row, whichever replica was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_messenger.admission.limits import channel_share, check_bounds
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.states import Status

__all__ = ["IDENTITY_SCOPE", "AdmissionStore", "NewDelivery", "lane_for"]

_QUERIES = NamedQueries("butler_messenger.sql", "admission.sql")
_FIND_BY_KEY: Final = _QUERIES["find_by_key"]
_FIND_BY_ID: Final = _QUERIES["find_by_id"]
_ADMIT_WITH_ROOM: Final = _QUERIES["admit_with_room"]
_LOCK: Final = _QUERIES["lock_admission"]
_BOUNDS: Final = _QUERIES["bounds"]
_HELD: Final = _QUERIES["count_held"]
_INSERT: Final = _QUERIES["insert_request"]
_DEAD_LETTERS = NamedQueries("butler_messenger.sql", "dead_letters.sql")
_LINK_REPLAY: Final = _DEAD_LETTERS["link_replay"]
_KEEP_RECEIPTS: Final = _DEAD_LETTERS["keep_receipts"]

_SPARE: Final = 64
"""Places that must be free for an admission that does not count exactly: more than are admitted at one moment."""

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
    topic: str | None = None
    """What is told within bounds (`owner/words.py`); None for everything else."""
    collected: bool = False
    """Whether it waits for a digest and is not delivered by itself."""


def lane_for(intent: str) -> str:
    """Replies and reactions go before other sends (MSG-8)."""
    return "send" if intent == "send" else "reply"


class AdmissionStore:
    """Reads and writes `delivery_requests` on behalf of admission."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def find(self, idempotency_key: str) -> Delivery | None:
        """The delivery of this key, whatever its state."""
        async with acquire(self._pool, doing="looking for a delivery") as connection:
            row = await connection.fetchrow(_FIND_BY_KEY, idempotency_key)
        return Delivery.from_row(row) if row else None

    async def get(self, delivery_id: UUID) -> Delivery | None:
        async with acquire(self._pool, doing="looking for a delivery") as connection:
            row = await connection.fetchrow(_FIND_BY_ID, delivery_id)
        return Delivery.from_row(row) if row else None

    async def is_known(self, connection: Connection, key: str) -> bool:
        """Whether the key has a delivery already; exact until the transaction ends."""
        await connection.execute(_LOCK)
        return await connection.fetchrow(_FIND_BY_KEY, key) is not None

    async def is_new(
        self, connection: Connection, *, key: str, channel: str, target: str | None, max_in_flight: int
    ) -> bool:
        """Whether the key is unknown; refuses a new one when too much is under way or the provider pauses.

        Exact until the transaction ends. A repeat is answered with what is stored, whatever the bounds say.
        """
        await connection.execute(_LOCK)
        bounds = await connection.fetchrow(_BOUNDS, key, channel, IDENTITY_SCOPE, target)
        if bounds is None or bounds["known"]:
            return False
        nearly_full = bounds["in_flight"] >= channel_share(max_in_flight)
        held = await connection.fetchval(_HELD, channel) if nearly_full else 0
        check_bounds(
            in_flight=bounds["in_flight"],
            max_in_flight=max_in_flight,
            held=held,
            throttled_for_s=bounds["throttled_for_s"],
            channel=channel,
            recipient_throttled_for_s=bounds["recipient_throttled_for_s"],
        )
        return True

    async def admit_with_room(self, new: NewDelivery, *, max_in_flight: int) -> Delivery | None:
        """Store and queue a new delivery while there is plenty of room; None when it has to be looked at closely."""
        scarce_from = channel_share(max_in_flight) - _SPARE
        if scarce_from <= 0:
            return None
        async with acquire(self._pool, doing="admitting a delivery") as connection:
            row = await connection.fetchrow(_ADMIT_WITH_ROOM, *_columns(new), scarce_from)
        return Delivery.from_row(row) if row is not None else None

    async def insert(self, connection: Connection, new: NewDelivery) -> Delivery | None:
        """Store and, if it is to be delivered, queue it; None when the key was taken meanwhile."""
        row = await connection.fetchrow(_INSERT, *_columns(new), new.topic, new.collected)
        return Delivery.from_row(row) if row is not None else None

    async def insert_replay(
        self, connection: Connection, new: NewDelivery, *, replay_of: UUID
    ) -> Delivery | None:
        """As `insert`, for a replay: it names its dead letter and has what the person has already."""
        stored = await self.insert(connection, new)
        if stored is not None:
            await connection.execute(_LINK_REPLAY, new.delivery_id, replay_of)
            await connection.execute(_KEEP_RECEIPTS, new.delivery_id, replay_of)
        return stored


def _columns(new: NewDelivery) -> tuple[Any, ...]:
    return (
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
        lane_for(new.intent),
    )
