"""Sample answers of the dashboard's reads, for tests of its templates; `NOW` is their present."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from butler_contracts.liveness import Liveness
from butler_dashboard.reads.approval_models import ApprovalSummary
from butler_dashboard.reads.backfill_models import BackfillSummary
from butler_dashboard.reads.butler_models import ButlerEvidence, ButlerSummary
from butler_dashboard.reads.connector_models import ConnectorSummary, ConnectorToday
from butler_dashboard.reads.delivery_models import Attempt, DeliveryDetail, DeliveryError, Receipt
from butler_dashboard.reads.letter_models import DeadLetterSummary
from butler_dashboard.reads.record_models import RecordSummary
from butler_dashboard.reads.request_models import (
    Decisions,
    Notification,
    Plan,
    PlannedTarget,
    RequestLetter,
    RequestLife,
    RequestSource,
    RequestSummary,
    Session,
    Subroute,
)

__all__ = [
    "NOW",
    "backfill",
    "butler",
    "connector",
    "delivery",
    "letter",
    "life",
    "record",
    "request",
    "subroute",
]

NOW = datetime(2026, 11, 22, 10, 40, 12, tzinfo=UTC)
REQUEST = UUID("019ca8d9-0b40-7000-8000-000000000001")


def at(seconds: float) -> datetime:
    """A moment of the sample request, which came in a minute ago."""
    return NOW - timedelta(seconds=60) + timedelta(seconds=seconds)


def identity(number: int) -> UUID:
    return UUID(int=(7 << 76) | (2 << 62) | number)


def connector(**changes: Any) -> ConnectorSummary:
    known: dict[str, Any] = {
        "connector_type": "telegram_bot",
        "endpoint_identity": "telegram:bot:household",
        "liveness": Liveness.ONLINE,
        "state": "healthy",
        "error_message": None,
        "version": "0.1.0",
        "uptime_s": 93_211.0,
        "last_heartbeat_at": NOW - timedelta(seconds=34),
        "first_seen_at": NOW - timedelta(days=42),
        "today": ConnectorToday(
            messages_ingested=128,
            messages_failed=1,
            uptime_pct=99.2,
            rolled_up_to=NOW.replace(minute=0, second=0),
        ),
    }
    return ConnectorSummary(**{**known, **changes})


def request(number: int = 1, **changes: Any) -> RequestSummary:
    known: dict[str, Any] = {
        "request_id": identity(number),
        "received_at": NOW - timedelta(minutes=7 * number * number),
        "state": "parsed",
        "final_state_at": NOW - timedelta(minutes=7 * number * number) + timedelta(seconds=1.1),
        "channel": "telegram",
        "endpoint_identity": "telegram:bot:household",
        "sender_identity": "1002",
        "thread_identity": "1002",
        "policy_tier": "interactive",
        "sender_class": "household",
        "excerpt": "Booked the hotel in Porto for 2027-04-02, three nights.",
        "butlers": ("travel", "relationship"),
        "error": None,
        "backfill_job_id": None,
    }
    return RequestSummary(**{**known, **changes})


def subroute(target: str, segment: str, position: int, **changes: Any) -> Subroute:
    known: dict[str, Any] = {
        "subrequest_id": identity(500 + position),
        "segment_id": segment,
        "target": target,
        "attempt": 1,
        "position": position,
        "state": "ok",
        "transport_tries": 1,
        "next_try_at": None,
        "first_sent_at": at(0.25),
        "accepted_at": at(0.27),
        "started_at": at(0.30 + 0.05 * position),
        "finished_at": at(0.70 + 0.16 * position),
        "deadline_at": at(900),
        "late": False,
        "reply": "Noted: Porto, 2027-04-02, three nights.",
        "error_class": None,
        "error_message": None,
        "retryable": None,
        "duration_ms": 400.0,
        "replay_of": None,
    }
    return Subroute(**{**known, **changes})


def delivery(number: int = 1, **changes: Any) -> DeliveryDetail:
    known: dict[str, Any] = {
        "delivery_id": identity(900 + number),
        "request_id": REQUEST,
        "subrequest_id": identity(501),
        "origin_butler": "travel",
        "intent": "reply",
        "channel": "telegram",
        "identity_scope": "bot",
        "target_identity": "1002",
        "thread_identity": "1002",
        "status": "sent",
        "attempts_used": 1,
        "provider_delivery_id": "1002:55",
        "error": None,
        "created_at": at(0.66),
        "first_attempt_at": at(0.73),
        "updated_at": at(0.81),
        "terminal_at": at(0.81),
        "expires_at": at(86_400),
        "replay_of": None,
        "attempts": (
            Attempt(
                attempt=1,
                tool="telegram_reply_to_message",
                started_at=at(0.73),
                finished_at=at(0.81),
                outcome="sent",
                consumed=True,
                latency_ms=80.0,
                error_class=None,
                error_message=None,
                retryable=None,
            ),
        ),
        "receipts": (
            Receipt(part=1, provider_delivery_id="1002:55", evidence="provider", received_at=at(0.81)),
        ),
    }
    return DeliveryDetail(**{**known, **changes})


def undelivered(number: int, status: str, **changes: Any) -> DeliveryDetail:
    error = DeliveryError(
        error_class="timeout", message="sendMessage: no answer within 10 s", retryable=False
    )
    lost = {"status": status, "error": error, "provider_delivery_id": None, "receipts": ()}
    return delivery(number, **{**lost, **changes})


def life(**changes: Any) -> RequestLife:
    """Ben's message of docs/message-walk.md: two subjects, two butlers, one answer delivered."""
    known: dict[str, Any] = {
        "request_id": REQUEST,
        "received_at": at(0),
        "state": "parsed",
        "final_state_at": at(1.02),
        "text": "Booked the hotel in Porto for 2027-04-02, three nights.\n\nAlso: I met my old friend Jonas at the "
        "conference, his birthday is on 9 May 2027.",
        "reply": None,
        "error": None,
        "backfill_job_id": None,
        "dedupe_conflicts": 0,
        "source": RequestSource(
            channel="telegram",
            provider="telegram",
            endpoint_identity="telegram:bot:household",
            sender_identity="1002",
            thread_identity="1002",
            event_id="742",
            message_id="54",
            supersedes=None,
            observed_at=at(-0.4),
        ),
        "decisions": Decisions(
            triage_decision="pass_through",
            triage_target=None,
            triage_rule_id=None,
            triage_rule_type=None,
            sender_class="household",
            reply_policy="allow",
            automatic=False,
            policy_tier="interactive",
            ingestion_tier="full",
            dedupe_key="event:telegram:telegram:telegram:bot:household:742",
        ),
        "work": None,
        "plan": Plan(
            committed_at=at(0.20),
            family="rules",
            model_version="rules-7",
            prompt_version="p3",
            decided_by="runtime",
            confidence=0.97,
            fallback=False,
            reason="routed",
            fanout_mode="parallel",
            join_policy="all",
            abort_policy="none",
            targets=(
                PlannedTarget(butler="travel", segment_id="s1", prompt="Booked the hotel in Porto"),
                PlannedTarget(butler="relationship", segment_id="s2", prompt="I met my old friend Jonas"),
            ),
        ),
        "subroutes": (
            subroute("travel", "s1", 1),
            subroute("relationship", "s2", 2, reply="Noted: Jonas, birthday on 9 May 2027."),
        ),
        "calls": (),
        "sessions": (
            Session(
                session_id=identity(700),
                kind="route",
                trigger_source="inbox",
                family="rules",
                model=None,
                prompt_version="p3",
                started_at=at(0.08),
                ended_at=at(0.19),
                status="completed",
                duration_ms=110.0,
            ),
        ),
        "notifications": (
            Notification(
                notification_id=identity(800),
                origin_butler="travel",
                purpose="reply",
                intent="reply",
                channel="telegram",
                recipient="1002",
                message_excerpt="Noted: Porto, 2027-04-02, three nights.",
                status="sent",
                delivery_id=str(identity(901)),
                delivery_state="sent",
                error_class=None,
                error_message=None,
                created_at=at(0.65),
                updated_at=at(0.83),
            ),
        ),
        "deliveries": (delivery(1),),
        "dead_letters": (),
        "audit": (),
        "timeline": (),
    }
    return RequestLife(**{**known, **changes})


