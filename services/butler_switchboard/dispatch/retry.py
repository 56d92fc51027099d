"""When a failed try is made again, and when it is not (pure; SWB-13.2, SWB-34.1, D12, D77).

Two different things repeat: *transport* tries of one subrequest, whose outcome nobody has seen and which keep their id;
and *attempts*, which follow only a received, retryable, terminal error and get a new id. Attempts are bounded by their
number, tries by time alone, depending on how urgent the message is: replacing a node takes minutes, however many
tries that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from butler_contracts.ingest import PolicyTier

__all__ = ["Patience", "RetryPolicy"]

LEAST_PROBE_S = 0.5
LEAST_QUESTION_S = 1.0
"""The registry is read this often."""
WAITED_PART = 0.25
"""The longer a branch has waited for a circuit, or for its target, the less often it asks: after a quarter of the
time it has waited."""


@dataclass(frozen=True)
class Patience:
    """For one tier: seconds from a branch's first failed try to its end, also while its circuit is open."""

    tries_s: float = 900.0
    circuit_s: float = 900.0
    max_attempts: int | None = None


INTERACTIVE = Patience(tries_s=60.0, circuit_s=4.0)


@dataclass(frozen=True)
class RetryPolicy:
    """Bounds and pauses; pauses double up to `max_delay_s` and are spread by `jitter` (0..1 of the pause)."""

    max_attempts: int = 3
    base_delay_s: float = 0.5
    max_delay_s: float = 30.0
    jitter: float = 0.3
    tiers: Mapping[PolicyTier, Patience] = field(
        default_factory=lambda: {PolicyTier.INTERACTIVE: INTERACTIVE}
    )

    def patience(self, tier: PolicyTier) -> Patience:
        return self.tiers.get(tier, Patience())

    def delay_s(self, tries: int, *, spread: float) -> float:
        """Return the pause after `tries` (≥ 1) failures; `spread` is a random number in [0, 1)."""
        pause = min(self.base_delay_s * 2.0 ** min(max(tries - 1, 0), 30), self.max_delay_s)
        return pause * (1 + self.jitter * (2 * spread - 1))

    def attempt_delay_s(
        self, tier: PolicyTier, *, attempt: int, hint_s: float | None, spread: float
    ) -> float:
        """Return the pause before the next attempt; what the target asked for counts up to the tier's patience."""
        asked_s = min(hint_s or 0.0, self.patience(tier).tries_s)
        return max(self.delay_s(attempt, spread=spread), asked_s)

    def may_retry(self, tier: PolicyTier, *, attempt: int, retryable: bool) -> bool:
        """Return whether a received terminal error of this attempt is followed by another attempt."""
        return retryable and attempt < (self.patience(tier).max_attempts or self.max_attempts)

    def next_try(
        self, tier: PolicyTier, *, since: datetime, now: datetime, pause_s: float
    ) -> datetime | None:
        """Return when to retry a branch whose tries have failed since `since`; None if its time is over."""
        return _within(
            now, timedelta(seconds=pause_s), since + timedelta(seconds=self.patience(tier).tries_s)
        )

    def next_look(
        self, tier: PolicyTier, *, since: datetime, now: datetime, wait_s: float, spread: float
    ) -> datetime | None:
        """Return when a branch comes back to a circuit that blocks calls for `wait_s`; None if it cannot wait.

        A message that somebody waits for is not kept for a circuit that lets it through too late.
        """
        until = since + timedelta(seconds=self.patience(tier).circuit_s)
        if now + timedelta(seconds=wait_s) > until:
            return None
        pause_s = self._look_s(since, now, least_s=wait_s)
        return _within(now, timedelta(seconds=pause_s * (1 + self.jitter * spread)), until)

    def next_question(self, tier: PolicyTier, *, since: datetime, now: datetime) -> datetime | None:
        """Return when to check again whether a target may get its part; None if the time for that is over."""
        pause_s = self._look_s(since, now, least_s=LEAST_QUESTION_S)
        return self.next_try(tier, since=since, now=now, pause_s=pause_s)

    def _look_s(self, since: datetime, now: datetime, *, least_s: float) -> float:
        waited_s = (now - since) / timedelta(seconds=1)
        return max(least_s, min(waited_s * WAITED_PART, self.max_delay_s))

    def probe_s(self, tier: PolicyTier, *, since: datetime, now: datetime, usual_s: float) -> float:
        """Return how long one attempt of a probe may take, so that both (a call that times out is repeated once) end
        before its branch has to."""
        left_s = self.patience(tier).circuit_s - (now - since) / timedelta(seconds=1)
        return min(usual_s, max(LEAST_PROBE_S, left_s / 2))


def _within(now: datetime, pause: timedelta, until: datetime) -> datetime | None:
    """Return `pause` from now, at the latest `until`; None once that has come."""
    return min(now + pause, until) if now < until else None
