"""Circuit breaker of one target (pure state machine; SWB-13.3).

closed → open after `failure_threshold` consecutive failures → half-open after `recovery_s`, with one probe at a time →
closed after `success_threshold` successful probes, open again at the first failed one. Only failures of the target
count; what the caller did wrong never does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

__all__ = ["Breaker", "BreakerPolicy", "BreakerState"]


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


@dataclass(frozen=True)
class BreakerPolicy:
    failure_threshold: int = 5
    recovery_s: float = 10.0
    success_threshold: int = 2


@dataclass(frozen=True)
class Breaker:
    """One target's breaker; every method returns the next value. Times are monotonic seconds."""

    policy: BreakerPolicy
    state: BreakerState = BreakerState.CLOSED
    failures: int = 0
    successes: int = 0
    opened_at: float = 0.0
    probing_since: float | None = None
    trip_reason: str = ""

    def admit(self, now: float) -> tuple[bool, Breaker]:
        """Whether a call may go out now, and the breaker that remembers it."""
        if self.state is BreakerState.CLOSED:
            return True, self
        if self.state is BreakerState.OPEN:
            if now - self.opened_at < self.policy.recovery_s:
                return False, self
            return True, replace(self, state=BreakerState.HALF_OPEN, successes=0, probing_since=now)
        if self.probing_since is not None and now - self.probing_since < self.policy.recovery_s:
            return False, self
        return True, replace(self, probing_since=now)

    def succeeded(self) -> Breaker:
        if self.state is not BreakerState.HALF_OPEN:
            return replace(self, failures=0) if self.state is BreakerState.CLOSED else self
        successes = self.successes + 1
        if successes >= self.policy.success_threshold:
            return Breaker(self.policy)
        return replace(self, successes=successes, probing_since=None)

    def failed(self, now: float, reason: str) -> Breaker:
        failures = self.failures + 1
        trips = self.state is BreakerState.HALF_OPEN or failures >= self.policy.failure_threshold
        if self.state is BreakerState.OPEN or not trips:
            return replace(self, failures=failures)
        return replace(
            self,
            state=BreakerState.OPEN,
            failures=failures,
            opened_at=now,
            probing_since=None,
            successes=0,
            trip_reason=reason,
        )
