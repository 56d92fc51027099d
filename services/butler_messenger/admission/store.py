"""The durable side of admission: one statement from the limits to the queued row (MSG-7, MSG-12, MSR-05).

Invariant: a `delivery_requests` row to be delivered, its `delivery_work` row and its use of budgets exist together or
not at all; one idempotency key has one row, whichever replica was called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ButlerError, InternalFailure
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_messenger.admission.limits import (
    WINDOW_S,
    AdmissionLimits,
    Demand,
    Standing,
    channel_share,
    cost_of,
    demands,
    refusal,
)
from butler_messenger.attachments.decisions import Without
from butler_messenger.delivery.records import Delivery, Row
from butler_messenger.delivery.states import Status
from butler_messenger.quiet.keeping import QuietTimes

__all__ = ["IDENTITY_SCOPE", "AdmissionStore", "NewDelivery", "demands_of", "lane_for"]

_QUERIES = NamedQueries("butler_messenger.sql", "admission.sql")
_FIND_BY_KEY: Final = _QUERIES["find_by_key"]
_FIND_BY_CALL: Final = _QUERIES["find_by_call"]
_FIND_BY_ID: Final = _QUERIES["find_by_id"]
_ADMIT: Final = _QUERIES["admit"]
_LOCK: Final = _QUERIES["lock_admission"]
_INSERT: Final = _QUERIES["insert_request"]
_DEAD_LETTERS = NamedQueries("butler_messenger.sql", "dead_letters.sql")
_LINK_REPLAY: Final = _DEAD_LETTERS["link_replay"]
_KEEP_RECEIPTS: Final = _DEAD_LETTERS["keep_receipts"]

_SPARE: Final = 64
"""The spare room that an inexact admission must leave: more than are admitted at one moment."""

_NEVER: Final = 2**48
"""Like `_SPARE`, but never available, so that only the state is returned."""

IDENTITY_SCOPE: Final = "bot"
"""User scopes are off (D48)."""


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A delivery to store; `route_context` is None if the outcome is reported to nobody."""

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
    """The topic of a message limited by the owner's window (`owner/words.py`); None for all others."""
    collected: bool = False
    """Whether it waits for a digest and is not delivered on its own."""

    @property
    def marked(self) -> bool:
        """Whether its text says which butler speaks."""
        return not (self.route_context or {}).get("unmarked")

    @property
    def unsubscribe_token(self) -> None:
        """The database makes it when it stores the delivery."""

    @property
    def not_attached(self) -> Mapping[int, Without]:
        """Empty: nothing is decided about its files before it is delivered."""
        return {}


def lane_for(intent: str) -> str:
    """Replies and reactions go before other sends (MSG-8)."""
    return "send" if intent == "send" else "reply"


