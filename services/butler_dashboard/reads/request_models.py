"""PURE: requests as lists and pages show them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from butler_dashboard.reads.delivery_models import DeliveryDetail
from butler_dashboard.reads.model import Document, Model

__all__ = [
    "AuditEntry",
    "Call",
    "Decisions",
    "Notification",
    "Plan",
    "PlannedTarget",
    "RequestError",
    "RequestLetter",
    "RequestLife",
    "RequestList",
    "RequestSource",
    "RequestSummary",
    "Session",
    "Subroute",
    "TimelineEntry",
    "Work",
]


class RequestError(Model):
    error_class: str
    message: str


class RequestSummary(Model):
    """A line of the list; `butlers` and the beginning of the `answer` are known once the request has ended."""

    request_id: UUID
    received_at: datetime
    state: str
    final_state_at: datetime | None
    channel: str
    endpoint_identity: str
    sender_identity: str
    thread_identity: str | None
    policy_tier: str
    sender_class: str
    excerpt: str
    butlers: tuple[str, ...]
    error: RequestError | None
    backfill_job_id: UUID | None
    answer: str | None = None
    private: bool = False
    """Whether it says that it is private, or something private was kept of it: `excerpt` and `answer` are left out."""
    diverted_from: str | None = None
    """The butler that it was meant for and that could not take it, with why: `health (quarantined: on holiday)`."""


class RequestList(Model):
    """One page, newest first. A page may be short, even empty, while `next` says that there is more to look through:
    rare matches are looked for in bounded steps."""

    requests: tuple[RequestSummary, ...]
    next: str | None


class RequestSource(Model):
    """Where it came from."""

    channel: str
    provider: str
    endpoint_identity: str
    sender_identity: str
    thread_identity: str | None
    event_id: str
    message_id: str | None
    supersedes: str | None
    observed_at: datetime | None
    """When the provider says that it happened."""


class Decisions(Model):
    """What admission decided."""

    triage_decision: str | None
    triage_target: str | None
    triage_rule_id: str | None
    triage_rule_type: str | None
    sender_class: str
    reply_policy: str
    automatic: bool
    policy_tier: str
    ingestion_tier: str
    dedupe_key: str


class Work(Model):
    """The row in the queue while something is left to do."""

    lane: str
    blocking: bool
    attempt: int
    available_at: datetime
    leased: bool
    lease_until: datetime | None
    enqueued_at: datetime


class PlannedTarget(Model):
    """One part of the routing decision."""

    butler: str
    segment_id: str | None
    prompt: str | None


class Plan(Model):
    """The routing decision as it was committed (D12)."""

    committed_at: datetime
    family: str
    model_version: str
    prompt_version: str
    decided_by: str
    confidence: float | None
    fallback: bool
    reason: str
    fanout_mode: str
    join_policy: str
    abort_policy: str
    targets: tuple[PlannedTarget, ...]
    policy: dict[str, float] | None = None
    """What its tier allowed then, in seconds and attempts (SWB-34.1)."""
    held: str | None = None
    """For whom some of it waits, or what became of that (ADR 0124)."""


class Subroute(Model):
    """One attempt of one part at one butler."""

    subrequest_id: UUID
    segment_id: str
    target: str
    attempt: int
    position: int
    state: str
    transport_tries: int
    next_try_at: datetime | None
    first_sent_at: datetime | None
    accepted_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    deadline_at: datetime | None
    late: bool
    reply: str | None
    error_class: str | None
    error_message: str | None
    retryable: bool | None
    duration_ms: float | None
    replay_of: UUID | None
    stand_in: str | None = None
    """The family that answered in the configured one's place."""
    stand_in_reason: str | None = None


class Call(Model):
    """One call of a butler's `route.execute`."""

    subrequest_id: UUID | None
    target_butler: str
    tool_name: str
    success: bool
    duration_ms: float | None
    error_class: str | None
    error: str | None
    created_at: datetime


class Notification(Model):
    """One intent to tell a person something, and what became of it."""

    notification_id: UUID
    origin_butler: str
    purpose: str
    intent: str
    channel: str
    recipient: str | None
    message_excerpt: str | None
    status: str
    delivery_id: str | None
    delivery_state: str | None
    error_class: str | None
    error_message: str | None
    created_at: datetime
    updated_at: datetime


class Session(Model):
    """One run of a runtime family."""

    session_id: UUID
    kind: str
    trigger_source: str
    family: str
    model: str | None
    prompt_version: str | None
    started_at: datetime
    ended_at: datetime | None
    status: str
    duration_ms: float | None


class AuditEntry(Model):
    audit_id: int
    at: datetime
    actor: str
    operation: str
    summary: str
    reason: str | None
    result: str
    error: str | None


class RequestLetter(Model):
    """An end of the request beyond retry."""

    dead_letter_id: UUID
    generation: int
    created_at: datetime
    state: str
    targets: tuple[str, ...]
    error_class: str
    error_message: str
    closed_at: datetime | None
    closed_by: str | None
    closed_reason: str | None
    outcome: str | None
    outcome_at: datetime | None


class TimelineEntry(Model):
    """What happened when; `part` says which part of the way it belongs to, `subject` to whom it happened."""

    at: datetime
    part: str
    event: str
    subject: str | None = None
    detail: str | None = None


class RequestLife(Model):
    """A request from the provider's update to the provider's receipt."""

    request_id: UUID
    received_at: datetime
    state: str
    final_state_at: datetime | None
    text: str
    reply: Document | None
    error: RequestError | None
    backfill_job_id: UUID | None
    dedupe_conflicts: int
    source: RequestSource
    decisions: Decisions
    work: Work | None
    plan: Plan | None
    subroutes: tuple[Subroute, ...]
    calls: tuple[Call, ...]
    sessions: tuple[Session, ...]
    notifications: tuple[Notification, ...]
    deliveries: tuple[DeliveryDetail, ...]
    dead_letters: tuple[RequestLetter, ...]
    audit: tuple[AuditEntry, ...]
    timeline: tuple[TimelineEntry, ...]
