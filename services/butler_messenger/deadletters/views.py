"""PURE: dead letters as JSON for tools and the ops API, and whether one may be replayed (MSR-08.1, MSR-08.2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from butler_contracts.attachments import without_addresses
from butler_messenger.delivery.records import Row
from butler_messenger.delivery.states import Status

__all__ = [
    "ReplayPolicy",
    "dead_letter_view",
    "evidence_of",
    "full_view",
    "not_eligible_because",
    "was_uncertain",
]


@dataclass(frozen=True, slots=True)
class ReplayPolicy:
    """How often a request may be replayed, and how old its dead letter may be; None while it is kept."""

    max_replays: int = 10
    within_days: int | None = None


def not_eligible_because(row: Row, policy: ReplayPolicy) -> str | None:
    """Return in words why it cannot be replayed; None if it can be tried. `row.now` is the database's."""
    if row["discarded_at"] is not None:
        return f"it was discarded by {row['discarded_by']} at {_time(row['discarded_at'])} ({row['discard_reason']})"
    if row["replayed_at"] is not None:
        said = f"it was replayed by {row['replayed_by']} at {_time(row['replayed_at'])}"
        state = f", which is {row['replay_status']}" if row["replay_status"] is not None else ""
        return f"{said} as delivery {row['replayed_as']}{state}"
    if not row["replay_eligible"]:
        return "it is marked as not to be replayed"
    if row["replay_count"] >= policy.max_replays:
        return f"its message was sent again {row['replay_count']} times, the most that deadLetterMaxReplays allows"
    days = policy.within_days
    if days is not None and row["now"] - row["created_at"] > timedelta(days=days):
        return f"it is older than {days} days, the most that deadLetterReplayDays allows"
    return None


def was_uncertain(row: Row) -> bool:
    """Whether the person may have it already (D41)."""
    return bool(_kept(row)["delivery"].get("status") == Status.UNCERTAIN)


def evidence_of(row: Row) -> str:
    """Return the known facts of an uncertain delivery in one line."""
    kept = _kept(row)
    marked = kept["markers"][-1]["marked_at"] if kept["markers"] else "an unknown moment"
    return (
        f"{len(row['attempts'])} attempts; the last provider call began at {marked}; "
        f"parts with a receipt: {len(kept['receipts'])}; {row['error_message']}"
    )


def dead_letter_view(row: Row, policy: ReplayPolicy) -> dict[str, Any]:
    """Enough to triage without inspecting: origin, channel, error class, failure summary, eligibility."""
    because = not_eligible_because(row, policy)
    return {
        "dead_letter_id": str(row["dead_letter_id"]),
        "delivery_id": str(row["delivery_id"]),
        "request_id": _id(row["request_id"]),
        "origin_butler": row["origin_butler"],
        "channel": row["channel"],
        "intent": row["intent"],
        "target_identity": row["target_identity"],
        "quarantine_reason": row["reason"],
        "quarantined_by": row["quarantined_by"],
        "error_class": row["error_class"],
        "error_message": row["error_message"],
        "attempts_count": len(row["attempts"]),
        "state": _state(row),
        "replay_eligible": because is None,
        "not_eligible_because": because,
        "replay_count": row["replay_count"],
        "replay_of": _id(row["replay_of"]),
        "replayed_as": _id(row["replayed_as"]),
        "replay_status": row["replay_status"],
        "closed_at": _moment(row["replayed_at"] or row["discarded_at"]),
        "closed_by": row["replayed_by"] or row["discarded_by"],
        "closed_reason": row["replay_reason"] or row["discard_reason"],
        "created_at": _moment(row["created_at"]),
    }


def full_view(row: Row, policy: ReplayPolicy) -> dict[str, Any]:
    """Return all of it: the original request, attempts, receipts, open markers, the assessment (MSR-08.2)."""
    kept, because = _kept(row), not_eligible_because(row, policy)
    uncertain = was_uncertain(row)
    return {
        **dead_letter_view(row, policy),
        "idempotency_key": row["idempotency_key"],
        "notify_request": without_addresses(row["notify_request"]),
        "attempts": row["attempts"],
        "receipts": kept["receipts"],
        "markers": kept["markers"],
        "assessment": {
            "eligible": because is None,
            "because": because,
            "uncertain": uncertain,
            "evidence": evidence_of(row) if uncertain else None,
            "needs": "resend_uncertain" if uncertain and because is None else None,
        },
    }


def _kept(row: Row) -> dict[str, Any]:
    """Return the row's own copy of the delivery; rows of an earlier release have none."""
    return row["kept"] or {"delivery": {}, "receipts": [], "markers": []}


def _state(row: Row) -> str:
    if row["discarded_at"] is not None:
        return "discarded"
    return "replayed" if row["replayed_at"] is not None else "open"


def _id(value: UUID | None) -> str | None:
    return str(value) if value is not None else None


def _moment(value: datetime | None) -> str | None:
    return value.isoformat().replace("+00:00", "Z") if value is not None else None


def _time(value: datetime) -> str:
    return value.isoformat(timespec="seconds").replace("+00:00", "Z")
