"""PURE: dead letters of both services as one list: requests that failed beyond retry, deliveries that did."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from butler_dashboard.reads.model import Model

__all__ = ["DeadLetterDetail", "DeadLetterList", "DeadLetterSummary", "LetterKind", "LetterState"]

LetterKind = Literal["request", "delivery"]
LetterState = Literal["open", "replayed", "discarded"]


class DeadLetterSummary(Model):
    """One end beyond retry. `targets`: the butlers that a replay would send it to, or the recipient of a delivery."""

    dead_letter_id: UUID
    kind: LetterKind
    request_id: UUID | None
    delivery_id: UUID | None
    replay_of: UUID | None
    created_at: datetime
    state: LetterState
    channel: str
    origin: str
    """Whose message it was: the sender, or the butler that wanted to send."""
    targets: tuple[str, ...]
    excerpt: str | None = None
    """The beginning of the message or of the answer that failed; null when nobody kept it."""
    error_class: str
    error_message: str
    attempts: int
    replay_eligible: bool
    closed_at: datetime | None
    closed_by: str | None
    closed_reason: str | None
    outcome: str | None


class DeadLetterDetail(DeadLetterSummary):
    """The same with what was said; `text` is null for a delivery, whose words stay with Messenger."""

    text: str | None
    endpoint_identity: str | None
    thread_identity: str | None
    lineage: tuple[UUID, ...]
    """All ends of the same request, oldest first."""


class DeadLetterList(Model):
    """One page, newest first; `next` is null on the last."""

    dead_letters: tuple[DeadLetterSummary, ...]
    next: str | None
