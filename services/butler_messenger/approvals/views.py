"""PURE: an approval as JSON for tools and the ops API; its text is in it, for who decides on it has to read it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from butler_messenger.approvals.words import preview_of
from butler_messenger.delivery.records import Row

__all__ = ["approval_view", "full_view", "moment", "rule_view"]

_PREVIEW_CHARS: Final = 200


def approval_view(row: Row) -> dict[str, Any]:
    """One of a list: who wants to say what to whom, until when, and what was decided by whom and why."""
    wished = row["notify_request"]["delivery"]
    return {
        "approval_id": str(row["delivery_id"]),
        "state": row["decision"] or "waiting",
        "tool": row["tool"],
        "origin_butler": row["origin_butler"],
        "intent": row["intent"],
        "channel": row["channel"],
        "target_identity": row["target_identity"],
        "person": row["person"],
        "request_id": str(row["request_id"]) if row["request_id"] is not None else None,
        "subject": wished.get("subject"),
        "preview": preview_of(" ".join((wished.get("message") or "").split()), _PREVIEW_CHARS),
        "requested_at": moment(row["requested_at"]),
        "expires_at": moment(row["expires_at"]),
        "decided_at": moment(row["decided_at"]),
        "decided_by": row["decided_by"],
        "decided_via": row["decided_via"],
        "reason": row["reason"],
        "rule_id": str(row["rule_id"]) if row["rule_id"] is not None else None,
        "delivery_status": row["status"],
        "error_message": row["error_message"],
    }


def full_view(row: Row) -> dict[str, Any]:
    """The same with the whole text and what else would be sent with it."""
    wished = row["notify_request"]["delivery"]
    return {
        **approval_view(row),
        "message": wished.get("message"),
        "actions": [action["label"] for action in wished.get("actions") or ()],
    }


def rule_view(row: Row) -> dict[str, Any]:
    """One standing rule: who may say something to whom, by which tool, until when, and who allowed or ended it."""
    state = "in_force" if row["in_force"] else "ended" if row["ended_at"] is not None else "over"
    return {
        "rule_id": str(row["rule_id"]),
        "state": state,
        "origin_butler": row["origin_butler"],
        "tool": row["tool"],
        "channel": row["channel"],
        "target_identity": row["target_identity"],
        "person": row["person"],
        "approval_id": str(row["approval_id"]),
        "created_at": moment(row["created_at"]),
        "created_by": row["created_by"],
        "reason": row["reason"],
        "expires_at": moment(row["expires_at"]),
        "ended_at": moment(row["ended_at"]),
        "ended_by": row["ended_by"],
        "end_reason": row["end_reason"],
    }


def moment(value: datetime | None) -> str | None:
    """As the contracts write it."""
    return value.isoformat().replace("+00:00", "Z") if value is not None else None