def request_letter(**changes: Any) -> RequestLetter:
    known: dict[str, Any] = {
        "dead_letter_id": identity(40),
        "generation": 1,
        "created_at": at(5),
        "state": "open",
        "targets": ("travel",),
        "error_class": "target_unavailable",
        "error_message": "travel is not reachable",
        "closed_at": None,
        "closed_by": None,
        "closed_reason": None,
        "outcome": None,
        "outcome_at": None,
    }
    return RequestLetter(**{**known, **changes})


def letter(number: int = 1, **changes: Any) -> DeadLetterSummary:
    known: dict[str, Any] = {
        "dead_letter_id": identity(40 + number),
        "kind": "request",
        "request_id": REQUEST,
        "delivery_id": None,
        "replay_of": None,
        "created_at": NOW - timedelta(hours=3 * number),
        "state": "open",
        "channel": "telegram",
        "origin": "1002",
        "targets": ("finance",),
        "error_class": "target_unavailable",
        "error_message": "finance gave no sign of life for 180 s",
        "attempts": 3,
        "replay_eligible": True,
        "closed_at": None,
        "closed_by": None,
        "closed_reason": None,
        "outcome": None,
    }
    return DeadLetterSummary(**{**known, **changes})


def record(**changes: Any) -> RecordSummary:
    """A fact with nothing but its words."""
    known: dict[str, Any] = {
        **dict.fromkeys(RecordSummary.model_fields),
        "butler": "finance",
        "record_id": identity(60),
        "request_id": REQUEST,
        "kind": "expense",
        "occurred_on": NOW.date(),
        "text": "Paid it",
        "channel": "telegram",
        "sender_identity": "1001",
        "sender_class": "household",
        "recorded_at": NOW,
        "version": 1,
    }
    return RecordSummary(**{**known, **changes})


