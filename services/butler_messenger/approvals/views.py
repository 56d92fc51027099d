"""PURE: an approval as JSON for tools and the ops API, including the text, which an approver has to read."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.attachments import shown
from butler_contracts.call_approvals import shown_arguments
from butler_kit.markup import said_by
from butler_messenger.approvals.call_words import is_call, tool_of
from butler_messenger.approvals.words import preview_of
from butler_messenger.attachments.words import file_lines
from butler_messenger.delivery.records import Row

__all__ = ["approval_view", "full_view", "id_of", "moment", "rule_view"]

_PREVIEW_CHARS: Final = 200


def id_of(row: Row) -> UUID:
    """Return the id of the approval: the delivery's own, or the call's."""
    own: UUID = row["approval_id" if is_call(row) else "delivery_id"]
    return own


def approval_view(row: Row) -> dict[str, Any]:
    """Return a list entry: who says what to whom, or calls what; deadline; verdict, by whom and why."""
    return {
        "approval_id": str(id_of(row)),
        "state": row["decision"] or "waiting",
        **(_call_of(row) if is_call(row) else _delivery_of(row)),
        "request_id": str(row["request_id"]) if row["request_id"] is not None else None,
        "requested_at": moment(row["requested_at"]),
        "expires_at": moment(row["expires_at"]),
        "decided_at": moment(row["decided_at"]),
        "decided_by": row["decided_by"],
        "decided_via": row["decided_via"],
        "reason": row["reason"],
        "rule_id": str(row["rule_id"]) if row["rule_id"] is not None else None,
    }


def _call_of(row: Row) -> dict[str, Any]:
    """`person` is the person it is for, who wrote the request."""
    return {
        "kind": "call",
        "tool": tool_of(row),
        "origin_butler": row["origin_butler"],
        "intent": "call",
        "channel": "tool",
        "target_identity": tool_of(row),
        "person": row["person"],
        "subject": None,
        "preview": preview_of(" ".join(shown_arguments(row["arguments"]).split()), _PREVIEW_CHARS),
        "attachments": [],
        "delivery_status": None,
        "error_message": None,
    }


def _delivery_of(row: Row) -> dict[str, Any]:
    wished = row["notify_request"]["delivery"]
    return {
        "kind": "message",
        "tool": row["tool"],
        "origin_butler": row["origin_butler"],
        "intent": row["intent"],
        "channel": row["channel"],
        "target_identity": row["target_identity"],
        "person": row["person"],
        "subject": wished.get("subject"),
        "preview": " ".join((_line_of(wished), *file_lines("en", wished.get("attachments") or ()))),
        "attachments": [shown(one) for one in wished.get("attachments") or ()],
        "delivery_status": row["status"],
        "error_message": row["error_message"],
    }


def _line_of(wished: Mapping[str, Any]) -> str:
    return preview_of(" ".join(said_by(wished).split()), _PREVIEW_CHARS)


def full_view(row: Row) -> dict[str, Any]:
    """Return the same with the whole text and everything sent with it, or all arguments of a call."""
    if is_call(row):
        return {**approval_view(row), "message": shown_arguments(row["arguments"]), "actions": []}
    wished = row["notify_request"]["delivery"]
    return {
        **approval_view(row),
        "message": said_by(wished) or None,
        "actions": [action["label"] for action in wished.get("actions") or ()],
    }


def rule_view(row: Row) -> dict[str, Any]:
    """Return a standing rule: who may say something to whom, by which tool, until when, who allowed or ended it.

    For a rule about a call, `arguments` are the allowed arguments and the target is their digest.
    """
    state = "in_force" if row["in_force"] else "ended" if row["ended_at"] is not None else "over"
    return {
        "rule_id": str(row["rule_id"]),
        "state": state,
        "origin_butler": row["origin_butler"],
        "tool": row["tool"],
        "channel": row["channel"],
        "target_identity": row["target_identity"],
        "person": row["person"],
        "arguments": shown_arguments(row["arguments"]) if row["arguments"] is not None else None,
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
    """Return the time as the contracts write it."""
    return value.isoformat().replace("+00:00", "Z") if value is not None else None
