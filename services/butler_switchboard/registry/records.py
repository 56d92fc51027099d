"""One butler as the registry stores it, and its record after each event (frozen models; pure; SWB-09, SWB-10, D3).

Invariants: the endpoint, role, mailbox, arbitration priority and manifest hold come from the declaration alone; a
registration fills in only what the declaration left open; quarantine columns are set exactly while the butler is
quarantined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from butler_contracts.stored import stored
from butler_switchboard.registry.eligibility import (
    Facts,
    Hold,
    Origin,
    PodEvidence,
    Signal,
    Standing,
    State,
    decide,
)

__all__ = ["ButlerRecord", "Declaration", "Registration", "Report", "record_from_row"]

DESCRIBED = ("description", "triggers", "capabilities", "required_information")


@dataclass(frozen=True)
class Declaration:
    """What the manifest says about a butler; None or empty fields are left to its registration."""

    role: str
    endpoint_url: str
    description: str = ""
    triggers: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    required_information: tuple[str, ...] = ()
    manifest_hold: Hold | None = None
    liveness_ttl_s: int = 90
    mailbox: str | None = None
    """The endpoint identity for which Messenger may submit mail."""
    arbitration_priority: int = 0
    """Of two contradicting answers, that of the butler with the higher priority counts (SWB-29.1)."""


@dataclass(frozen=True)
class Registration:
    """What a butler says about itself; `tools` is everything it serves or may use on a channel."""

    description: str = ""
    triggers: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    required_information: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    route_contract: str = "route.v1"


@dataclass(frozen=True)
class Report:
    """Pod evidence as it was reported."""

    ready: bool
    restarts: int
    crash_loop: bool
    observed_at: datetime
    rollout: bool = False


@dataclass(frozen=True)
class ButlerRecord:
    """A row of `butler_registry` with its evidence; `version` is what compare-and-set compares."""

    name: str
    role: str
    eligibility_updated_at: datetime
    endpoint_url: str | None = None
    description: str = ""
    triggers: tuple[str, ...] = ()
    required_information: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    route_contract: str | None = None
    declared_fields: tuple[str, ...] = ()
    liveness_ttl_s: int = 90
    declared_at: datetime | None = None
    registered_at: datetime | None = None
    last_seen_at: datetime | None = None
    eligibility_state: State = State.STALE
    eligibility_reason: str = "never_seen"
    quarantined_at: datetime | None = None
    quarantine_reason: str | None = None
    quarantine_origin: Origin | None = None
    quarantine_until: datetime | None = None
    manifest_hold_reason: str | None = None
    manifest_hold_until: datetime | None = None
    mailbox: str | None = None
    arbitration_priority: int = 0
    version: int = 0
    pod: PodEvidence | None = None
    pod_restarts: int | None = None

    @property
    def operator_hold(self) -> Hold | None:
        if self.quarantine_origin is not Origin.OPERATOR:
            return None
        return Hold(self.quarantine_reason or "", self.quarantine_until)

    @property
    def manifest_hold(self) -> Hold | None:
        if self.manifest_hold_reason is None:
            return None
        return Hold(self.manifest_hold_reason, self.manifest_hold_until)

    @property
    def facts(self) -> Facts:
        return Facts(
            role=self.role,
            tools=self.tools,
            last_seen_at=self.last_seen_at,
            liveness_ttl_s=self.liveness_ttl_s,
            operator_hold=self.operator_hold,
            manifest_hold=self.manifest_hold,
            pod=self.pod,
        )

    @property
    def standing(self) -> Standing:
        return Standing(
            self.eligibility_state, self.eligibility_reason, self.quarantine_origin, self.quarantined_at
        )

    def declared(self, declaration: Declaration, *, now: datetime) -> ButlerRecord:
        """Return the record under a new declaration; a field that it no longer sets keeps its last value."""
        said = {name: getattr(declaration, name) for name in DESCRIBED if getattr(declaration, name)}
        hold = declaration.manifest_hold
        return replace(
            self,
            role=declaration.role,
            endpoint_url=declaration.endpoint_url,
            liveness_ttl_s=declaration.liveness_ttl_s,
            declared_fields=tuple(sorted(said)),
            declared_at=self.declared_at or now,
            manifest_hold_reason=hold.reason if hold else None,
            manifest_hold_until=hold.until if hold else None,
            mailbox=declaration.mailbox,
            arbitration_priority=declaration.arbitration_priority,
            **said,
        )

    def registered(self, registration: Registration, *, now: datetime) -> ButlerRecord:
        """Return the record after the butler has registered."""
        open_fields = {
            name: getattr(registration, name) for name in DESCRIBED if name not in self.declared_fields
        }
        return replace(
            self,
            tools=registration.tools,
            route_contract=registration.route_contract,
            registered_at=now,
            last_seen_at=now,
            **open_fields,
        )

    def reported(self, report: Report, *, now: datetime) -> ButlerRecord:
        """Return the record with newer evidence; an older report changes nothing."""
        observed = min(report.observed_at, now)
        known = self.pod
        if known is not None and observed <= known.observed_at <= now:
            return self
        restarted = self.pod_restarts is not None and report.restarts != self.pod_restarts
        goes_on = known is not None and known.ready == report.ready and not (report.ready and restarted)
        ready_since = known.ready_since if known and goes_on else observed
        unready_since = known.unready_since if known and goes_on else observed
        pod = PodEvidence(
            ready=report.ready,
            ready_since=ready_since if report.ready else None,
            unready_since=None if report.ready else unready_since,
            crash_loop=report.crash_loop,
            rollout=report.rollout,
            observed_at=observed,
        )
        return replace(self, pod=pod, pod_restarts=report.restarts)

    def held(self, hold: Hold, *, now: datetime) -> ButlerRecord:
        """Return the record under an operator's hold; a newer hold replaces an older one."""
        return replace(
            self,
            quarantine_origin=Origin.OPERATOR,
            quarantine_reason=hold.reason,
            quarantine_until=hold.until,
            quarantined_at=now,
        )

    def released(self) -> ButlerRecord:
        """Return the record without its operator hold or automatic quarantine; the evidence still counts."""
        return replace(
            self, quarantine_origin=None, quarantine_reason=None, quarantine_until=None, quarantined_at=None
        )

    def judged(self, *, now: datetime, signal: Signal = Signal.NONE) -> ButlerRecord:
        """Return the record with the state that follows from its facts now."""
        verdict = decide(self.facts, self.standing, now=now, signal=signal)
        same = (verdict.state, verdict.reason) == (self.eligibility_state, self.eligibility_reason)
        quarantined = verdict.state is State.QUARANTINED
        since = self.quarantined_at if same and self.quarantined_at is not None else now
        return replace(
            self,
            eligibility_state=verdict.state,
            eligibility_reason=str(verdict.reason),
            eligibility_updated_at=self.eligibility_updated_at if same else now,
            quarantined_at=since if quarantined else None,
            quarantine_reason=verdict.because,
            quarantine_origin=verdict.origin,
            quarantine_until=verdict.until,
        )


_TUPLES = frozenset({"triggers", "required_information", "capabilities", "tools", "declared_fields"})
_PLAIN = tuple(item.name for item in fields(ButlerRecord) if item.name not in ("pod", "pod_restarts"))


def record_from_row(row: Mapping[str, Any]) -> ButlerRecord:
    """Read a row of `butler_registry` joined with its evidence. Raises `Unreadable`."""
    values: dict[str, Any] = {name: tuple(row[name]) if name in _TUPLES else row[name] for name in _PLAIN}
    values["eligibility_state"] = stored(State, row["eligibility_state"])
    origin = row["quarantine_origin"]
    values["quarantine_origin"] = stored(Origin, origin) if origin is not None else None
    return ButlerRecord(**values, pod=_pod(row), pod_restarts=row["restarts"])


def _pod(row: Mapping[str, Any]) -> PodEvidence | None:
    if row["observed_at"] is None:
        return None
    return PodEvidence(
        ready=row["ready"],
        ready_since=row["ready_since"],
        unready_since=row["unready_since"],
        crash_loop=row["crash_loop"],
        rollout=row["rollout"],
        observed_at=row["observed_at"],
    )
