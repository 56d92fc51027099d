"""The whole life of a request as one document (frozen models; pure; architecture §4).

The CLI, the kubectl plugin and the dashboard read this and nothing else about a request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from uuid import UUID

from butler_contracts.request_approvals import held_in_words
from butler_switchboard.operations.dead_letter_models import DeadLetterSummary
from butler_switchboard.operations.view import Document, View

__all__ = [
    "CallView",
    "ConflictView",
    "Decisions",
    "EndedByOperator",
    "NotificationView",
    "PlanView",
    "RequestError",
    "RequestSummary",
    "RequestView",
    "SessionView",
    "SignalView",
    "Source",
    "SubmitterView",
    "SubrouteView",
    "TimelineEntry",
    "WorkView",
    "timeline",
]


class Source(View):
    channel: str
    provider: str
    endpoint_identity: str
    sender_identity: str
    thread_identity: str | None
    event_id: str
    message_id: str | None
    supersedes: str | None


class Decisions(View):
    """What admission decided (CNX-05, D10, D22)."""

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


class RequestError(View):
    error_class: str
    message: str


class EndedByOperator(View):
    """Whose word ended it, and why: the annotation of its end (SWB-38)."""

    action: str
    by: str
    reason: str
    operation_uid: str


class WorkView(View):
    """The row in the queue while something is left to do."""

    lane: str
    source: str
    thread_key: str | None
    blocking: bool
    attempt: int
    available_at: datetime
    leased: bool
    lease_until: datetime | None
    enqueued_at: datetime
    waiting_s: float


class PlanView(View):
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
    targets: list[Document]
    trial: Document | None = None
    """What it tells of a candidate that was being tried (SWB-36.1): `rollout`, `arm`, `unanswered`, `invalid`."""
    policy: Document | None = None
    """What its tier allowed then (SWB-34.1): `session_timeout_s`, `patience_s`, `max_attempts` and so on."""
    held: Document | None = None
    """The parts that somebody has to agree to (ADR 0124): `targets`, whom was `asked`, `until`, `word`, `said_by`."""


class SubrouteView(View):
    """One attempt of one part at one butler.

    `replay_of` names the dead letter whose replay it belongs to, `rerouted_from` the attempt whose place it took.
    """

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
    response: Document | None
    late_response: Document | None
    error_class: str | None
    error_original_class: str | None
    error_message: str | None
    retryable: bool | None
    duration_ms: float | None
    replay_of: UUID | None = None
    rerouted_from: UUID | None = None


class CallView(View):
    """One call of a butler's `route.execute`."""

    subrequest_id: UUID | None
    target_butler: str
    tool_name: str
    success: bool
    duration_ms: float | None
    error_class: str | None
    error: str | None
    created_at: datetime


class NotificationView(View):
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


class SessionView(View):
    session_id: UUID
    kind: str
    trigger_source: str
    family: str
    model: str | None
    prompt_version: str | None
    started_at: datetime
    ended_at: datetime | None
    status: str
    tool_calls: list[Document]
    error: Document | None
    duration_ms: float | None


class SignalView(View):
    """What the message says of somebody (SWB-26.1): `evidence` is its words from `start` to `end`."""

    signal_type: str
    subject: str
    evidence: str
    start: int
    end: int
    confidence: float
    skill: str
    skill_version: str
    family: str
    model_version: str
    extracted_at: datetime


class AuditView(View):
    audit_id: int
    at: datetime
    butler: str
    actor: str
    operation: str
    subject: str | None
    summary: str
    reason: str | None
    result: str
    error: str | None


class ConflictView(View):
    """The same event came again with other content (D7)."""

    dedupe_key: str
    seen_at: datetime
    fingerprint: str
    envelope: Document
    new_request_id: UUID | None


class TimelineEntry(View):
    """What happened when; `subject` is the butler, session or notification it happened to."""

    at: datetime
    event: str
    subject: str | None = None
    detail: str | None = None


class SubmitterView(View):
    """What a connector may read of a request that it submitted (D19)."""

    request_id: UUID
    received_at: datetime
    lifecycle_state: str
    final_state_at: datetime | None
    source: Source
    envelope: Document
    aggregated_reply: Document | None
    error: RequestError | None


class RequestView(SubmitterView):
    """Everything that is known of a request."""

    context: Document
    decisions: Decisions
    work: WorkView | None
    plan: PlanView | None
    subroutes: list[SubrouteView]
    routing_output: Document | None
    dispatch_outcomes: list[Document] | None
    calls: list[CallView]
    notifications: list[NotificationView]
    sessions: list[SessionView]
    audit: list[AuditView]
    dedupe_conflicts: list[ConflictView]
    dead_letters: list[DeadLetterSummary]
    timeline: list[TimelineEntry]
    ended_by_operator: EndedByOperator | None = None
    signals: tuple[SignalView, ...] = ()

    def for_submitter(self) -> SubmitterView:
        """The part that its connector may see."""
        return SubmitterView(**{name: getattr(self, name) for name in SubmitterView.model_fields})


