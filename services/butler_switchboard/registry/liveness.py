"""Whether a connector is alive, and which of its beats count (pure; CNX-11.9, CNX-12, SWB-21.3, D31, D37).

A quarantine outranks any heartbeat. A beat never moves a connector back: not to an earlier moment of the same
instance, nor from the running instance to one that started before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from butler_contracts.liveness import Liveness, LivenessPolicy, liveness
from butler_switchboard.registry.eligibility import State

__all__ = [
    "BeatKind",
    "Liveness",
    "LivenessPolicy",
    "Seen",
    "beat_kind",
    "eligibility",
    "eligibility_reason",
    "liveness",
]


class BeatKind(StrEnum):
    """How a beat relates to what is known; `outdated` ones are of an instance that another has replaced."""

    FIRST = "first"
    NEXT = "next"
    RESTART = "restart"
    LATE = "late"
    OUTDATED = "outdated"


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known about a connector's running instance; `started_at` is by Switchboard's clock."""

    instance_id: UUID
    started_at: datetime
    uptime_s: float
    last_heartbeat_at: datetime


def eligibility(
    last_heartbeat_at: datetime | None, *, quarantined: bool, now: datetime, policy: LivenessPolicy
) -> State:
    """Return quarantined if an operator holds it, else active within the TTL, else stale (CNX-12.2)."""
    if quarantined:
        return State.QUARANTINED
    alive = liveness(last_heartbeat_at, now, policy) is Liveness.ONLINE
    return State.ACTIVE if alive else State.STALE


def eligibility_reason(previous: State | None, new: State) -> str:
    """Return the log's reason for a change that no person made."""
    if previous is None:
        return "self_registered"
    return "heartbeat" if new is State.ACTIVE else "heartbeat_missed"


def beat_kind(
    known: Seen | None, instance_id: UUID, *, uptime_s: float, received_at: datetime, policy: LivenessPolicy
) -> BeatKind:
    """Return how a beat received at `received_at` relates to `known`.

    Beats of an instance are ordered by its uptime, which no clock correction moves. An older instance counts again
    only when the newer one has fallen silent.
    """
    if known is None:
        return BeatKind.FIRST
    if instance_id == known.instance_id:
        return BeatKind.NEXT if uptime_s > known.uptime_s else BeatKind.LATE
    started_at = received_at - timedelta(seconds=uptime_s)
    silent = liveness(known.last_heartbeat_at, received_at, policy) is not Liveness.ONLINE
    return BeatKind.RESTART if started_at > known.started_at or silent else BeatKind.OUTDATED
