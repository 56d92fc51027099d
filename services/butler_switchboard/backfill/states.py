"""The state machine of a backfill job (pure; SWB-18.2, SWB-19, SWB-20, D34).

    pending ──poll──► active ──progress──► completed | error | cost_capped
       ▲   ◄─lease runs out─┘                                        │
       └────────resume──── paused ◄──pause── pending, active, cost_capped
    cancel ends every job that has not ended. While the service level is missed, progress ends in pending, not active.

Invariants: `active` means that somebody holds a lease; a batch is counted once, whoever reports it and however often;
a connector's report never changes a state that a person set (paused, cancelled); an ended job stays ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final
from uuid import UUID

from butler_contracts.errors import Conflict

__all__ = [
    "LEASE",
    "TERMINAL",
    "Applied",
    "Job",
    "Outcome",
    "Progress",
    "Status",
    "WrongState",
    "assign",
    "cancel",
    "expire",
    "pause",
    "report",
    "resume",
]

LEASE: Final = timedelta(seconds=60)
"""How long a job belongs to the connector that took it, without a report from it."""


class Status(StrEnum):
    """Every state of a job (SWB-18.2)."""

    PENDING = "pending"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    COST_CAPPED = "cost_capped"
    ERROR = "error"


class Outcome(StrEnum):
    """The outcome of a report: counted, counted before, or from somebody who no longer holds the job."""

    APPLIED = "applied"
    REPEATED = "repeated"
    LEASE_LOST = "lease_lost"


TERMINAL: Final = frozenset({Status.COMPLETED, Status.CANCELLED, Status.ERROR})
_PAUSABLE: Final = frozenset({Status.PENDING, Status.ACTIVE, Status.COST_CAPPED})
_RESUMABLE: Final = frozenset({Status.PAUSED, Status.COST_CAPPED})
_NOTHING: Final = Decimal(0)


class WrongState(Conflict):
    """The job's state does not allow what was asked (HTTP 409)."""


@dataclass(frozen=True, slots=True)
class Job:
    """The part of a job that changes; `day_allowance_cents` replaces the cap on `spend_day`, after a resume."""

    job_id: UUID
    daily_cost_cap_cents: int
    status: Status = Status.PENDING
    cursor: str | None = None
    batch_seq: int = 0
    lease_id: UUID | None = None
    lease_until: datetime | None = None
    rows_processed: int = 0
    rows_skipped: int = 0
    cost_spent_cents: Decimal = _NOTHING
    spend_day: date | None = None
    spend_day_cents: Decimal = _NOTHING
    day_allowance_cents: Decimal | None = None
    error: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    progress_at: datetime | None = None

    def spent_on(self, day: date) -> Decimal:
        return self.spend_day_cents if self.spend_day == day else _NOTHING

    def allowed_on(self, day: date) -> Decimal:
        """Return what may be spent on a UTC day."""
        if self.spend_day == day and self.day_allowance_cents is not None:
            return max(self.day_allowance_cents, Decimal(self.daily_cost_cap_cents))
        return Decimal(self.daily_cost_cap_cents)


@dataclass(frozen=True, slots=True)
class Progress:
    """One report: deltas of batch `batch_seq`; `ended` is set if the connector says it is done or cannot go on.

    Without `lease_id` only `batch_seq` tells whether the report is the next one.
    """

    batch_seq: int
    lease_id: UUID | None = None
    rows_processed: int = 0
    rows_skipped: int = 0
    cost_spent_cents: Decimal = _NOTHING
    cursor: str | None = None
    ended: Status | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """A report's outcome and the job after it."""

    outcome: Outcome
    job: Job


def assign(job: Job, *, lease_id: UUID, now: datetime) -> Job:
    """Give a pending job to the connector that polls (SWB-20.1)."""
    if job.status is not Status.PENDING:
        raise WrongState(f"job {job.job_id} is {job.status}; only a pending one is taken")
    return replace(
        job,
        status=Status.ACTIVE,
        lease_id=lease_id,
        lease_until=now + LEASE,
        started_at=job.started_at or now,
    )


