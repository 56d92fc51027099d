"""Handles the owner's press of a button under the note that a message may not have arrived (docs/adr/0108).

Invariants: nobody but an owner settles it; it is settled once, as by an operator's order, whose name is the owner's;
each press is answered once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.actions import Remedy, RemedyPressed
from butler_contracts.errors import NotFound
from butler_contracts.language import Language
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.operations import Order, Refused
from butler_messenger.admission.identity import normalised_identity
from butler_messenger.approvals.answering import Answering
from butler_messenger.approvals.words import NOT_YOURS, UNKNOWN
from butler_messenger.delivery.records import Row
from butler_messenger.locale import known_language, say
from butler_messenger.owner.words import remedy_text, uncertain_of, uncertain_subject

__all__ = ["Letters", "Remedies"]

_NOTE: Final = NamedQueries("butler_messenger.sql", "owner.sql")["note"]
_HOW: Final[dict[Remedy, str]] = {
    "resend": "by the button under the note: it is not there",
    "arrived": "by the button under the note: it arrived",
}
_ACTIONS: Final[dict[Remedy, str]] = {"resend": "delivery.replay", "arrived": "delivery.discard"}


class Letters(Protocol):
    """What an operator may do with a delivery that may not have arrived (`deadletters`)."""

    async def replay_delivery(self, delivery_id: UUID, order: Order) -> dict[str, Any]: ...
    async def discard_delivery(self, delivery_id: UUID, order: Order) -> dict[str, Any]: ...


class Remedies:
    """`letters` is asked for at each press."""

    def __init__(
        self, pool: Pool, letters: Callable[[], Letters], answering: Answering, *, language: Language
    ) -> None:
        self._pool = pool
        self._letters = letters
        self._answering = answering
        self._language = language

    async def answer(self, pressed: RemedyPressed, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        """Do what was pressed and answer the sender; return the route's result."""
        context = envelope.request_context
        sender = normalised_identity(context.source_channel, context.source_sender_identity)
        async with acquire(self._pool, doing="reading a note") as connection:
            row = await connection.fetchrow(_NOTE, pressed.note_id, context.source_channel, sender)
        language = known_language(row["language"] if row is not None else None, self._language)
        text = await self._settled(pressed.remedy, row, context.request_id, language)
        await self._answering.tell(context, text, subject=uncertain_subject(language))
        return {"pressed": pressed.remedy, "said": text}

    async def _settled(self, remedy: Remedy, row: Row | None, request_id: UUID, language: Language) -> str:
        delivery_id = uncertain_of(row["idempotency_key"]) if row is not None else None
        if row is None or delivery_id is None:
            return say(language, UNKNOWN)
        if row["role"] != "owner":
            return say(language, NOT_YOURS)
        order = Order(
            uid=f"press:{request_id}",
            action=_ACTIONS[remedy],
            target=f"delivery/{delivery_id}",
            reason=_HOW[remedy],
            actor=row["name"],
            params={"resend_uncertain": True} if remedy == "resend" else {},
        )
        try:
            await self._do(remedy, delivery_id, order)
        except Refused as refused:
            return say(language, "Nothing was changed: {reason}", reason=refused.message)
        except NotFound:
            return say(language, UNKNOWN)
        return remedy_text(language, remedy)

    async def _do(self, remedy: Remedy, delivery_id: UUID, order: Order) -> None:
        if remedy == "resend":
            await self._letters().replay_delivery(delivery_id, order)
        else:
            await self._letters().discard_delivery(delivery_id, order)
