"""PURE: deliveries as lists and pages show them, with the beginning of the text as the notification keeps it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from butler_dashboard.reads.level_models import ChannelLevel
from butler_dashboard.reads.model import Model

__all__ = [
    "Attachment",
    "Attempt",
    "DeliveryDetail",
    "DeliveryError",
    "DeliveryList",
    "DeliverySummary",
    "Receipt",
]


class DeliveryError(Model):
    error_class: str
    message: str | None
    retryable: bool | None


class Attachment(Model):
    """A file that goes out with a message, and why not where it did not; where it is fetched from is not shown."""

    name: str
    size_bytes: int
    media_type: str
    digest: str
    problem: str | None = None


class DeliverySummary(Model):
    """One delivery: for whom, how it stands, and the failure if there is one.

    `settled_at`: when somebody decided on the failure.
    """

    delivery_id: UUID
    request_id: UUID | None
    subrequest_id: UUID | None
    origin_butler: str
    intent: str
    channel: str
    identity_scope: str
    target_identity: str | None
    thread_identity: str | None
    status: str
    attempts_used: int
    provider_delivery_id: str | None
    error: DeliveryError | None
    created_at: datetime
    first_attempt_at: datetime | None
    updated_at: datetime
    terminal_at: datetime | None
    expires_at: datetime
    replay_of: UUID | None
    settled_at: datetime | None = None
    excerpt: str | None = None
    attachments: tuple[Attachment, ...] = ()


class Attempt(Model):
    """One call of the provider; `consumed` is false where it throttled."""

    attempt: int
    tool: str
    started_at: datetime
    finished_at: datetime | None
    outcome: str
    consumed: bool
    latency_ms: float | None
    error_class: str | None
    error_message: str | None
    retryable: bool | None


class Receipt(Model):
    """What the provider said it took, or where it was found."""

    part: int
    provider_delivery_id: str
    evidence: str
    received_at: datetime


class DeliveryDetail(DeliverySummary):
    """The same with every attempt and receipt, oldest first."""

    attempts: tuple[Attempt, ...]
    receipts: tuple[Receipt, ...]


class DeliveryFigures(Model):
    """A day's deliveries: how they ended, seconds until half and 95 % of them were sent, and how many are under way.

    `levels` has an entry for each channel.
    """

    sent: int
    failed: int
    uncertain: int
    under_way: int
    half_within_s: float | None
    most_within_s: float | None
    levels: tuple[ChannelLevel, ...]


class Suppression(Model):
    """Somebody to whom nothing is sent unasked, since when, why and by whose hand."""

    suppression_id: UUID
    channel: str
    target_identity: str
    reason: str
    evidence: str
    created_at: datetime
    created_by: str
    refused_at: datetime | None
    refused_origin: str | None


class DeliveryList(Model):
    """One page, newest first; short pages as for requests."""

    deliveries: tuple[DeliverySummary, ...]
    next: str | None