def expire(job: Job, *, now: datetime) -> Job:
    """Take the job from a connector that fell silent; its place is kept, and it may still come back (D34)."""
    if job.status is not Status.ACTIVE or job.lease_until is None or job.lease_until > now:
        return job
    return replace(job, status=Status.PENDING, lease_until=None)


def pause(job: Job) -> Job:
    """Stop and keep the place (SWB-19.2); a paused job stays as it is."""
    if job.status is Status.PAUSED:
        return job
    if job.status not in _PAUSABLE:
        raise WrongState(f"job {job.job_id} is {job.status}; only a job that has not ended can be paused")
    return replace(job, status=Status.PAUSED, lease_until=None)


def resume(job: Job, *, now: datetime) -> Job:
    """Queue a paused or capped job again (SWB-19.4); a day whose allowance is spent gets another one.

    Its former holder has to poll again: the lease is gone.
    """
    if job.status not in _RESUMABLE:
        raise WrongState(
            f"job {job.job_id} is {job.status}; backfill.resume is for a paused or cost_capped one"
        )
    today = now.date()
    spent, allowance = job.spent_on(today), job.allowed_on(today)
    if spent >= allowance:
        allowance = spent + job.daily_cost_cap_cents
    return replace(
        job,
        status=Status.PENDING,
        lease_id=None,
        lease_until=None,
        error=None,
        spend_day=today,
        spend_day_cents=spent,
        day_allowance_cents=allowance,
    )


def cancel(job: Job, *, now: datetime) -> Job:
    """End a job that has not ended (SWB-19.3); a cancelled job stays as it is."""
    if job.status is Status.CANCELLED:
        return job
    if job.status in TERMINAL:
        raise WrongState(f"job {job.job_id} is {job.status}; there is nothing to cancel any more")
    return replace(job, status=Status.CANCELLED, lease_until=None, finished_at=now)


def report(job: Job, progress: Progress, *, now: datetime, tight: bool = False) -> Applied:
    """Count a batch once (SWB-20.2, D34). Raises `WrongState` for a batch that cannot be the next one.

    Work done before a pause or a cancellation became known is counted; the state that the person set stays. `tight`:
    the service level is missed, so the job waits in its place until a connector may poll for it again.
    """
    if progress.lease_id is not None and progress.lease_id != job.lease_id:
        return Applied(Outcome.LEASE_LOST, job)
    if progress.batch_seq == job.batch_seq and job.batch_seq > 0:
        return Applied(Outcome.REPEATED, job)
    if progress.batch_seq != job.batch_seq + 1:
        raise WrongState(
            f"batch_seq: is {progress.batch_seq}; expected {job.batch_seq + 1}, the one after the last counted"
        )
    if job.status in (Status.COMPLETED, Status.ERROR) or job.lease_id is None:
        return Applied(Outcome.LEASE_LOST, job)
    counted = _count(job, progress, now)
    if job.status in (Status.ACTIVE, Status.PENDING):
        counted = _advance(counted, progress, now, tight=tight)
    return Applied(Outcome.APPLIED, counted)


def _count(job: Job, progress: Progress, now: datetime) -> Job:
    today = now.date()
    spent = job.spent_on(today)
    return replace(
        job,
        batch_seq=progress.batch_seq,
        cursor=progress.cursor if progress.cursor is not None else job.cursor,
        rows_processed=job.rows_processed + progress.rows_processed,
        rows_skipped=job.rows_skipped + progress.rows_skipped,
        cost_spent_cents=job.cost_spent_cents + progress.cost_spent_cents,
        spend_day=today,
        spend_day_cents=spent + progress.cost_spent_cents,
        day_allowance_cents=job.day_allowance_cents if job.spend_day == today else None,
        error=progress.error,
        progress_at=now,
    )


def _advance(job: Job, progress: Progress, now: datetime, *, tight: bool) -> Job:
    """Return the job after the report: ended, capped, waiting, or active under a new lease."""
    if progress.ended is not None:
        return replace(job, status=progress.ended, lease_until=None, finished_at=now)
    today = now.date()
    if job.spent_on(today) >= job.allowed_on(today):
        return replace(job, status=Status.COST_CAPPED, lease_until=None)
    if tight:
        return replace(job, status=Status.PENDING, lease_until=None)
    return replace(job, status=Status.ACTIVE, lease_until=now + LEASE)
