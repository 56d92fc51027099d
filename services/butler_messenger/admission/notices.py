"""PURE: a message from Messenger itself to someone in the household, as an ordinary delivery (D49)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from butler_contracts.actions import ActionV1
from butler_messenger.admission.identity import deliverable_identity
from butler_messenger.admission.resolve import thread_key
from butler_messenger.admission.store import NewDelivery
from butler_messenger.delivery.states import Status

__all__ = ["own_notice"]


def own_notice(
    *,
    delivery_id: UUID,
    key: str,
    own_name: str,
    way: tuple[str, str],
    subject: str,
    message: str,
    expires_after_s: float,
    request_id: UUID | None = None,
    topic: str | None = None,
    actions: Sequence[ActionV1] = (),
    urgent: bool = False,
    reply_to: str | None = None,
) -> NewDelivery:
    """`way` is the channel and the person's value on it, `reply_to` the message that it answers there.

    An `urgent` notice does not wait for the end of quiet hours.

    The outcome is reported to nobody, since nobody requested the notice. The stored notify is a send to `way`, by which
    a replay finds the person; it has no request that it could be a reply to.
    """
    intent = "reply" if reply_to is not None else "send"
    channel, value = way
    target = deliverable_identity(channel, value)
    delivery: dict[str, Any] = {
        "intent": "send",
        "channel": channel,
        "message": message,
        "subject": subject,
        "recipient": target,
    }
    if urgent:
        delivery["urgency"] = "high"
    if actions:
        delivery["actions"] = [action.to_wire() for action in actions]
    return NewDelivery(
        delivery_id=delivery_id,
        idempotency_key=key,
        request_id=request_id,
        subrequest_id=None,
        origin_butler=own_name,
        intent=intent,
        channel=channel,
        contact_id=None,
        target_identity=target,
        thread_identity=thread_key(channel, target),
        reply_to=reply_to,
        notify_request={
            "schema_version": "notify.v1",
            "origin_butler": own_name,
            "delivery": delivery,
            "request_context": None,
        },
        route_context=None,
        status=Status.PENDING,
        expires_after_s=expires_after_s,
        topic=topic,
    )
