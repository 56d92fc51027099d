"""Circuit breaker of one target (pure state machine; SWB-13.3, D77).

closed → open after `failure_threshold` calls, or runs, that failed in a row → half-open after a pause, with one probe
at a time → closed after `success_threshold` successful probes, open again at the first failed one, for twice as long,
at most `recovery_s`. Calls and runs are counted separately: a target that takes every message and fails at each is as
unhealthy as one that takes none. The caller's errors never count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from butler_kit.breaker import BreakerState

__all__ = ["Breaker", "BreakerPolicy", "Part"]

PROBE_PAUSE_S = 0.25
"""The wait before asking again while a probe is under way: most are answered within milliseconds."""


class Part(StrEnum):
    """The part of a route that succeeds or fails: the call that hands it over, or the run that follows."""

    CALL = "call"
    RUN = "run"


@dataclass(frozen=True)
class BreakerPolicy:
    """`sustained_s`: calls open a circuit only after failing for this long, since many messages at once that meet a
    restarting process are not an outage. `first_recovery_s` is the pause before the first probe."""

    failure_threshold: int = 5
    recovery_s: float = 4.0
    success_threshold: int = 2
    sustained_s: float = 5.0
    first_recovery_s: float = 1.0


@dataclass(frozen=True)
class Breaker:
    """One target's breaker; every method returns the next value. Times are monotonic seconds."""

    policy: BreakerPolicy
    state: BreakerState = BreakerState.CLOSED
    failed_calls: int = 0
    failing_since: float = 0.0
    failed_runs: int = 0
    successes: int = 0
    opened_at: float = 0.0
    open_since: float = 0.0
    reopened: int = 0
    opened_by: Part = Part.CALL
    probing_since: float | None = None
    trip_reason: str = ""

    def wait_s(self, now: float) -> float:
        """Return the seconds until a call may go out; 0 for now."""
        if self.state is BreakerState.OPEN:
            return max(0.0, self.opened_at + self._pause_s() - now)
        if self.state is BreakerState.HALF_OPEN and self._probe_is_out(now):
            return PROBE_PAUSE_S
        return 0.0

    def admit(self, now: float) -> tuple[bool, Breaker]:
        """Return whether a call may go out now, and the breaker that records it."""
        if self.wait_s(now) > 0:
            return False, self
        if self.state is BreakerState.CLOSED:
            return True, self
        successes = self.successes if self.state is BreakerState.HALF_OPEN else 0
        return True, replace(self, state=BreakerState.HALF_OPEN, successes=successes, probing_since=now)

    def accepted(self) -> Breaker:
        """Record that the target took a call; if runs opened the circuit, only a run's end counts."""
        if self.state is BreakerState.CLOSED:
            return replace(self, failed_calls=0)
        return self if self.opened_by is Part.RUN else self._probe_succeeded()

    def succeeded(self) -> Breaker:
        """Record that a run of the target succeeded."""
        if self.state is BreakerState.CLOSED:
            return replace(self, failed_calls=0, failed_runs=0)
        return self._probe_succeeded()

    def failed(self, now: float, reason: str, part: Part = Part.CALL) -> Breaker:
        after = self._counted(now, part)
        if self.state is BreakerState.OPEN or not after._trips(now, part):
            return after
        again = self.state is BreakerState.HALF_OPEN
        return replace(
            after,
            state=BreakerState.OPEN,
            opened_at=now,
            open_since=self.open_since if again else now,
            reopened=self.reopened + 1 if again else 0,
            opened_by=part,
            probing_since=None,
            successes=0,
            trip_reason=reason,
        )

    def _counted(self, now: float, part: Part) -> Breaker:
        if part is Part.RUN:
            return replace(self, failed_runs=self.failed_runs + 1)
        since = self.failing_since if self.failed_calls else now
        return replace(self, failed_calls=self.failed_calls + 1, failing_since=since)

    def _trips(self, now: float, part: Part) -> bool:
        """Return whether this failure opens the circuit. A run begun before calls opened it is no probe."""
        if self.state is BreakerState.HALF_OPEN and (part is Part.CALL or self.opened_by is Part.RUN):
            return True
        if part is Part.RUN:
            return self.failed_runs >= self.policy.failure_threshold
        lasts = now - self.failing_since >= self.policy.sustained_s
        return lasts and self.failed_calls >= self.policy.failure_threshold

    def _pause_s(self) -> float:
        return float(
            min(self.policy.recovery_s, self.policy.first_recovery_s * 2.0 ** min(self.reopened, 30))
        )

    def _probe_succeeded(self) -> Breaker:
        if self.state is not BreakerState.HALF_OPEN:
            return self
        successes = self.successes + 1
        if successes >= self.policy.success_threshold:
            return Breaker(self.policy)
        return replace(self, successes=successes, probing_since=None)

    def _probe_is_out(self, now: float) -> bool:
        return self.probing_since is not None and now - self.probing_since < self.policy.recovery_s
