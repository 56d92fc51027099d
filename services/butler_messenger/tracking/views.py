"""PURE: deliveries, attempts and receipts as JSON for tools and the ops API (MSR-09).

They do not contain the text of a message; those who need it have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from butler_contracts.attachments import shown, without_addresses
from butler_messenger.delivery.records import Row

__all__ = [
    "attempt_view",
    "delivery_view",
    "latest_attempt_view",
    "receipt_view",
    "shown_status",
    "trace_view",
]


def delivery_view(row: Row) -> dict[str, Any]:
    """One delivery: lineage, state, times, and the failure if there is one."""
    return {
        "delivery_id": str(row["delivery_id"]),
        "request_id": _text(row["request_id"]),
        "subrequest_id": _text(row["subrequest_id"]),
        "idempotency_key": row["idempotency_key"],
        "replay_of": _text(row["replay_of"]),
        "collected_at": _time(row["collected_at"]),
        "quiet_until": _time(row["quiet_until"]),
        "digest_id": _text(row["digest_id"]),
        "origin_butler": row["origin_butler"],
        "intent": row["intent"],
        "channel": row["channel"],
        "identity_scope": row["identity_scope"],
        "target_identity": row["target_identity"],
        "thread_identity": row["thread_identity"],
        "attachments": _attachments(row),
        "status": shown_status(row),
        "attempts_used": row["attempts_used"],
        "provider_delivery_id": row["provider_delivery_id"],
        "error": _error(row, ""),
        "created_at": _time(row["created_at"]),
        "first_attempt_at": _time(row["first_attempt_at"]),
        "updated_at": _time(row["updated_at"]),
        "terminal_at": _time(row["terminal_at"]),
        "expires_at": _time(row["expires_at"]),
        "reported_at": _time(row["reported_at"]),
    }


def latest_attempt_view(row: Row) -> dict[str, Any] | None:
    """The latest attempt of a row of the query `status`; None before the first."""
    if row["latest_attempt"] is None:
        return None
    return {
        "attempt": row["latest_attempt"],
        "tool": row["latest_tool"],
        "started_at": _time(row["latest_started_at"]),
        "finished_at": _time(row["latest_finished_at"]),
        "outcome": row["latest_outcome"],
        "latency_ms": row["latest_latency_ms"],
        "error": _error(row, "latest_"),
    }


def attempt_view(row: Row) -> dict[str, Any]:
    """One provider attempt."""
    return {
        "attempt": row["attempt"],
        "tool": row["tool"],
        "started_at": _time(row["started_at"]),
        "finished_at": _time(row["finished_at"]),
        "outcome": row["outcome"],
        "consumed": row["consumed"],
        "latency_ms": row["latency_ms"],
        "error_class": row["error_class"],
        "error_message": row["error_message"],
        "retryable": row["retryable"],
        "provider_response": row["provider_response"],
    }


def receipt_view(row: Row) -> dict[str, Any]:
    """Return what the provider said it took, or where it was found."""
    return {
        "part": row["part"],
        "provider_delivery_id": row["provider_delivery_id"],
        "evidence": row["evidence"],
        "received_at": _time(row["received_at"]),
        "provider_response": row["provider_response"],
    }


def trace_view(row: Row, attempts: Iterable[Row], receipts: Iterable[Row]) -> dict[str, Any]:
    """Return a delivery from the notify that requested it to the provider's receipts."""
    return {
        **delivery_view(row),
        "notify_request": _without_text(row["notify_request"]),
        "resolved": {
            "target_identity": row["target_identity"],
            "thread_identity": row["thread_identity"],
            "contact_id": _text(row["contact_id"]),
            "reply_to": row["reply_to"],
        },
        "attempts": [attempt_view(attempt) for attempt in attempts],
        "receipts": [receipt_view(receipt) for receipt in receipts],
    }


def _attachments(row: Row) -> list[dict[str, Any]]:
    """Return its files, and why any of them was left out."""
    without = row["not_attached"] or {}
    files = row["notify_request"]["delivery"].get("attachments") or ()
    return [
        {**shown(one), "problem": without.get(str(number), {}).get("message")}
        for number, one in enumerate(files)
    ]


def _without_text(envelope: Mapping[str, Any]) -> dict[str, Any]:
    seen = without_addresses(envelope)
    delivery = seen["delivery"]
    message = delivery.pop("message", None)
    return {**seen, "delivery": {**delivery, "message_chars": len(message) if message else 0}}


def shown_status(row: Row) -> str:
    """Return the state; `bounced` for a mail that was sent and came back."""
    return "bounced" if row["bounced_at"] is not None else row["status"]


def _error(row: Row, prefix: str) -> dict[str, Any] | None:
    if row[f"{prefix}error_class"] is None:
        return None
    retryable = row["latest_retryable"] if prefix else row["error_retryable"]
    return {
        "class": row[f"{prefix}error_class"],
        "message": row[f"{prefix}error_message"],
        "retryable": retryable,
    }


def _time(value: datetime | None) -> str | None:
    return value.isoformat().replace("+00:00", "Z") if value is not None else None


def _text(value: UUID | None) -> str | None:
    return str(value) if value is not None else None
