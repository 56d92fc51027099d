"""Handles an approver's press of a button under a question, or their answer to its mail (docs/adr/0072, 0076).

Invariants: only the person who was asked can decide by a question, and only while they may approve; a repetition gets
the answer of the first, and each is answered once. Who decided, why and when are one transaction with the verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_contracts.actions import Verdict, verdict_of
from butler_contracts.context import RequestContext
from butler_contracts.errors import NotFound, ValidationFailed
from butler_contracts.language import Language
from butler_contracts.questions import answer_of
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.operations import Order, Refused
from butler_messenger.admission.identity import normalised_identity
from butler_messenger.approvals.answering import Answering
from butler_messenger.approvals.approvers import Approvers
from butler_messenger.approvals.call_words import call_answer_text, is_call, tool_of
from butler_messenger.approvals.desk import ApprovalDesk
from butler_messenger.approvals.request_words import is_request, request_answer_text
from butler_messenger.approvals.words import (
    HOW,
    NOT_YOURS,
    UNKNOWN,
    answer_text,
    asked_of,
    decided_text,
    subject_of,
)
from butler_messenger.approvals.written import verdict_in
from butler_messenger.delivery.records import Row
from butler_messenger.locale import known_language, say

__all__ = ["Pressing"]

_QUESTION: Final = NamedQueries("butler_messenger.sql", "approvals.sql")["question"]
_BY_BUTTON: Final = "by the button under the question"
_BY_MAIL: Final = "by mail, in answer to the question"


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer to a question and how it was given; `verdict` is None if the words are none."""

    question_id: UUID
    verdict: Verdict | None
    how: str


class Pressing:
    """Handles the presses and mail answers that Switchboard routes here."""

    def __init__(
        self,
        pool: Pool,
        desk: ApprovalDesk,
        approvers: Approvers,
        answering: Answering,
        *,
        language: Language,
    ) -> None:
        self._pool = pool
        self._desk = desk
        self._approvers = approvers
        self._answering = answering
        self._language = language

    async def answer(self, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        """Decide as the sender says and answer them; return the route's result. Raises `ValidationFailed`."""
        said, context = _said(envelope), envelope.request_context
        row = await self._asked(said, context)
        language = known_language(row["language"] if row is not None else None, self._language)
        text = await self._decided(said, context, row, language)
        await self._answering.tell(context, text, subject=subject_of(language, said.question_id))
        return {"pressed": said.verdict, "said": text}

    async def _asked(self, said: _Said, context: RequestContext) -> Row | None:
        """Return the question, with the contact who answers it."""
        channel = context.source_channel
        sender = normalised_identity(channel, context.source_sender_identity)
        async with acquire(self._pool, doing="reading a question") as connection:
            row: Row | None = await connection.fetchrow(_QUESTION, said.question_id, channel, sender)
        return row

    async def _decided(
        self, said: _Said, context: RequestContext, row: Row | None, language: Language
    ) -> str:
        """Decide, and return the text for the sender."""
        asked = asked_of(row["idempotency_key"]) if row is not None else None
        if row is None or asked is None:
            return say(language, UNKNOWN)
        delivery_id, contact_id = asked
        may = any(one.contact_id == contact_id for one in await self._approvers.all())
        if row["contact_id"] != contact_id or not may:
            return say(language, NOT_YOURS)
        order = _order(said, delivery_id, row, context)
        try:
            return await self._verdict(delivery_id, said.verdict, order, context.source_channel, language)
        except NotFound:
            return say(language, UNKNOWN)

    async def _verdict(
        self, delivery_id: UUID, verdict: Verdict | None, order: Order, channel: str, language: Language
    ) -> str:
        if verdict is None:
            row = await self._desk.found(delivery_id)
            return say(language, HOW) if row["decision"] is None else decided_text(language, row)
        try:
            await self._desk.decide(delivery_id, verdict, order, via=channel)
        except Refused:
            return decided_text(language, await self._desk.found(delivery_id))
        row = await self._desk.found(delivery_id)
        if is_request(row):
            return request_answer_text(language, verdict, row)
        if is_call(row):
            return call_answer_text(language, verdict, tool_of(row))
        return answer_text(language, verdict, row)


def _said(envelope: RouteEnvelopeV1) -> _Said:
    action = envelope.pressed or ""
    pressed, written = verdict_of(action), answer_of(action)
    if pressed is not None:
        return _Said(pressed.question_id, pressed.verdict, _BY_BUTTON)
    if written is None:
        raise ValidationFailed("input.context.pressed is no verdict; nothing else can be pressed here")
    if envelope.request_context.reply_policy != "allow":
        raise ValidationFailed(
            "request_context.reply_policy is not 'allow': whose words these are is not proven"
        )
    return _Said(written.question_id, verdict_in(envelope.input.prompt), _BY_MAIL)


def _order(said: _Said, delivery_id: UUID, row: Row, context: RequestContext) -> Order:
    """Return the order; the same press or mail makes the same order, however often it is routed here."""
    return Order(
        uid=f"press:{context.request_id}",
        action=f"approval.{said.verdict}",
        target=f"approval/{delivery_id}",
        reason=said.how,
        actor=row["name"],
    )
