"""The three clocks of a dispatched branch: accept, queue, run (pure; D17, SWB-13.1, SWB-05.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from butler_contracts.ingest import PolicyTier, SourceChannel
from butler_contracts.route import QUEUE_WAIT_INTERACTIVE_S, QUEUE_WAIT_OTHER_S

__all__ = ["Clocks", "OwnTimeouts", "Timeouts", "accepted_deadline", "queue_wait_s", "started_deadline"]

LIVE_CHANNELS = frozenset({SourceChannel.TELEGRAM, SourceChannel.API, SourceChannel.MCP})
"""The channels on which a person waits for the answer (D20)."""


@dataclass(frozen=True)
class Timeouts:
    """Seconds: for a target's acknowledgement, for its work once started, and to wait at it (None: as usual)."""

    accept_s: float = 5.0
    run_s: float = 120.0
    queue_wait_s: float | None = None


@dataclass(frozen=True)
class OwnTimeouts:
    """What one target, or one tier, has of its own; None: as for all."""

    accept_s: float | None = None
    run_s: float | None = None
    queue_wait_s: float | None = None


_NONE_OF_ITS_OWN: Final = OwnTimeouts()


@dataclass(frozen=True)
class Clocks:
    """The timeouts of all; those that targets and tiers have of their own, of which a target's count first.

    How long a target needs depends on its work, whoever waits (SWB-13.1, SWB-34.1).
    """

    usual: Timeouts = Timeouts()
    by_target: Mapping[str, OwnTimeouts] = field(default_factory=dict)
    by_tier: Mapping[PolicyTier, OwnTimeouts] = field(default_factory=dict)

    def of(self, target: str, tier: PolicyTier) -> Timeouts:
        own = self.by_target.get(target, _NONE_OF_ITS_OWN)
        tiered = self.by_tier.get(tier, _NONE_OF_ITS_OWN)
        return Timeouts(
            own.accept_s or tiered.accept_s or self.usual.accept_s,
            own.run_s or tiered.run_s or self.usual.run_s,
            own.queue_wait_s or tiered.queue_wait_s or self.usual.queue_wait_s,
        )

    def started_deadlines(self, target: str, at: datetime) -> dict[PolicyTier, datetime]:
        """Return for each tier when a branch that its target started at `at` must have answered."""
        return {tier: started_deadline(at, self.of(target, tier).run_s) for tier in PolicyTier}


def queue_wait_s(channel: SourceChannel, tier: PolicyTier) -> float:
    """Return how long a branch usually waits at its target before the target answers `overload_rejected`."""
    waits_for_answer = channel in LIVE_CHANNELS or tier is not PolicyTier.DEFAULT
    return QUEUE_WAIT_INTERACTIVE_S if waits_for_answer else QUEUE_WAIT_OTHER_S


def accepted_deadline(accepted_at: datetime, *, queue_wait: float, run_s: float) -> datetime:
    """Return until when an accepted branch may stay silent: its queue time and one whole run after it."""
    return accepted_at + timedelta(seconds=queue_wait + run_s)


def started_deadline(started_at: datetime, run_s: float) -> datetime:
    """Return when a started branch must have answered."""
    return started_at + timedelta(seconds=run_s)
