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
    """The key of the wish itself, without what its replays add."""
    return _REPLAY.sub("", key)


def replay_key(key: str, number: int) -> str:
    """The key of replay `number` (1, 2, …) of the same wish."""
    return f"{original_key(key)}::replay-{number}"


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
        attachments=[(one.digest, one.name) for one in delivery.attachments],
    )
