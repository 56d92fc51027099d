"""A backfill job as Switchboard's ops API shows it, and the request that creates it (pure)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from butler_resources.kinds.backfill import BackfillJob
from butler_resources.kinds.statuses import BackfillState

__all__ = ["ENDED", "Row", "create_body", "owner_name", "row_of"]

ENDED = frozenset({BackfillState.COMPLETED, BackfillState.CANCELLED, BackfillState.ERROR})


@dataclass(frozen=True)
class Row:
    """A job as Switchboard reports it; timestamps are in Kubernetes' format."""

    job_id: str
    state: BackfillState
    rate_limit_per_hour: int
    daily_cost_cap_cents: int
    connector_online: bool
    connector_type: str
    rows_processed: int = 0
    rows_skipped: int = 0
    cost_spent_cents: int = 0
    cost_spent_today_cents: int = 0
    started_at: str | None = None
    finished_at: str | None = None
    error: str | None = None

    @property
    def ended(self) -> bool:
        return self.state in ENDED


def row_of(document: Mapping[str, Any]) -> Row:
    """Parse the job in an answer, rounding cents up. Raises `ValueError`, `KeyError` or `TypeError`."""
    return Row(
        job_id=str(document["job_id"]),
        state=BackfillState(document["status"]),
        rate_limit_per_hour=int(document["rate_limit_per_hour"]),
        daily_cost_cap_cents=int(document["daily_cost_cap_cents"]),
        connector_online=document.get("connector_liveness") == "online",
        connector_type=str(document.get("connector_type") or ""),
        rows_processed=int(document.get("rows_processed") or 0),
        rows_skipped=int(document.get("rows_skipped") or 0),
        cost_spent_cents=math.ceil(document.get("cost_spent_cents") or 0),
        cost_spent_today_cents=math.ceil(document.get("cost_spent_today_cents") or 0),
        started_at=_seconds(document.get("started_at")),
        finished_at=_seconds(document.get("finished_at")),
        error=document.get("error"),
    )


def owner_name(body: Mapping[str, Any]) -> str:
    """Return the resource's name as Switchboard shows it to people whose request it refuses."""
    metadata = body["metadata"]
    return f"BackfillJob {metadata['namespace']}/{metadata['name']}"


def create_body(job: BackfillJob, body: Mapping[str, Any], connector: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body for `POST /ops/v1/backfills`; the resource's UID makes two requests one job."""
    spec, source = job.spec, connector.get("spec") or {}
    return {
        "external_id": body["metadata"]["uid"],
        "owner": owner_name(body),
        "connector_type": source.get("type"),
        "endpoint_identity": source.get("endpointIdentity"),
        "target_categories": list(spec.target_categories),
        "date_from": spec.date_from.isoformat(),
        "date_to": spec.date_to.isoformat(),
        "rate_limit_per_hour": spec.rate_limit_per_hour,
        "daily_cost_cap_cents": spec.daily_cost_cap_cents,
        "suspended": spec.suspend,
    }


def _seconds(moment: Any) -> str | None:
    text = str(moment or "")
    return f"{text[:19]}Z" if len(text) >= 19 else None
