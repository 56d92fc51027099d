"""An approver pressed a button under the question that they were asked (D65, docs/adr/0072).

Invariants: only whom the question was put to decides by it, and only while they may approve; a press that comes again
has the answer of the first, and each is answered once. Who decided, why and when are one transaction with the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

from butler_contracts.actions import VerdictPressed, verdict_of
from butler_contracts.context import RequestContext
from butler_contracts.errors import NotFound, ValidationFailed
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.auth import Caller, trusted_caller
from butler_kit.db import NamedQueries, Pool, acquire, transaction
from butler_kit.operations import Order, Refused
from butler_messenger.admission.identity import chat_of_thread, normalised_identity
from butler_messenger.admission.limits import source_of
from butler_messenger.admission.notices import own_notice
from butler_messenger.admission.store import AdmissionStore, lane_for
from butler_messenger.approvals.approvers import Approvers
from butler_messenger.approvals.desk import ApprovalDesk
from butler_messenger.approvals.words import (
    NOT_YOURS,
    SUBJECT,
    UNKNOWN,
    answer_text,
    asked_of,
    recipient_of,
)
from butler_messenger.delivery.records import Row

__all__ = ["Pressing"]

_QUESTION: Final = NamedQueries("butler_messenger.sql", "approvals.sql")["question"]
_WHY: Final = "by the button under the question"
_ANSWER_EXPIRES_S: Final = 3600.0


class Pressing:
    """Answers presses that Switchboard routes here."""

    def __init__(
        self,
        pool: Pool,
        store: AdmissionStore,
        desk: ApprovalDesk,
        approvers: Approvers,
        *,
        own_name: str,
        trusted_callers: Sequence[str],
        offer: Callable[[UUID, str, str], object],
        new_id: Callable[[], UUID],
    ) -> None:
        self._pool = pool
        self._store = store
        self._desk = desk
        self._approvers = approvers
        self._own_name = own_name
        self._trusted_callers = trusted_callers
        self._offer = offer
        self._new_id = new_id

    async def answer(self, envelope: RouteEnvelopeV1, caller: Caller) -> dict[str, Any]:
        """Decide as was pressed and tell who pressed; the route's result. Raises `ValidationFailed`."""
        trusted_caller(caller, self._trusted_callers)
        if envelope.target.butler != self._own_name:
            raise ValidationFailed(f"target.butler is '{envelope.target.butler}'; this is '{self._own_name}'")
        pressed = verdict_of(envelope.pressed or "")
        if pressed is None:
            raise ValidationFailed("input.context.pressed is no verdict; nothing else can be pressed here")
        context = envelope.request_context
        text = await self._decided(pressed, context)
        await self._tell(context, text)
        return {"pressed": pressed.verdict, "said": text}

    async def _decided(self, pressed: VerdictPressed, context: RequestContext) -> str:
        """What who pressed is told."""
        channel = context.source_channel
        sender = normalised_identity(channel, context.source_sender_identity)
        async with acquire(self._pool, doing="reading a question") as connection:
            row = await connection.fetchrow(_QUESTION, pressed.question_id, channel, sender)
        asked = asked_of(row["idempotency_key"]) if row is not None else None
        if row is None or asked is None:
            return UNKNOWN
        delivery_id, contact_id = asked
        may = any(one.contact_id == contact_id for one in await self._approvers.all())
        if row["contact_id"] != contact_id or not may:
            return NOT_YOURS
        order = _order(pressed, delivery_id, row, context)
        try:
            await self._desk.decide(delivery_id, pressed.verdict, order, via=channel)
            found = await self._desk.inspect(delivery_id)
        except Refused as refused:
            return refused.message
        except NotFound:
            return UNKNOWN
        recipient = recipient_of(found["person"], found["channel"], found["target_identity"])
        return answer_text(pressed.verdict, recipient)

    async def _tell(self, context: RequestContext, text: str) -> None:
        channel = context.source_channel
        chat = chat_of_thread(channel, context.source_thread_identity or context.source_sender_identity)
        note = own_notice(
            delivery_id=self._new_id(),
            key=f"approval-answer:{context.request_id}",
            own_name=self._own_name,
            way=(channel, chat),
            subject=SUBJECT,
            message=text,
            expires_after_s=_ANSWER_EXPIRES_S,
            request_id=context.request_id,
            reply_to=context.source_message_identity,
        )
        async with transaction(self._pool, doing="answering a press") as connection:
            stored = await self._store.insert(connection, note)
        if stored is not None:
            self._offer(note.delivery_id, lane_for(note.intent), source_of(note.origin_butler, note.channel))


def _order(pressed: VerdictPressed, delivery_id: UUID, row: Row, context: RequestContext) -> Order:
    """The same press is the same order, however often it is routed here."""
    return Order(
        uid=f"press:{context.request_id}",
        action=f"approval.{pressed.verdict}",
        target=f"approval/{delivery_id}",
        reason=_WHY,
        actor=row["name"],
    )
