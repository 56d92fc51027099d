"""The life of a request as the ops API tells it: `GET /ops/v1/requests/{id}` and Messenger's deliveries.

Only fields that are shown are named here; fields that a newer service adds are ignored. A document that does not fit
is a `UserError`, not a crash.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from butler_cli.errors import UserError
from butler_contracts.base import TolerantModel

__all__ = [
    "Attempt",
    "DeadLetter",
    "Delivery",
    "HeldCall",
    "Life",
    "Notification",
    "OutsideCall",
    "Plan",
    "Receipt",
    "Session",
    "Signal",
    "Subroute",
    "life_of",
]


class Problem(TolerantModel):
    """An error of the request as a whole."""

    error_class: str
    message: str


class Source(TolerantModel):
    """Where it came from."""

    channel: str
    endpoint_identity: str
    sender_identity: str
    thread_identity: str | None = None
    event_id: str | None = None
    supersedes: str | None = None


class Decisions(TolerantModel):
    """What was decided at admission."""

    triage_decision: str | None = None
    triage_target: str | None = None
    triage_rule_id: str | None = None
    triage_rule_type: str | None = None
    sender_class: str
    reply_policy: str
    automatic: bool = False
    policy_tier: str
    ingestion_tier: str = "full"


class Work(TolerantModel):
    """Its place in the queue, while something is left to do."""

    lane: str
    attempt: int
    available_at: datetime
    leased: bool
    waiting_s: float


class Plan(TolerantModel):
    """The routing decision."""

    committed_at: datetime
    family: str
    model_version: str = ""
    prompt_version: str = ""
    decided_by: str
    confidence: float | None = None
    fallback: bool
    reason: str
    fanout_mode: str
    targets: tuple[dict[str, Any], ...] = ()
    trial: dict[str, Any] | None = None
    policy: dict[str, Any] | None = None
    held: dict[str, Any] | None = None


class Subroute(TolerantModel):
    """One attempt of one part at one butler."""

    subrequest_id: str
    segment_id: str
    target: str
    attempt: int
    state: str
    transport_tries: int = 0
    next_try_at: datetime | None = None
    first_sent_at: datetime | None = None
    accepted_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    deadline_at: datetime | None = None
    response: dict[str, Any] | None = None
    late_response: dict[str, Any] | None = None
    error_class: str | None = None
    error_message: str | None = None
    retryable: bool | None = None
    duration_ms: float | None = None
    replay_of: str | None = None


class ContradictedClaim(TolerantModel):
    """What a butler said that something is, where another said otherwise, and what became of that."""

    subject: str
    value: str
    standing: str
    decided_by: str | None = None


class PartOutcome(TolerantModel):
    """How a part ended, as it is kept with the end of the request."""

    target_butler: str
    claims: tuple[ContradictedClaim, ...] = ()


class Call(TolerantModel):
    """One call of a butler."""

    subrequest_id: str | None = None
    target_butler: str
    success: bool
    error_class: str | None = None
    error: str | None = None
    created_at: datetime


class Notification(TolerantModel):
    """One wish of a butler to tell somebody something."""

    notification_id: str
    origin_butler: str
    purpose: str
    intent: str
    channel: str
    recipient: str | None = None
    message_excerpt: str | None = None
    status: str
    delivery_id: str | None = None
    delivery_state: str | None = None
    error_class: str | None = None
    error_message: str | None = None
    created_at: datetime
    updated_at: datetime


class Session(TolerantModel):
    """One session of a model or of the rules."""

    kind: str
    family: str
    model: str | None = None
    started_at: datetime
    ended_at: datetime | None = None
    status: str
    duration_ms: float | None = None
    error: dict[str, Any] | None = None


class Signal(TolerantModel):
    """What the message says of somebody, as it was found."""

    extracted_at: datetime
    signal_type: str
    subject: str
    evidence: str
    confidence: float
    skill: str
    skill_version: str


class AuditEntry(TolerantModel):
    """Who did what to it."""

    at: datetime
    actor: str
    operation: str
    summary: str
    reason: str | None = None
    result: str


class Conflict(TolerantModel):
    """The same event once more, with other content."""

    seen_at: datetime
    envelope: dict[str, Any]
    new_request_id: str | None = None


class DeadLetter(TolerantModel):
    """One end beyond retry, kept for the operator."""

    dead_letter_id: str
    created_at: datetime
    state: str
    targets: tuple[str, ...] = ()


class Attempt(TolerantModel):
    """One call of a provider."""

    attempt: int
    tool: str
    started_at: datetime
    finished_at: datetime | None = None
    outcome: str
    latency_ms: float | None = None
    error_class: str | None = None
    error_message: str | None = None
    retryable: bool | None = None
    provider_response: dict[str, Any] | None = None


class Receipt(TolerantModel):
    """What a provider said it took."""

    provider_delivery_id: str
    evidence: str
    received_at: datetime


class Delivery(TolerantModel):
    """One delivery of Messenger, with its tries and receipts."""

    delivery_id: str
    replay_of: str | None = None
    origin_butler: str
    intent: str
    channel: str
    target_identity: str | None = None
    status: str
    error: dict[str, Any] | None = None
    created_at: datetime
    terminal_at: datetime | None = None
    attempts: tuple[Attempt, ...] = ()
    receipts: tuple[Receipt, ...] = ()


class OutsideCall(TolerantModel):
    """One call of a tool outside, as its butler keeps it."""

    butler: str
    server: str
    tool: str
    read_only: bool = False
    args_shown: str = ""
    state: str
    begun_at: datetime


class HeldCall(TolerantModel):
    """One call that waits, or waited, for an approval."""

    butler: str
    server: str
    tool: str
    args_shown: str = ""
    held_at: datetime
    verdict: str | None = None
    decided_by: str | None = None
    decided_at: datetime | None = None
    outcome: str | None = None
    outcome_at: datetime | None = None


class Life(TolerantModel):
    """Everything that is shown of a request."""

    request_id: str
    received_at: datetime
    lifecycle_state: str
    final_state_at: datetime | None = None
    source: Source
    envelope: dict[str, Any]
    aggregated_reply: dict[str, Any] | None = None
    error: Problem | None = None
    decisions: Decisions
    work: Work | None = None
    plan: Plan | None = None
    subroutes: tuple[Subroute, ...] = ()
    dispatch_outcomes: tuple[PartOutcome, ...] | None = None
    calls: tuple[Call, ...] = ()
    notifications: tuple[Notification, ...] = ()
    sessions: tuple[Session, ...] = ()
    signals: tuple[Signal, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    dedupe_conflicts: tuple[Conflict, ...] = ()
    dead_letters: tuple[DeadLetter, ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    outside_calls: tuple[OutsideCall, ...] = ()
    held_calls: tuple[HeldCall, ...] = ()

    @property
    def text(self) -> str:
        """What was said."""
        payload = self.envelope.get("payload")
        text = payload.get("normalized_text") if isinstance(payload, dict) else None
        return text if isinstance(text, str) else ""

    @property
    def answer(self) -> str | None:
        """What the caller of `api` or `mcp` gets as the answer."""
        text = (self.aggregated_reply or {}).get("text")
        return text if isinstance(text, str) and text.strip() else None


def life_of(document: Mapping[str, Any]) -> Life:
    """Parse the document as a `Life`. Raises `UserError` if it is none."""
    try:
        return Life.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(
            f"the answer of Switchboard is not a request's life ({where}: {first['msg']}); "
            "does the household run another version than this command? Update one of them"
        ) from None