class RequestSummary(View):
    """A line of the list of requests."""

    request_id: UUID
    received_at: datetime
    lifecycle_state: str
    final_state_at: datetime | None
    channel: str
    endpoint_identity: str
    sender_identity: str
    thread_identity: str | None
    policy_tier: str
    sender_class: str
    excerpt: str
    butlers: list[str]
    error: RequestError | None


def timeline(
    *,
    received_at: datetime,
    lifecycle_state: str,
    final_state_at: datetime | None,
    plan: PlanView | None,
    subroutes: Iterable[SubrouteView],
    calls: Iterable[CallView],
    notifications: Iterable[NotificationView],
    sessions: Iterable[SessionView],
    audit: Iterable[AuditView],
    conflicts: Iterable[ConflictView],
    dead_letters: Iterable[DeadLetterSummary] = (),
) -> list[TimelineEntry]:
    """Return everything that has a time, in order; simultaneous entries keep the order of processing."""
    entries = [TimelineEntry(at=received_at, event="accepted")]
    entries += [TimelineEntry(at=item.seen_at, event="dedupe_conflict") for item in conflicts]
    for session in sessions:
        entries += _session(session)
    if plan is not None:
        targets = ", ".join(str(target.get("butler")) for target in plan.targets) or "nobody"
        held = f"; {held_in_words(plan.held)}" if plan.held is not None else ""
        detail = f"{plan.decided_by}: {plan.reason}, to {targets}{held}"
        entries.append(TimelineEntry(at=plan.committed_at, event="planned", detail=detail))
    for subroute in subroutes:
        entries += _subroute(subroute)
    entries += [_call(call) for call in calls if not call.success]
    for notification in notifications:
        entries += _notification(notification)
    entries += [
        TimelineEntry(
            at=item.at, event="audit", subject=item.actor, detail=f"{item.operation}: {item.summary}"
        )
        for item in audit
    ]
    for letter in dead_letters:
        entries += _dead_letter(letter)
    if final_state_at is not None:
        entries.append(TimelineEntry(at=final_state_at, event=lifecycle_state))
    return sorted(entries, key=lambda entry: entry.at)


def _session(session: SessionView) -> Iterator[TimelineEntry]:
    name = f"{session.kind} session {session.session_id}"
    yield TimelineEntry(at=session.started_at, event="session_started", subject=name, detail=session.family)
    if session.ended_at is not None:
        yield TimelineEntry(at=session.ended_at, event="session_ended", subject=name, detail=session.status)


def _subroute(subroute: SubrouteView) -> Iterator[TimelineEntry]:
    part = f"part {subroute.segment_id}, attempt {subroute.attempt}"
    steps = (
        ("sent", subroute.first_sent_at, part if subroute.rerouted_from is None else f"{part}, by reroute"),
        ("accepted_by_butler", subroute.accepted_at, part),
        ("started", subroute.started_at, part),
        (subroute.state, subroute.finished_at, subroute.error_message or part),
    )
    for event, at, detail in steps:
        if at is not None:
            yield TimelineEntry(at=at, event=event, subject=subroute.target, detail=detail)


def _dead_letter(letter: DeadLetterSummary) -> Iterator[TimelineEntry]:
    name = str(letter.dead_letter_id)
    yield TimelineEntry(
        at=letter.created_at, event="dead_lettered", subject=name, detail=letter.error_message
    )
    if letter.closed_at is not None:
        detail = f"{letter.closed_by}: {letter.closed_reason}"
        yield TimelineEntry(at=letter.closed_at, event=letter.state, subject=name, detail=detail)


def _call(call: CallView) -> TimelineEntry:
    detail = f"{call.error_class}: {call.error}"
    return TimelineEntry(at=call.created_at, event="call_failed", subject=call.target_butler, detail=detail)


def _notification(notification: NotificationView) -> Iterator[TimelineEntry]:
    what = f"{notification.intent} by {notification.channel} ({notification.purpose})"
    yield TimelineEntry(
        at=notification.created_at, event="notify", subject=notification.origin_butler, detail=what
    )
    if notification.updated_at > notification.created_at:
        state = notification.delivery_state or notification.status
        detail = notification.error_message or what
        yield TimelineEntry(
            at=notification.updated_at,
            event=f"delivery_{state}",
            subject=notification.origin_butler,
            detail=detail,
        )
