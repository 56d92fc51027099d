"""PURE: the circuit breaker of one provider account (MSG-9, MSR-06; docs/adr/0068).

closed → open after `failures` failed calls in a row → half-open after `reset_s`, with one probe at a time → closed
after `probes` probes that the provider took, open again at the first that failed.

Invariants: a call counts only in the state in which it began, so calls under way when the circuit opened or closed
change nothing. At most one probe is out; one whose worker died is given up at its `probe_until`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final, assert_never
from uuid import UUID

from butler_contracts.errors import ErrorClass
from butler_kit.breaker import BreakerState
from butler_messenger.delivery.outcomes import (
    Ambiguous,
    Deferred,
    Failure,
    ProviderOutcome,
    Refused,
    Sent,
    Throttled,
    Unreachable,
)

__all__ = ["Circuit", "CircuitPolicy", "Hold", "Pass", "Ticket", "Try", "Verdict", "verdict_of"]

_LONGEST_SPREAD_S: Final = 2.0


class Verdict(Enum):
    """What the end of a call says about the provider."""

    TAKEN = auto()
    """It took the message."""
    ANSWERED = auto()
    """It answered but did not take this message now: it is reachable, which does not mean healthy."""
    FAILED = auto()
    """It could not be reached, failed, or did not answer."""
    NOTHING = auto()
    """The fault was ours."""


@dataclass(frozen=True, slots=True)
class CircuitPolicy:
    """MSR-06: `failures` in a row open a circuit, `reset_s` later it is probed, `probes` successes close it."""

    failures: int = 5
    reset_s: float = 60.0
    probes: int = 2

    @property
    def spread_s(self) -> float:
        """The time over which waiting deliveries resume, so that they do not come all at once."""
        return min(_LONGEST_SPREAD_S, self.reset_s / 10)


@dataclass(frozen=True, slots=True)
class Ticket:
    """Identifies a call when its end is counted: the `generation` it began in, the id if it is a probe."""

    generation: int
    probe_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """The call may go out."""

    ticket: Ticket


@dataclass(frozen=True, slots=True)
class Try:
    """The call may go out if nobody else takes the probe before it."""


@dataclass(frozen=True, slots=True)
class Hold:
    """No call; look again in `delay_s`."""

    delay_s: float


@dataclass(frozen=True, slots=True)
class Circuit:
    """One account's circuit; a change returns a new value. Times are the database's; None if they do not apply.

    `retry_at` is when an open circuit may be probed, `probe_until` when the current probe is given up.
    """

    state: BreakerState = BreakerState.CLOSED
    failures: int = 0
    successes: int = 0
    generation: int = 0
    changed_at: datetime | None = None
    retry_at: datetime | None = None
    probe_id: UUID | None = None
    probe_until: datetime | None = None
    trip_reason: str = ""

    def gate(self, policy: CircuitPolicy, now: datetime, *, draw: float) -> Pass | Try | Hold:
        """Return what a due delivery does now; `draw` from [0, 1) spreads the waiting ones."""
        if self.state is BreakerState.CLOSED:
            return Pass(Ticket(self.generation))
        if self.state is BreakerState.OPEN and self.retry_at is not None and now < self.retry_at:
            return Hold((self.retry_at - now).total_seconds() + draw * policy.spread_s)
        if self._probe_is_out(now):
            return Hold((0.5 + draw) * policy.spread_s)
        return Try()

    def probed_by(self, probe_id: UUID, now: datetime, *, until: datetime) -> Circuit:
        """Return the circuit with this probe out, after `gate` returned `Try`."""
        opened = self if self.state is BreakerState.HALF_OPEN else self._become(BreakerState.HALF_OPEN, now)
        return replace(opened, probe_id=probe_id, probe_until=until)

    def after(
        self, policy: CircuitPolicy, now: datetime, ticket: Ticket, verdict: Verdict, reason: str = ""
    ) -> Circuit:
        """Return the circuit after a call ended; `reason` is kept with a failure."""
        if not self._counts(ticket):
            return self
        match verdict:
            case Verdict.FAILED:
                return self._failed(policy, now, reason)
            case Verdict.TAKEN:
                return self._taken(policy, now)
            case Verdict.ANSWERED if self.state is BreakerState.CLOSED:
                return replace(self, failures=0)
            case Verdict.ANSWERED | Verdict.NOTHING:
                return replace(self, probe_id=None, probe_until=None)
            case _:
                assert_never(verdict)

    def reset(self, now: datetime) -> Circuit:
        """Return the circuit closed, whatever its state; calls under way no longer count."""
        return self._become(BreakerState.CLOSED, now)

    def needs(self, ticket: Ticket, verdict: Verdict) -> bool:
        """Return whether this verdict can change the circuit, as it stood when the call began."""
        return verdict is Verdict.FAILED or ticket.probe_id is not None or self.failures > 0

    def _counts(self, ticket: Ticket) -> bool:
        if ticket.probe_id is not None:
            return self.state is BreakerState.HALF_OPEN and ticket.probe_id == self.probe_id
        return self.state is BreakerState.CLOSED and ticket.generation == self.generation

    def _failed(self, policy: CircuitPolicy, now: datetime, reason: str) -> Circuit:
        failures = self.failures + 1
        if self.state is BreakerState.CLOSED and failures < policy.failures:
            return replace(self, failures=failures)
        return replace(
            self._become(BreakerState.OPEN, now),
            failures=failures,
            retry_at=now + timedelta(seconds=policy.reset_s),
            trip_reason=reason,
        )

    def _taken(self, policy: CircuitPolicy, now: datetime) -> Circuit:
        if self.state is BreakerState.CLOSED:
            return replace(self, failures=0)
        successes = self.successes + 1
        if successes >= policy.probes:
            return self._become(BreakerState.CLOSED, now)
        return replace(self, failures=0, successes=successes, probe_id=None, probe_until=None)

    def _become(self, state: BreakerState, now: datetime) -> Circuit:
        """Return the circuit in a new state; half-open keeps failures and trip reason, others start fresh."""
        half_open = state is BreakerState.HALF_OPEN
        return Circuit(
            state=state,
            failures=self.failures if half_open else 0,
            generation=self.generation + 1,
            changed_at=now,
            trip_reason=self.trip_reason if half_open else "",
        )

    def _probe_is_out(self, now: datetime) -> bool:
        return self.probe_until is not None and now < self.probe_until


def verdict_of(outcome: ProviderOutcome) -> Verdict:
    """Return the verdict: no connection, no answer or a provider fault counts, a bad message never does."""
    match outcome:
        case Sent():
            return Verdict.TAKEN
        case Unreachable():
            return Verdict.FAILED
        case Throttled() | Deferred():
            return Verdict.ANSWERED
        case Refused(failure=failure, answered=True):
            return _unless_ours(failure, Verdict.ANSWERED)
        case Refused(failure=failure) | Ambiguous(failure=failure):
            return _unless_ours(failure, Verdict.FAILED)
        case _:
            assert_never(outcome)


def _unless_ours(failure: Failure, verdict: Verdict) -> Verdict:
    return Verdict.NOTHING if failure.error_class is ErrorClass.INTERNAL_ERROR else verdict
