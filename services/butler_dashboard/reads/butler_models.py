"""PURE: butlers and the history of their eligibility (SWB-09, SWB-10)."""

from __future__ import annotations

from datetime import datetime

from butler_dashboard.reads.connector_models import Transition
from butler_dashboard.reads.model import Model

__all__ = [
    "ButlerDetail",
    "ButlerEvidence",
    "ButlerHistory",
    "ButlerList",
    "ButlerRuntime",
    "ButlerSummary",
    "WorkingRuntime",
]


class ButlerEvidence(Model):
    """How its process was when it was last looked at (D30)."""

    ready: bool
    ready_since: datetime | None
    unready_since: datetime | None
    restarts: int
    crash_loop: bool
    rollout: bool
    observed_at: datetime


class ButlerSummary(Model):
    """A butler as registered. `eligibility_state` is on record; `silent` says that its heartbeats are overdue."""

    name: str
    role: str
    description: str
    eligibility_state: str
    eligibility_reason: str
    eligibility_updated_at: datetime
    silent: bool
    last_seen_at: datetime | None
    quarantined_at: datetime | None
    quarantine_reason: str | None
    quarantine_origin: str | None
    quarantine_until: datetime | None
    manifest_hold_reason: str | None
    manifest_hold_until: datetime | None
    evidence: ButlerEvidence | None


class WorkingRuntime(Model):
    """What messages are judged or worked on with: the configured family, and while it cannot be had why, and what works
    instead (D28)."""

    family: str
    fallback: str | None
    fault_kind: str | None
    fault_message: str | None
    """Without a kind it is a note: what may keep a model from answering."""
    since: datetime


class ButlerDetail(ButlerSummary):
    """All of it, with the newest changes of its eligibility. `runtime` is null where it has told of none: by rules."""

    endpoint: str | None
    triggers: tuple[str, ...]
    capabilities: tuple[str, ...]
    required_information: tuple[str, ...]
    tools: tuple[str, ...]
    route_contract: str | None
    liveness_ttl_s: int
    declared_at: datetime | None
    registered_at: datetime | None
    runtime: WorkingRuntime | None
    transitions: tuple[Transition, ...]


class ButlerRuntime(WorkingRuntime):
    """What a butler works with, which cannot be had."""

    butler: str


class ButlerList(Model):
    """One page by name; `next` is null on the last. `runtime` is null until Switchboard has said how it stands;
    `runtimes` are those of other butlers that cannot be had."""

    butlers: tuple[ButlerSummary, ...]
    next: str | None
    runtime: WorkingRuntime | None
    runtimes: tuple[ButlerRuntime, ...]


class ButlerHistory(Model):
    """One page of changes of eligibility, newest first; `next` is null on the last."""

    name: str
    transitions: tuple[Transition, ...]
    next: str | None
