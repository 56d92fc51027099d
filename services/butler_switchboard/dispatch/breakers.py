"""The breakers of all targets of this process; transitions go to logs and metrics (SWB-13.3)."""

from __future__ import annotations

from typing import Protocol

import structlog

from butler_contracts.budgets import ends_a_budget
from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_kit.breaker import BreakerState
from butler_kit.time import Clock
from butler_switchboard.dispatch.breaker import Breaker, BreakerPolicy, Part

__all__ = ["BreakerEvents", "Breakers"]

_log = structlog.get_logger(__name__)


class BreakerEvents(Protocol):
    def circuit_transition(self, target: str, state: str) -> None: ...

    def circuits_open(self, count: int) -> None: ...


class Breakers:
    """One breaker per target; a target without failures has none."""

    def __init__(self, policy: BreakerPolicy, clock: Clock, events: BreakerEvents) -> None:
        self._policy = policy
        self._clock = clock
        self._events = events
        self._by_target: dict[str, Breaker] = {}

    def wait_s(self, target: str) -> float:
        """Return the seconds until a call to `target` may go out; 0 for now. Asking changes nothing."""
        return self._of(target).wait_s(self._clock.monotonic())

    def admit(self, target: str) -> bool:
        """Return whether a call to `target` may go out now."""
        admitted, after = self._of(target).admit(self._clock.monotonic())
        self._keep(target, after)
        return admitted

    def accepted(self, target: str) -> None:
        """Record that the target took a call."""
        self._keep(target, self._of(target).accepted())

    def refused(self, target: str, error: ErrorDetail) -> None:
        """Record a refused call; a target that says it is full is there, and says when to come back."""
        if error.error_class is ErrorClass.OVERLOAD_REJECTED:
            self.accepted(target)
        else:
            self.failed(target, error.message)

    def failed(self, target: str, reason: str) -> None:
        """Record that the target did not take a call."""
        self._keep(target, self._of(target).failed(self._clock.monotonic(), reason))

    def ended(self, target: str, error: ErrorDetail | None) -> None:
        """Record the end of a run; an invalid message or a used-up budget does not blame the target."""
        if error is None or error.error_class is ErrorClass.VALIDATION_ERROR or ends_a_budget(error):
            self._keep(target, self._of(target).succeeded())
        else:
            now = self._clock.monotonic()
            self._keep(target, self._of(target).failed(now, error.message, Part.RUN))

    def open_for_s(self, target: str) -> float:
        """Return the seconds since the circuit opened, probes included; 0 if it is closed."""
        breaker = self._of(target)
        if breaker.state is BreakerState.CLOSED:
            return 0.0
        return max(0.0, self._clock.monotonic() - breaker.open_since)

    def probing(self, target: str) -> bool:
        """Return whether the next call decides if the target's circuit closes."""
        return self._of(target).state is BreakerState.HALF_OPEN

    def trip_reason(self, target: str) -> str:
        return self._of(target).trip_reason

    def _of(self, target: str) -> Breaker:
        return self._by_target.get(target) or Breaker(self._policy)

    def _keep(self, target: str, after: Breaker) -> None:
        before = self._of(target)
        self._by_target[target] = after
        if before.state is after.state:
            return
        _log.warning("circuit_transition", target=target, state=after.state.value, reason=after.trip_reason)
        self._events.circuit_transition(target, after.state.value)
        self._events.circuits_open(
            sum(1 for breaker in self._by_target.values() if breaker.state is not BreakerState.CLOSED)
        )
