"""PURE: backfill jobs as lists and pages show them (SWB-18, D34)."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from butler_contracts.liveness import Liveness
from butler_dashboard.reads.model import Model

__all__ = ["BackfillDetail", "BackfillList", "BackfillSummary"]


class BackfillSummary(Model):
    """A job; `owner` names the resource that declares it, if one does."""

    job_id: UUID
    owner: str | None
    connector_type: str
    endpoint_identity: str
    connector_liveness: Liveness
    target_categories: tuple[str, ...]
    date_from: date
    date_to: date
    rate_limit_per_hour: int
    daily_cost_cap_cents: int
    status: str
    rows_processed: int
    rows_skipped: int
    cost_spent_cents: float
    cost_spent_today_cents: float
    error: str | None
    created_by: str
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    progress_at: datetime | None


class BackfillDetail(BackfillSummary):
    """The same with how far it has read."""

    cursor: str | None
    batch_seq: int
    lease_until: datetime | None


class BackfillList(Model):
    """One page, newest first; `next` is null on the last."""

    backfills: tuple[BackfillSummary, ...]
    next: str | None
