"""PURE: an approval as JSON for tools and the ops API; its text is in it, for who decides on it has to read it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from butler_messenger.approvals.words import preview_of
from butler_messenger.delivery.records import Row

__all__ = ["approval_view", "full_view"]

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
        "requested_at": _time(row["requested_at"]),
        "expires_at": _time(row["expires_at"]),
        "decided_at": _time(row["decided_at"]),
        "decided_by": row["decided_by"],
        "decided_via": row["decided_via"],
        "reason": row["reason"],
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


def _time(value: datetime | None) -> str | None:
    return value.isoformat().replace("+00:00", "Z") if value is not None else None
