"""The three clocks of a dispatched branch: accept, queue, run (pure; D17, SWB-13.1, SWB-05.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from butler_contracts.ingest import PolicyTier, SourceChannel
from butler_contracts.route import QUEUE_WAIT_INTERACTIVE_S, QUEUE_WAIT_OTHER_S

__all__ = ["Clocks", "Timeouts", "accepted_deadline", "queue_wait_s", "started_deadline"]

LIVE_CHANNELS = frozenset({SourceChannel.TELEGRAM, SourceChannel.API, SourceChannel.MCP})
"""The channels on which a person waits for the answer (D20)."""


@dataclass(frozen=True)
class Timeouts:
    """Seconds: for a target's acknowledgement, and for its work once started."""

    accept_s: float = 5.0
    run_s: float = 120.0


@dataclass(frozen=True)
class Clocks:
    """The timeouts of every target; `by_target` has those with timeouts of their own (SWB-13.1)."""

    usual: Timeouts = Timeouts()
    by_target: Mapping[str, Timeouts] = field(default_factory=dict)

    def of(self, target: str) -> Timeouts:
        return self.by_target.get(target, self.usual)


def queue_wait_s(channel: SourceChannel, tier: PolicyTier) -> float:
    """Return how long a branch may wait at its target before the target answers `overload_rejected`."""
    waits_for_answer = channel in LIVE_CHANNELS or tier is not PolicyTier.DEFAULT
    return QUEUE_WAIT_INTERACTIVE_S if waits_for_answer else QUEUE_WAIT_OTHER_S


def accepted_deadline(accepted_at: datetime, *, queue_wait: float, run_s: float) -> datetime:
    """Return until when an accepted branch may stay silent: its queue time and one whole run after it."""
    return accepted_at + timedelta(seconds=queue_wait + run_s)


def started_deadline(started_at: datetime, run_s: float) -> datetime:
    """Return when a started branch must have answered."""
    return started_at + timedelta(seconds=run_s)
