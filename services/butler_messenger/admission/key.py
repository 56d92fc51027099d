"""PURE: the canonical idempotency key of a resolved notify (MSG-7, MSR-04.1, D45)."""

from __future__ import annotations

from uuid import UUID

from butler_contracts.keys import delivery_key
from butler_contracts.notify import NotifyRequestV1

__all__ = ["canonical_key"]


def canonical_key(notify: NotifyRequestV1, *, target_identity: str, subrequest_id: UUID) -> str:
    """The key that makes a repeat of the same wish the same delivery; `ValidationFailed` where none can be made.

    A reaction also counts its subrequest: the same glyph may be wanted again after another one (D20).
    """
    delivery, context = notify.delivery, notify.request_context
    react = delivery.intent == "react"
    return delivery_key(
        request_id=context.request_id if context is not None else None,
        origin_butler=notify.origin_butler,
        intent=delivery.intent,
        channel=delivery.channel,
        target_identity=target_identity,
        content=(delivery.emoji if react else delivery.message) or "",
        subject=delivery.subject,
        idempotency_key=str(subrequest_id) if react else delivery.idempotency_key,
    )
