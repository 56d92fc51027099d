"""PURE: a suppression as JSON for the ops API."""

from __future__ import annotations

from typing import Any

from butler_messenger.approvals.views import moment
from butler_messenger.delivery.records import Row

__all__ = ["suppression_view"]


def suppression_view(row: Row) -> dict[str, Any]:
    """Return a suppression: recipient, start, reason, actor, and the first message refused for it."""
    return {
        "suppression_id": str(row["suppression_id"]),
        "state": "in_force" if row["ended_at"] is None else "ended",
        "channel": row["channel"],
        "target_identity": row["target_identity"],
        "person": row["person"],
        "reason": row["reason"],
        "evidence": row["evidence"],
        "delivery_id": str(row["delivery_id"]) if row["delivery_id"] is not None else None,
        "created_at": moment(row["created_at"]),
        "created_by": row["created_by"],
        "refused_at": moment(row["refused_at"]),
        "refused_origin": row["refused_origin"],
        "ended_at": moment(row["ended_at"]),
        "ended_by": row["ended_by"],
        "end_reason": row["end_reason"],
    }
