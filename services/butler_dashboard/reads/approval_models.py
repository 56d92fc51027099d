"""PURE: messages and calls that need an approval, and the decisions on them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from butler_dashboard.reads.delivery_models import Attachment
from butler_dashboard.reads.model import Model

__all__ = ["ApprovalList", "ApprovalState", "ApprovalSummary", "StandingRule"]

ApprovalState = Literal["waiting", "approved", "denied", "expired"]


class ApprovalSummary(Model):
    """A message, or a call of a tool outside, that waits, or waited; `subject` and `message` are null once it is
    decided and stay with Messenger."""

    approval_id: UUID
    """The id of the delivery, or of the call."""
    kind: Literal["message", "call"] = "message"
    tool: str
    requested_at: datetime
    expires_at: datetime
    state: ApprovalState
    decided_at: datetime | None
    decided_by: str | None
    decided_via: str | None
    reason: str | None
    request_id: UUID | None
    origin_butler: str
    intent: str
    channel: str
    target_identity: str | None
    status: str
    """The state of the delivery; of a call that of the approval."""
    subject: str | None
    message: str | None
    """The text; of a call its arguments, a line for each."""
    attachments: tuple[Attachment, ...] = ()
    """Files that go out with a message."""
    contact_id: UUID | None = None
    """Of a call the contact who wrote the request."""


class ApprovalList(Model):
    """One page, newest first; `next` is null on the last."""

    approvals: tuple[ApprovalSummary, ...]
    next: str | None


class StandingRule(Model):
    """What one butler sends to one recipient, or calls, without an approval, until `expires_at`."""

    rule_id: UUID
    origin_butler: str
    tool: str
    channel: str
    target_identity: str
    created_at: datetime
    created_by: str
    reason: str
    expires_at: datetime
    arguments: str | None = None
    """Of a call that is allowed, a line for each."""
