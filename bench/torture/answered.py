"""What must hold of resources without children: their status, and what the household's services were asked (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["wrong_job", "wrong_operation"]

Body = Mapping[str, Any]
_ENDS: Final = {"Succeeded": "Complete", "Failed": "Failed"}


def wrong_job(body: Body, row: Body | None) -> list[str]:
    """Return how Switchboard's row or the status differs from what a BackfillJob says now."""
    spec, status = body["spec"], body.get("status") or {}
    if row is None:
        return ["Switchboard has no such job"]
    wanted = {
        "rate_limit_per_hour": spec["rateLimitPerHour"],
        "daily_cost_cap_cents": spec["dailyCostCapCents"],
        "status": "paused" if spec["suspend"] else "pending",
    }
    found = [f"{name} is {row[name]}, not {value}" for name, value in wanted.items() if row[name] != value]
    if status.get("jobId") != row["job_id"]:
        found.append(f"the status names job {status.get('jobId')}, not {row['job_id']}")
    if status.get("state") != row["status"]:
        found.append(f"the status says {status.get('state')}, Switchboard {row['status']}")
    return [*found, *_of_earlier(body)]


def wrong_operation(body: Body, asked: int) -> list[str]:
    """Return what is wrong with a ButlerOperation for which the services were asked so often."""
    phase = (body.get("status") or {}).get("phase")
    if phase not in _ENDS:
        return [f"the phase is {phase}"]
    wanted = 1 if phase == "Succeeded" else 0
    found = [] if asked == wanted else [f"{phase}, and asked for {asked} times"]
    conditions = {one["type"]: one["status"] for one in body["status"].get("conditions") or ()}
    if conditions.get(_ENDS[phase]) != "True":
        found.append(f"{phase}, and condition {_ENDS[phase]} is not True")
    return [*found, *_of_earlier(body)]


def _of_earlier(body: Body) -> list[str]:
    seen = (body.get("status") or {}).get("observedGeneration")
    return [] if seen == body["metadata"]["generation"] else ["the status is of an earlier generation"]
