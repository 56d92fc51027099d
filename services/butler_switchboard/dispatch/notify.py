"""Carries `notify.v1` intents to Messenger (SWB-11.3, MSG-4, D18, D19, D22).

Invariants: the origin is the authenticated caller; the request context is the stored one, never the caller's copy, so
neither origin nor reply policy can be forged; a repeat of the same intent is the same subrequest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_contracts.errors import ButlerError, ErrorDetail, ValidationFailed
from butler_contracts.ingest import SourceChannel
from butler_contracts.notify import NotifyRequestV1, NotifyResponseContext, NotifyResponseV1
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.route import (
    LineageV1,
    RouteContextV1,
    RouteEnvelopeV1,
    RouteInputV1,
    RouteResponseV1,
    SubrequestV1,
    TargetV1,
)
from butler_kit.auth import Caller, Forbidden
from butler_kit.faults import points, reached_async
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.answers import Answers
from butler_switchboard.dispatch.lifecycle import CANCELLED, MESSENGER
from butler_switchboard.dispatch.notifications import Notification, Notifications, notification_id
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.ingress.store import InboxStore

__all__ = ["Notifier"]

NOTIFY_TIMEOUT_S: Final = 5.0
"""`notify()` answers after at most this long; a delivery still under way is `queued` (D18)."""

_PROMPT: Final = "Execute outbound delivery request through Messenger."


class Notifier:
    """The `notify` tool for butlers, and Switchboard's own way to say something."""

    def __init__(
        self,
        *,
        inbox: InboxStore,
        notifications: Notifications,
        targets: Targets,
        new_id: Callable[[], UUID],
        answers: Answers,
    ) -> None:
        self._inbox = inbox
        self._notifications = notifications
        self._targets = targets
        self._new_id = new_id
        self._answers = answers

    async def notify(self, caller: Caller, document: dict[str, Any]) -> NotifyResponseV1:
        """Serve a butler's intent. Raises `Forbidden` for a foreign origin, `ValidationFailed` for a bad intent."""
        request = parse(NotifyRequestV1, document)
        if request.origin_butler != caller.name:
            raise Forbidden(f"origin_butler '{request.origin_butler}' is not '{caller.subject}', who asks")
        request = await self._with_stored_context(request)
        _check_answerable(request)
        answer = await self._answers.of(request)
        return await self.send(answer.request, purpose="answer", alone=answer.alone)

    async def send(self, request: NotifyRequestV1, *, purpose: str, alone: bool = False) -> NotifyResponseV1:
        """Send one intent to Messenger; its refusal or absence is a typed error in the response."""
        identifier = notification_id(request, purpose=purpose)
        context = request.request_context
        request_id = context.request_id if context else None
        await self._notifications.open(Notification(identifier, request_id, purpose, request))
        await reached_async(points.NOTIFY_OPENED, request.delivery.channel)
        try:
            response = await self._deliver(request, identifier, alone=alone)
        except ButlerError as failure:
            detail = failure.to_detail()
            await self._notifications.failed(identifier, detail)
            return _failed(request_id, detail)
        await reached_async(points.NOTIFY_ANSWERED, request.delivery.channel)
        await self._notifications.answered(identifier, response)
        await reached_async(points.NOTIFY_RECORDED, request.delivery.channel)
        return response

    async def hands_over(self, request_id: UUID) -> bool:
        """Return whether a butler's message for this request is on its way to Messenger at this moment."""
        return await self._notifications.unanswered(request_id)

    async def react(self, request: NotifyRequestV1) -> NotifyResponseV1:
        """Send a reaction to Messenger: best effort, no record of its own (D20)."""
        identifier = notification_id(request, purpose="reaction")
        try:
            return await self._deliver(request, identifier)
        except ButlerError as failure:
            context = request.request_context
            return _failed(context.request_id if context else None, failure.to_detail())

    async def _deliver(
        self, request: NotifyRequestV1, identifier: UUID, *, alone: bool = False
    ) -> NotifyResponseV1:
        envelope = self._envelope(request, identifier, alone=alone)
        document = await self._targets.execute(
            envelope, timeout_s=NOTIFY_TIMEOUT_S, origin=request.origin_butler
        )
        response = parse(RouteResponseV1, document)
        if response.error is not None:
            raise ButlerError.from_detail(response.error)
        wrapped = response.notify_response()
        if wrapped is None:
            raise ValidationFailed("messenger answered without result.notify_response")
        return wrapped

    def _envelope(self, request: NotifyRequestV1, identifier: UUID, *, alone: bool) -> RouteEnvelopeV1:
        lineage = LineageV1(origin_butler=request.origin_butler, alone=True if alone else None)
        return RouteEnvelopeV1(
            request_context=request.request_context or self._own_context(),
            subrequest=SubrequestV1(subrequest_id=identifier, segment_id="notify"),
            target=TargetV1(butler=MESSENGER),
            input=RouteInputV1(
                prompt=_PROMPT,
                context=RouteContextV1(notify_request=request, lineage=lineage),
            ),
        )

    def _own_context(self) -> RequestContext:
        """Return the root context of an intent that no request caused (D1)."""
        request_id = self._new_id()
        return RequestContext(
            request_id=request_id,
            received_at=uuid7_timestamp(request_id),
            source_channel=SourceChannel.MCP,
            source_endpoint_identity="switchboard",
            source_sender_identity="switchboard",
        )

    async def _with_stored_context(self, request: NotifyRequestV1) -> NotifyRequestV1:
        if request.request_context is None:
            return request
        message = await self._inbox.load(request.request_context.request_id)
        if message is None:
            raise ValidationFailed(
                f"request_context.request_id: {request.request_context.request_id} is not known; expected one that is"
            )
        if message.lifecycle_state == CANCELLED:
            raise ValidationFailed(
                f"request_context.request_id: {message.request_id} was cancelled by an operator; expected one that is "
                "under way, so nothing is sent"
            )
        try:
            return parse(
                NotifyRequestV1, {**request.to_wire(), "request_context": message.context_of_answer.to_wire()}
            )
        except ContractViolation as violation:
            raise ValidationFailed(f"the intent does not fit its request: {violation.message}") from violation


def _check_answerable(request: NotifyRequestV1) -> None:
    """Refuse to answer a sender that the household does not answer, whatever the butler got (D22, D23)."""
    context, intent = request.request_context, request.delivery.intent
    if intent != "send" and context is not None and context.reply_policy != "allow":
        raise ValidationFailed(
            f"delivery.intent: '{intent}' to a sender who is not answered (reply_policy "
            f"'{context.reply_policy}'); expected 'send' to the owner, or nothing"
        )


def _failed(request_id: UUID | None, error: ErrorDetail) -> NotifyResponseV1:
    return NotifyResponseV1(
        request_context=NotifyResponseContext(request_id=request_id) if request_id else None,
        status="error",
        error=error,
    )
