"""The arguments and results of backfill's tools and paths (frozen models; pure)."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BeforeValidator, Field, model_validator

from butler_contracts.base import StrictModel, rule_broken
from butler_contracts.heartbeat import CURSOR_MAX
from butler_contracts.text import STORABLE, Identity, excerpt
from butler_switchboard.backfill.states import Progress, Status
from butler_switchboard.operations.view import View

__all__ = [
    "BackfillAct",
    "BackfillList",
    "BackfillQuestion",
    "BackfillView",
    "CreateBody",
    "CreateJob",
    "JobQuestion",
    "JobRef",
    "PollArgs",
    "ProgressArgs",
]

RATE_MAX = 100_000
CAP_MAX = 1_000_000
ConnectorType = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
Category = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*([._-][a-z0-9]+)*$", max_length=80)]
Categories = Annotated[tuple[Category, ...], Field(max_length=50)]
Why = Annotated[str, Field(min_length=1, max_length=500), STORABLE]
Count = Annotated[int, Field(ge=0, le=1_000_000)]


def _one_day(value: object) -> object:
    """Parse a day such as `2026-01-31`, or take the day of a date and time."""
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value.upper()).date() if len(value) > 10 else date.fromisoformat(value)
    except ValueError:
        raise rule_broken("", f"is '{excerpt(value)}', which is no day", "a day such as 2026-01-31") from None


Day = Annotated[date, BeforeValidator(_one_day)]


class JobQuestion(StrictModel):
    """The filters of `backfill.list` (SWB-19.5)."""

    connector_type: ConnectorType | None = None
    endpoint_identity: Identity | None = None
    status: Status | None = None
    external_id: Identity | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100


class BackfillQuestion(JobQuestion):
    """The same from a query string."""


class CreateJob(StrictModel):
    """What a backfill reads, how fast and for how much (SWB-18.1, SWB-19.1); both days are part of it."""

    connector_type: ConnectorType
    endpoint_identity: Identity
    target_categories: Categories = ()
    date_from: Day
    date_to: Day
    rate_limit_per_hour: Annotated[int, Field(ge=1, le=RATE_MAX)] = 100
    daily_cost_cap_cents: Annotated[int, Field(ge=1, le=CAP_MAX)] = 500
    external_id: Identity | None = None

    @model_validator(mode="after")
    def _days_are_in_order(self) -> Self:
        if self.date_to < self.date_from:
            raise rule_broken("date_to", "is before date_from", "the last day of the range")
        return self


class CreateBody(CreateJob):
    """The same for a manifest: `owner` names it to people, `suspended` creates the job paused."""

    owner: Identity | None = None
    suspended: bool = False


class JobRef(StrictModel):
    job_id: UUID


class BackfillAct(StrictModel):
    """Why, and on whose behalf: `owner` must be the job's, when it has one."""

    owner: Identity | None = None
    reason: Why | None = None


class PollArgs(StrictModel):
    connector_type: ConnectorType
    endpoint_identity: Identity


class ProgressArgs(StrictModel):
    """One batch, as deltas (SWB-20.2); `batch_seq` is one more than that of the batch before (D34)."""

    job_id: UUID
    batch_seq: Annotated[int, Field(ge=1, le=2**53)]
    lease_id: UUID | None = None
    rows_processed: Count = 0
    rows_skipped: Count = 0
    cost_spent_cents: Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)] = 0.0
    cursor: Annotated[str, Field(min_length=1, max_length=CURSOR_MAX), STORABLE] | None = None
    status: Literal["active", "completed", "error"] | None = None
    error: Annotated[str, Field(min_length=1, max_length=1_000), STORABLE] | None = None

    def to_progress(self) -> Progress:
        return Progress(
            batch_seq=self.batch_seq,
            lease_id=self.lease_id,
            rows_processed=self.rows_processed,
            rows_skipped=self.rows_skipped,
            cost_spent_cents=Decimal(str(round(self.cost_spent_cents, 4))),
            cursor=self.cursor,
            ended=Status(self.status) if self.status in ("completed", "error") else None,
            error=self.error,
        )


class BackfillView(View):
    """A job as people and scripts see it; `dirty_hours` only where one job is asked for."""

    job_id: UUID
    external_id: str | None
    owner: str | None
    connector_type: str
    endpoint_identity: str
    connector_liveness: str
    target_categories: list[str]
    date_from: date
    date_to: date
    rate_limit_per_hour: int
    daily_cost_cap_cents: int
    status: str
    cursor: str | None
    batch_seq: int
    lease_until: datetime | None
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
    dirty_hours: list[datetime] | None = None


class BackfillList(View):
    jobs: list[BackfillView]
