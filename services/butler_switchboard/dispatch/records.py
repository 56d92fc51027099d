"""Turns stored rows into plans and subroutes, and back (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from butler_contracts.errors import ErrorDetail
from butler_contracts.stored import stored
from butler_switchboard.dispatch.model import Plan, Subroute, SubrouteState

__all__ = ["plan_from_json", "plan_to_json", "subroute_from_row"]


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """Return the plan as it is stored in `route_plan.plan`."""
    document = asdict(plan)
    document["request_id"] = str(plan.request_id)
    document["error"] = plan.error.to_wire() if plan.error else None
    if plan.corrects is not None:
        document["corrects"]["request_id"] = str(plan.corrects.request_id)
    if plan.settles is not None:
        document["settles"]["rule_id"] = str(plan.settles.rule_id)
    if plan.takes_back is not None:
        document["takes_back"] = str(plan.takes_back)
    if plan.held is not None and plan.held.until is not None:
        document["held"]["until"] = plan.held.until.isoformat()
    return document


def plan_from_json(document: Mapping[str, Any]) -> Plan:
    """Return the committed plan. Raises `Unreadable`."""
    return stored(Plan, document)


def subroute_from_row(row: Mapping[str, Any]) -> Subroute:
    """Return one stored attempt. Raises `Unreadable`."""
    return Subroute(
        subrequest_id=row["subrequest_id"],
        segment_id=row["segment_id"],
        target=row["target"],
        attempt=row["attempt"],
        position=row["position"],
        state=stored(SubrouteState, row["state"]),
        transport_tries=row["transport_tries"],
        next_try_at=row["next_try_at"],
        waiting_since=row["waiting_since"],
        accepted_at=row["accepted_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        deadline_at=row["deadline_at"],
        error=_error(row),
        response=row["response"],
        duration_ms=row["duration_ms"],
        replay_of=row["replay_of"],
        late_ok=bool(row["late_ok"]),
    )


def _error(row: Mapping[str, Any]) -> ErrorDetail | None:
    if row["error_class"] is None:
        return None
    return stored(
        ErrorDetail,
        {
            "class": row["error_class"],
            "message": row["error_message"] or row["error_class"],
            "retryable": bool(row["retryable"]),
            "original_class": row["error_original_class"],
            "retry_after_s": _asked_pause_s(row["response"]),
        },
    )


def _asked_pause_s(response: Mapping[str, Any] | None) -> float | None:
    """Return the pause that the target's answer asks for; None if it asks for none, or cannot be read."""
    error = (response or {}).get("error")
    asked = error.get("retry_after_s") if isinstance(error, dict) else None
    if isinstance(asked, bool) or not isinstance(asked, int | float):
        return None
    return float(asked) if asked >= 0 else None
