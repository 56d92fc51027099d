"""Whether a butler may get new routes: one pure decision over evidence (SWB-10, D30, D35).

Order: operator hold > manifest hold > contract violation > crash loop > pod readiness > heartbeat TTL. Invariants: a
hold outlives every heartbeat until it is released or its time is over; an automatic quarantine ends only after a sign
of life that is younger than it. The store decides races (compare-and-set).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from butler_switchboard.registry.ownership import channel_tools

__all__ = [
    "Facts",
    "Hold",
    "Origin",
    "PodEvidence",
    "Reason",
    "Signal",
    "Standing",
    "State",
    "Verdict",
    "decide",
]

EVIDENCE_LIFE: Final = timedelta(seconds=60)
"""Pod evidence older than two resyncs does not count."""
UNREADY_GRACE: Final = timedelta(seconds=10)
CRASH_LOOP_RECOVERY: Final = timedelta(seconds=60)
"""How long a pod has to be ready before a crash loop is over."""
STALE_LIMIT: Final = timedelta(minutes=15)
"""How long a butler may be stale before it is quarantined."""


class State(StrEnum):
    ACTIVE = "active"
    STALE = "stale"
    QUARANTINED = "quarantined"


class Origin(StrEnum):
    """Who put a butler into quarantine."""

    AUTOMATIC = "automatic"
    OPERATOR = "operator"
    MANIFEST = "manifest"


class Signal(StrEnum):
    """What a decision is based on: nothing new, a heartbeat, or a registration."""

    NONE = "none"
    HEARTBEAT = "heartbeat"
    REGISTERED = "registered"


class Reason(StrEnum):
    """Why a butler is in its state, as `eligibility_log` records it."""

    OPERATOR_HOLD = "operator_hold"
    MANIFEST_HOLD = "manifest_hold"
    CHANNEL_TOOL_OWNERSHIP = "channel_tool_ownership"
    CRASH_LOOP = "crash_loop"
    POD_UNREADY = "pod_unready"
    HEARTBEAT_MISSED = "heartbeat_missed"
    NOT_SEEN = "not_seen"
    NEVER_SEEN = "never_seen"
    HEARTBEAT_RECOVERY = "heartbeat_recovery"
    RE_REGISTERED = "re_registered"
    HOLD_ENDED = "hold_ended"
    ALIVE = "alive"


@dataclass(frozen=True, slots=True)
class Hold:
    """A quarantine that somebody asked for; with `until` None it lasts until it is released."""

    reason: str
    until: datetime | None = None

    def in_force(self, now: datetime) -> bool:
        return self.until is None or now < self.until


@dataclass(frozen=True, slots=True)
class PodEvidence:
    """What the operator or the local supervisor last saw of the butler's process."""

    ready: bool
    ready_since: datetime | None
    unready_since: datetime | None
    crash_loop: bool
    rollout: bool
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything known about one butler."""

    role: str
    tools: tuple[str, ...]
    last_seen_at: datetime | None
    liveness_ttl_s: float
    operator_hold: Hold | None = None
    manifest_hold: Hold | None = None
    pod: PodEvidence | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The recorded state; `origin` and `quarantined_at` are set exactly while it is quarantined."""

    state: State
    reason: str
    origin: Origin | None = None
    quarantined_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state to record; `origin` and `because` are set exactly when it is quarantined."""

    state: State
    reason: str
    origin: Origin | None = None
    because: str | None = None
    until: datetime | None = None


def decide(facts: Facts, standing: Standing, *, now: datetime, signal: Signal = Signal.NONE) -> Verdict:
    """Return the state that follows from `facts`; with a signal, `facts.last_seen_at` is the signal's."""
    quarantine = _held(facts, now) or _broken(facts, now) or _unrecovered(facts, standing, now, signal)
    if quarantine is not None:
        return quarantine
    if _unready(facts, now):
        return Verdict(State.STALE, Reason.POD_UNREADY)
    return _by_heartbeat(facts, standing, now, signal)


def _held(facts: Facts, now: datetime) -> Verdict | None:
    hold = facts.operator_hold
    if hold is not None and hold.in_force(now):
        return _quarantine(Reason.OPERATOR_HOLD, Origin.OPERATOR, because=hold.reason, until=hold.until)
    hold = facts.manifest_hold
    if hold is not None and hold.in_force(now):
        return _quarantine(Reason.MANIFEST_HOLD, Origin.MANIFEST, because=hold.reason, until=hold.until)
    return None


def _broken(facts: Facts, now: datetime) -> Verdict | None:
    if facts.role != "messenger" and channel_tools(facts.tools):
        return _quarantine(Reason.CHANNEL_TOOL_OWNERSHIP)
    pod = _fresh(facts, now)
    return _quarantine(Reason.CRASH_LOOP) if pod is not None and pod.crash_loop else None


def _unrecovered(facts: Facts, standing: Standing, now: datetime, signal: Signal) -> Verdict | None:
    """Continue an automatic quarantine that nothing has ended yet."""
    if standing.state is not State.QUARANTINED or standing.origin is not Origin.AUTOMATIC:
        return None
    if _alive_since(facts, standing, signal) and (
        standing.reason != Reason.CRASH_LOOP or _steady(facts, now)
    ):
        return None
    return _quarantine(standing.reason)


def _alive_since(facts: Facts, standing: Standing, signal: Signal) -> bool:
    if signal is not Signal.NONE:
        return True
    seen, since = facts.last_seen_at, standing.quarantined_at
    return seen is not None and since is not None and seen > since


def _steady(facts: Facts, now: datetime) -> bool:
    pod = _fresh(facts, now)
    if pod is None or not pod.ready or pod.ready_since is None:
        return False
    return now - pod.ready_since >= CRASH_LOOP_RECOVERY


def _unready(facts: Facts, now: datetime) -> bool:
    pod = _fresh(facts, now)
    if pod is None or pod.ready or pod.rollout or pod.unready_since is None:
        return False
    return now - pod.unready_since >= UNREADY_GRACE


def _fresh(facts: Facts, now: datetime) -> PodEvidence | None:
    pod = facts.pod
    return pod if pod is not None and abs(now - pod.observed_at) <= EVIDENCE_LIFE else None


def _by_heartbeat(facts: Facts, standing: Standing, now: datetime, signal: Signal) -> Verdict:
    if facts.last_seen_at is None:
        return Verdict(State.STALE, Reason.NEVER_SEEN)
    # A time in the future (a corrected clock) counts for one TTL, no longer.
    silent, ttl = abs(now - facts.last_seen_at), timedelta(seconds=facts.liveness_ttl_s)
    if silent <= ttl:
        return Verdict(State.ACTIVE, _why_active(standing, signal))
    if now - facts.last_seen_at > ttl + STALE_LIMIT:
        return _quarantine(Reason.NOT_SEEN)
    return Verdict(State.STALE, Reason.HEARTBEAT_MISSED)


def _why_active(standing: Standing, signal: Signal) -> str:
    if standing.state is not State.QUARANTINED:
        return standing.reason if standing.state is State.ACTIVE else Reason.ALIVE
    if standing.origin is not Origin.AUTOMATIC:
        return Reason.HOLD_ENDED
    return Reason.RE_REGISTERED if signal is Signal.REGISTERED else Reason.HEARTBEAT_RECOVERY


def _quarantine(
    reason: str,
    origin: Origin = Origin.AUTOMATIC,
    *,
    because: str | None = None,
    until: datetime | None = None,
) -> Verdict:
    return Verdict(State.QUARANTINED, reason, origin, because or reason, until)
