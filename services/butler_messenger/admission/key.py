"""PURE: the canonical idempotency key of a resolved notify, and of its replays (MSG-7, MSR-04.1, MSR-04.3, D45)."""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

from butler_contracts.keys import delivery_key
from butler_contracts.notify import NotifyRequestV1

__all__ = ["canonical_key", "original_key", "replay_key"]

_REPLAY: Final = re.compile(r"::replay-[0-9]+\Z")


def original_key(key: str) -> str:
    """Return the key of the original request, without a replay suffix."""
    return _REPLAY.sub("", key)


def replay_key(key: str, number: int) -> str:
    """Return the key of replay `number` (1, 2, …) of the same request."""
    return f"{original_key(key)}::replay-{number}"


def canonical_key(notify: NotifyRequestV1, *, target_identity: str, subrequest_id: UUID) -> str:
    """Return the key that makes a repeated request the same delivery; `ValidationFailed` if none can be made.

    The key of a reaction includes its subrequest: the same emoji may be set again after another one (D20).
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
        attachments=[(one.digest, one.name) for one in delivery.attachments],
    )