def butler(**changes: Any) -> ButlerSummary:
    known: dict[str, Any] = {
        "name": "finance",
        "role": "specialist",
        "description": "Bills, payments, subscriptions, what things cost.",
        "eligibility_state": "active",
        "eligibility_reason": "heartbeat",
        "eligibility_updated_at": NOW - timedelta(hours=30),
        "silent": False,
        "last_seen_at": NOW - timedelta(seconds=11),
        "quarantined_at": None,
        "quarantine_reason": None,
        "quarantine_origin": None,
        "quarantine_until": None,
        "manifest_hold_reason": None,
        "manifest_hold_until": None,
        "evidence": ButlerEvidence(
            ready=True,
            ready_since=NOW - timedelta(hours=30),
            unready_since=None,
            restarts=0,
            crash_loop=False,
            rollout=False,
            observed_at=NOW - timedelta(seconds=4),
        ),
    }
    return ButlerSummary(**{**known, **changes})


def approval(number: int = 1, **changes: Any) -> ApprovalSummary:
    known: dict[str, Any] = {
        "approval_id": identity(80 + number),
        "tool": "telegram_send_message",
        "requested_at": NOW - timedelta(minutes=5),
        "expires_at": NOW + timedelta(days=3),
        "state": "waiting",
        "decided_at": None,
        "decided_by": None,
        "decided_via": None,
        "reason": None,
        "request_id": identity(1),
        "origin_butler": "finance",
        "intent": "send",
        "channel": "telegram",
        "target_identity": "1002",
        "status": "pending_approval",
        "subject": None,
        "message": "Dinner at eight",
    }
    return ApprovalSummary(**{**known, **changes})


def backfill(number: int = 1, **changes: Any) -> BackfillSummary:
    known: dict[str, Any] = {
        "job_id": identity(60 + number),
        "owner": "home/last-winter",
        "connector_type": "imap",
        "endpoint_identity": "imap:user:ada@example.org",
        "connector_liveness": Liveness.ONLINE,
        "target_categories": ("finance", "travel"),
        "date_from": date(2025, 12, 1),
        "date_to": date(2026, 2, 28),
        "rate_limit_per_hour": 100,
        "daily_cost_cap_cents": 500,
        "status": "active",
        "rows_processed": 1_412,
        "rows_skipped": 37,
        "cost_spent_cents": 812.5,
        "cost_spent_today_cents": 214.25,
        "error": None,
        "created_by": "operator",
        "created_at": NOW - timedelta(days=2),
        "updated_at": NOW - timedelta(seconds=40),
        "started_at": NOW - timedelta(days=2),
        "finished_at": None,
        "progress_at": NOW - timedelta(seconds=40),
    }
    return BackfillSummary(**{**known, **changes})
