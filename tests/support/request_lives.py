"""Requests as Switchboard and Messenger tell them, written in the services' own models: what the command line reads."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from butler_kit.ops.sessions import KeptSessionView, TranscriptView
from butler_switchboard.operations.request_view import (
    AuditView,
    CallView,
    ConflictView,
    Decisions,
    NotificationView,
    PlanView,
    RequestError,
    RequestView,
    SessionView,
    SignalView,
    Source,
    SubrouteView,
    WorkView,
)

__all__ = [
    "AT", "REQUEST", "delivery", "kept_session", "life", "notification", "plan", "session", "subroute", "summary",
]  # fmt: skip

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
REQUEST = UUID("019ca8d9-0b40-7000-8000-000000000001")
DELIVERY = "7d1f0000-0000-4000-8000-000000000001"
TEXT = "lunch 12,50 €, and book the dentist"


def at(seconds: float | None) -> datetime | None:
    return None if seconds is None else AT + timedelta(seconds=seconds)


def moment(seconds: float) -> datetime:
    return AT + timedelta(seconds=seconds)


def plan(*targets: tuple[str, str], seconds: float = 0.2, **changed: Any) -> PlanView:
    described: dict[str, Any] = {
        "committed_at": moment(seconds),
        "family": "rules",
        "model_version": "rules-7",
        "prompt_version": "p3",
        "decided_by": "runtime",
        "confidence": 0.97,
        "fallback": False,
        "reason": "routed",
        "fanout_mode": "parallel",
        "join_policy": "all",
        "abort_policy": "continue",
        "targets": [{"butler": butler, "prompt": prompt} for butler, prompt in targets],
    }
    return PlanView(**{**described, **changed})


def subroute(target: str, *, position: int = 1, **changed: Any) -> SubrouteView:
    """Answered after 0.9 s, unless said otherwise; times in seconds since the request came in."""
    times = {"first_sent_at": 0.25, "accepted_at": 0.27, "started_at": 0.3, "finished_at": 0.9}
    times.update({"next_try_at": None, "deadline_at": None})  # type: ignore[dict-item]
    times.update({name: changed.pop(name) for name in list(changed) if name in times})
    described: dict[str, Any] = {
        "subrequest_id": UUID(int=position),
        "segment_id": f"s{position}",
        "target": target,
        "attempt": 1,
        "position": position,
        "state": "ok",
        "transport_tries": 1,
        "response": {"result": {"records": 1}},
        "late_response": None,
        "error_class": None,
        "error_original_class": None,
        "error_message": None,
        "retryable": None,
        "duration_ms": 600.0,
        **{name: at(seconds) for name, seconds in times.items()},
    }
    return SubrouteView(**{**described, **changed})


def notification(origin: str = "finance", *, seconds: float = 0.6, **changed: Any) -> NotificationView:
    described: dict[str, Any] = {
        "notification_id": UUID(int=90),
        "origin_butler": origin,
        "purpose": "answer",
        "intent": "reply",
        "channel": "telegram",
        "recipient": None,
        "message_excerpt": "Noted: 12.50 € for lunch.",
        "status": "ok",
        "delivery_id": DELIVERY,
        "delivery_state": "sent",
        "error_class": None,
        "error_message": None,
        "created_at": moment(seconds),
        "updated_at": moment(seconds + 0.2),
    }
    return NotificationView(**{**described, **changed})


def session(**changed: Any) -> SessionView:
    described: dict[str, Any] = {
        "session_id": UUID(int=70),
        "kind": "route",
        "trigger_source": "ingress",
        "family": "rules",
        "model": "rules-7",
        "prompt_version": "p3",
        "started_at": moment(0.1),
        "ended_at": moment(0.15),
        "status": "completed",
        "tool_calls": [],
        "error": None,
        "duration_ms": 50.0,
    }
    return SessionView(**{**described, **changed})


def signal(text: str, subject: str, *, start: int = 0, **changed: Any) -> SignalView:
    """What all of `text` says of `subject`."""
    described: dict[str, Any] = {
        "signal_type": "fact",
        "subject": subject,
        "evidence": text,
        "start": start,
        "end": start + len(text),
        "confidence": 0.9,
        "skill": "relationship-extractor",
        "skill_version": "1-0123abcd",
        "family": "rules",
        "model_version": "relationship-rules-1",
        "extracted_at": moment(2.5),
    }
    return SignalView(**{**described, **changed})


def life(
    *,
    channel: str = "telegram",
    sender: str = "1001",
    text: str = TEXT,
    state: str = "parsed",
    ended: float | None = 1.0,
    decisions: dict[str, Any] | None = None,
    error: tuple[str, str] | None = None,
    request_id: UUID = REQUEST,
    **parts: Any,
) -> dict[str, Any]:
    """The document of `GET /ops/v1/requests/{id}`."""
    decided: dict[str, Any] = {
        "triage_decision": "pass_through",
        "triage_target": None,
        "triage_rule_id": None,
        "triage_rule_type": None,
        "sender_class": "household",
        "reply_policy": "allow",
        "automatic": False,
        "policy_tier": "interactive",
        "ingestion_tier": "full",
        "dedupe_key": "event:telegram:901",
        **(decisions or {}),
    }
    source = Source(
        channel=channel,
        provider={"api": "internal", "email": "imap"}.get(channel, channel),
        endpoint_identity=f"{channel}:household",
        sender_identity=sender,
        thread_identity=sender if channel == "telegram" else None,
        event_id="901",
        message_id="12",
        supersedes=None,
    )
    described: dict[str, Any] = {
        "request_id": request_id,
        "received_at": AT,
        "lifecycle_state": state,
        "final_state_at": at(ended),
        "source": source,
        "envelope": {"payload": {"normalized_text": text, "attachments": []}},
        "aggregated_reply": None,
        "error": RequestError(error_class=error[0], message=error[1]) if error else None,
        "context": {},
        "decisions": Decisions(**decided),
        "work": None,
        "plan": None,
        "subroutes": [],
        "routing_output": None,
        "dispatch_outcomes": None,
        "calls": [],
        "notifications": [],
        "sessions": [],
        "audit": [],
        "dedupe_conflicts": [],
        "dead_letters": [],
        "timeline": [],
    }
    document: dict[str, Any] = json.loads(RequestView(**{**described, **parts}).model_dump_json())
    return document


def kept_session(
    *, seconds: float = 0.1, family: str = "api", words: tuple[str, str] | None = None, **changed: Any
) -> dict[str, Any]:
    """One session of `GET /ops/v1/requests/{id}/sessions`; `words`: what its model read and wrote."""
    kept = KeptSessionView(
        **{
            "session_id": UUID(int=7),
            "kind": "route",
            "trigger_source": "ingress",
            "family": family,
            "model": "stub",
            "prompt_version": "p3",
            "started_at": moment(seconds),
            "ended_at": moment(seconds + 1.2),
            "status": "completed",
            "tool_calls": [{"tool": "route_to_butler", "args": {"butler": "finance"}}],
            "error": None,
            "duration_ms": 1200.0,
            "tags": [],
            "transcript": TranscriptView(prompt=words[0], output=words[1]) if words else None,
            **changed,
        }
    )
    document: dict[str, Any] = json.loads(kept.model_dump_json())
    return document


def work(**changed: Any) -> WorkView:
    described: dict[str, Any] = {
        "lane": "interactive",
        "source": "telegram",
        "thread_key": None,
        "blocking": True,
        "attempt": 1,
        "available_at": moment(2),
        "leased": False,
        "lease_until": None,
        "enqueued_at": AT,
        "waiting_s": 42.0,
    }
    return WorkView(**{**described, **changed})


def call(target: str, error: str, *, seconds: float, position: int = 1) -> CallView:
    return CallView(
        subrequest_id=UUID(int=position),
        target_butler=target,
        tool_name="route.execute",
        success=False,
        duration_ms=3.0,
        error_class="target_unavailable",
        error=error,
        created_at=moment(seconds),
    )


def conflict(text: str, *, seconds: float) -> ConflictView:
    envelope = {"payload": {"normalized_text": text}}
    return ConflictView(
        dedupe_key="k", seen_at=moment(seconds), fingerprint="f", envelope=envelope, new_request_id=None
    )


def audit(operation: str, summary: str, *, seconds: float, reason: str | None = None) -> AuditView:
    return AuditView(
        audit_id=1,
        at=moment(seconds),
        butler="switchboard",
        actor="operator",
        operation=operation,
        subject=None,
        summary=summary,
        reason=reason,
        result="ok",
        error=None,
    )


def delivery(
    status: str = "sent",
    *,
    attempts: list[dict[str, Any]] | None = None,
    receipts: list[dict[str, Any]] | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """One delivery as Messenger's ops API gives it."""
    one = attempt("sent") if status == "sent" else attempt(status)
    receipt = {
        "part": 0,
        "provider_delivery_id": "1001:55",
        "evidence": "provider_answer",
        "received_at": wire(0.75),
        "provider_response": None,
    }
    return {
        "delivery_id": DELIVERY,
        "request_id": str(REQUEST),
        "subrequest_id": str(UUID(int=90)),
        "idempotency_key": "k",
        "origin_butler": "finance",
        "intent": "reply",
        "channel": "telegram",
        "identity_scope": "bot",
        "target_identity": "1001",
        "thread_identity": "telegram:1001",
        "status": status,
        "attempts_used": 1,
        "provider_delivery_id": "1001:55" if status == "sent" else None,
        "error": None,
        "created_at": wire(0.62),
        "first_attempt_at": wire(0.65),
        "updated_at": wire(0.75),
        "terminal_at": wire(0.75),
        "expires_at": wire(86_400),
        "reported_at": None,
        "latest_attempt": None,
        "receipts": ([receipt] if status == "sent" else []) if receipts is None else receipts,
        "attempts": [one] if attempts is None else attempts,
        **changed,
    }


def attempt(outcome: str, *, number: int = 1, seconds: float = 0.65, **changed: Any) -> dict[str, Any]:
    return {
        "attempt": number,
        "tool": "telegram_reply_to_message",
        "started_at": wire(seconds),
        "finished_at": wire(seconds + 0.08),
        "outcome": outcome,
        "consumed": outcome != "throttled",
        "latency_ms": 80.0,
        "error_class": None,
        "error_message": None,
        "retryable": None,
        "provider_response": None,
        **changed,
    }


def wire(seconds: float) -> str:
    return moment(seconds).isoformat().replace("+00:00", "Z")


def summary(request_id: UUID = REQUEST, **changed: Any) -> dict[str, Any]:
    """One line of `GET /ops/v1/requests`."""
    return {
        "request_id": str(request_id),
        "received_at": wire(0),
        "lifecycle_state": "parsed",
        "final_state_at": wire(1.8),
        "channel": "telegram",
        "endpoint_identity": "telegram:household",
        "sender_identity": "1001",
        "thread_identity": "1001",
        "policy_tier": "interactive",
        "sender_class": "household",
        "excerpt": TEXT,
        "butlers": ["finance", "health"],
        "error": None,
        **changed,
    }
