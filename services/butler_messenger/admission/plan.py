"""PURE: turns a validated request into a delivery with its idempotency key (MSG-7, MSG-10)."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from butler_contracts.notify import NotifyRequestV1
from butler_messenger.admission.key import canonical_key
from butler_messenger.admission.resolve import MissingIdentifier, Target
from butler_messenger.admission.store import NewDelivery
from butler_messenger.delivery.records import Row
from butler_messenger.delivery.states import Status
from butler_messenger.owner.words import topic_of

__all__ = ["key_of", "planned", "planned_again", "thread_of"]

_REACTIONS: Final = "reactions:"


def key_of(notify: NotifyRequestV1, target: Target | MissingIdentifier, subrequest_id: UUID) -> str:
    """Return the idempotency key; `ValidationFailed` if none can be made."""
    identity = target.identity if isinstance(target, Target) else f"contact:{target.contact_id}"
    return canonical_key(notify, target_identity=identity, subrequest_id=subrequest_id)


def planned(
    notify: NotifyRequestV1,
    target: Target | MissingIdentifier,
    *,
    key: str,
    delivery_id: UUID,
    subrequest_id: UUID,
    route_context: dict[str, Any] | None,
    expires_after_s: float,
) -> NewDelivery:
    """Return the delivery to store."""
    context = notify.request_context
    resolved = target if isinstance(target, Target) else None
    return NewDelivery(
        delivery_id=delivery_id,
        idempotency_key=key,
        request_id=context.request_id if context is not None else None,
        subrequest_id=subrequest_id,
        origin_butler=notify.origin_butler,
        intent=notify.delivery.intent,
        channel=notify.delivery.channel,
        contact_id=target.contact_id,
        target_identity=resolved.identity if resolved is not None else None,
        thread_identity=thread_of(resolved, notify) if resolved is not None else None,
        reply_to=resolved.reply_to if resolved is not None else None,
        notify_request=notify.to_wire(),
        route_context=route_context,
        status=Status.PENDING,
        expires_after_s=expires_after_s,
        topic=topic_of(notify) if resolved is not None else None,
    )


def planned_again(row: Row, *, expires_after_s: float) -> NewDelivery:
    """Return a stored delivery to admit now, with an expiry counted from now."""
    return NewDelivery(
        delivery_id=row["delivery_id"],
        idempotency_key=row["idempotency_key"],
        request_id=row["request_id"],
        subrequest_id=row["subrequest_id"],
        origin_butler=row["origin_butler"],
        intent=row["intent"],
        channel=row["channel"],
        contact_id=row["contact_id"],
        target_identity=row["target_identity"],
        thread_identity=row["thread_identity"],
        reply_to=row["reply_to"],
        notify_request=row["notify_request"],
        route_context=row["route_context"],
        status=Status.PENDING,
        expires_after_s=expires_after_s,
    )


def thread_of(target: Target, notify: NotifyRequestV1) -> str:
    """Return the thread; reactions have their own, so that they and replies do not hold each other up."""
    if notify.delivery.intent == "react":
        return f"{_REACTIONS}{target.thread}:{target.reply_to}"
    return target.thread