class AdmissionStore:
    """Reads and writes `delivery_requests` on behalf of admission; without `quiet` nobody has quiet hours."""

    def __init__(self, pool: Pool, quiet: QuietTimes | None = None) -> None:
        self._pool = pool
        self._quiet = quiet

    async def find(self, idempotency_key: str) -> Delivery | None:
        """The delivery of this key, whatever its state."""
        async with acquire(self._pool, doing="looking for a delivery") as connection:
            row = await connection.fetchrow(_FIND_BY_KEY, idempotency_key)
        return Delivery.from_row(row) if row else None

    async def of_call(self, new: NewDelivery) -> Delivery | None:
        """The delivery of the same call to a contact, who may have had another identifier then, or none."""
        if new.contact_id is None or new.request_id is None:
            return None
        call = (new.request_id, new.subrequest_id, new.origin_butler, new.intent, new.channel)
        async with acquire(self._pool, doing="looking for a delivery") as connection:
            row = await connection.fetchrow(_FIND_BY_CALL, *call)
        return Delivery.from_row(row) if row else None

    async def get(self, delivery_id: UUID) -> Delivery | None:
        async with acquire(self._pool, doing="looking for a delivery") as connection:
            row = await connection.fetchrow(_FIND_BY_ID, delivery_id)
        return Delivery.from_row(row) if row else None

    async def one_at_a_time(self, connection: Connection) -> None:
        """Wait until no other delivery is being admitted anywhere, and keep it so until the transaction ends."""
        await connection.execute(_LOCK)

    async def is_known(self, connection: Connection, key: str) -> bool:
        """Whether the key has a delivery already; exact until the transaction ends."""
        await self.one_at_a_time(connection)
        return await connection.fetchrow(_FIND_BY_KEY, key) is not None

    async def admit(self, new: NewDelivery, limits: AdmissionLimits) -> Delivery | None:
        """Store and queue a new delivery; None if its key is known, whatever the limits.

        Raises `TargetUnavailable` or `OverloadRejected` if the caller has to retry; nothing was written then.
        """
        async with acquire(self._pool, doing="admitting a delivery") as connection:
            seen = await _admitted(connection, new, limits, spare=_SPARE)
        if seen.known or seen.stored is not None:
            return seen.stored
        if seen.refused is not None:
            raise seen.refused
        async with transaction(self._pool, doing="admitting a delivery") as connection:
            return await self.admit_exactly(connection, new, limits)

    async def admit_exactly(
        self, connection: Connection, new: NewDelivery, limits: AdmissionLimits
    ) -> Delivery | None:
        """Like `admit`, in the caller's transaction, while no other delivery is admitted anywhere."""
        await self.one_at_a_time(connection)
        seen = await _admitted(connection, new, limits, spare=0)
        if seen.known or seen.stored is not None:
            return seen.stored
        raise seen.refused or InternalFailure("a delivery was neither stored nor refused")

    async def outlook(self, new: NewDelivery, limits: AdmissionLimits) -> ButlerError | None:
        """Return the refusal that `admit` would raise now, from the same statement; writes nothing."""
        async with acquire(self._pool, doing="asking whether a delivery would be admitted") as connection:
            return (await _admitted(connection, new, limits, spare=_NEVER)).refused

    async def insert(self, connection: Connection, new: NewDelivery) -> Delivery | None:
        """Store and, if it is to be delivered, queue it outside all limits; None if the key was taken meanwhile.

        During quiet hours it waits for their end instead.
        """
        until = await self._quiet_until(connection, new)
        row = await connection.fetchrow(_INSERT, *_columns(new), new.topic, new.collected, until)
        return Delivery.from_row(row) if row is not None else None

    async def keep(self, connection: Connection, new: NewDelivery) -> Delivery | None:
        """Store a delivery until quiet hours end; None if its key is known. Raises `OverloadRejected`."""
        if await self.is_known(connection, new.idempotency_key):
            return None
        if self._quiet is not None:
            await self._quiet.check_room(connection)
        return await self.insert(connection, new)

    async def _quiet_until(self, connection: Connection, new: NewDelivery) -> datetime | None:
        if self._quiet is None or new.status is not Status.PENDING or new.collected:
            return None
        return await self._quiet.until(connection, new)

    async def admit_replay(
        self, connection: Connection, new: NewDelivery, limits: AdmissionLimits, *, replay_of: UUID
    ) -> Delivery | None:
        """Like `admit_exactly`, for a replay: link its dead letter and keep the receipts already there."""
        stored = await self.admit_exactly(connection, new, limits)
        if stored is not None:
            await connection.execute(_LINK_REPLAY, new.delivery_id, replay_of)
            await connection.execute(_KEEP_RECEIPTS, new.delivery_id, replay_of)
        return stored


@dataclass(frozen=True, slots=True)
class _Seen:
    """The outcome of one lookup; at most one field is set."""

    known: bool
    stored: Delivery | None
    refused: ButlerError | None


def demands_of(new: NewDelivery, limits: AdmissionLimits) -> tuple[Demand, ...]:
    """Return the budgets that it uses. Pure."""
    return demands(
        limits.rates,
        intent=new.intent,
        account=f"{new.channel}.{IDENTITY_SCOPE}",
        channel=new.channel,
        origin_butler=new.origin_butler,
        recipient=new.target_identity or f"contact:{new.contact_id}",
        thread=new.thread_identity,
        urgent=new.notify_request["delivery"].get("urgency") == "high",
    )


async def _admitted(
    connection: Connection, new: NewDelivery, limits: AdmissionLimits, *, spare: int
) -> _Seen:
    needed = demands_of(new, limits)
    row = await connection.fetchrow(
        _ADMIT,
        *_columns(new),
        new.topic,
        [one.key for one in needed],
        [one.most for one in needed],
        [one.sends_at_most for one in needed],
        cost_of(new.intent, limits.rates),
        WINDOW_S,
        limits.max_in_flight,
        channel_share(limits.max_in_flight),
        spare,
    )
    if row is None:
        raise InternalFailure("an admission was decided and nothing said so")
    stored = Delivery.from_row(row) if row["delivery_id"] is not None else None
    if stored is not None or row["known"]:
        return _Seen(row["known"], stored, None)
    return _Seen(False, None, refusal(_standing(row), limits, intent=new.intent, channel=new.channel))


def _standing(row: Row) -> Standing:
    return Standing(
        ahead=row["ahead"],
        own=row["own"],
        held=row["held"],
        throttled_for_s=row["throttled_for_s"],
        recipient_throttled_for_s=row["recipient_throttled_for_s"],
        circuit_open_for_s=row["circuit_open_for_s"],
        circuit_tripped_by=row["circuit_tripped_by"],
        lacking=tuple(row["lacking"] or ()),
        room_in_s=row["room_in_s"],
    )


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
