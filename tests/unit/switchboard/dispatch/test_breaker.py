"""The breaker lets a failing target alone and comes back carefully."""

from __future__ import annotations

import pytest

from butler_kit.time import ManualClock
from butler_switchboard.dispatch.breaker import Breaker, BreakerPolicy, BreakerState
from butler_switchboard.dispatch.breakers import Breakers
from tests.unit.switchboard.dispatch.build import NOW

POLICY = BreakerPolicy(failure_threshold=3, recovery_s=10, success_threshold=2)


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker(POLICY)
    for _ in range(POLICY.failure_threshold):
        breaker = breaker.failed(at, "connection refused")
    return breaker


def test_it_opens_after_consecutive_failures_only():
    breaker = Breaker(POLICY).failed(0, "x").failed(0, "x").succeeded().failed(0, "x").failed(0, "x")
    assert breaker.state is BreakerState.CLOSED
    assert breaker.failed(0, "x").state is BreakerState.OPEN


def test_open_it_refuses_until_the_recovery_time_then_admits_one_probe_at_a_time():
    breaker = opened()
    assert not breaker.admit(9.9)[0]
    admitted, probing = breaker.admit(10)
    assert admitted
    assert probing.state is BreakerState.HALF_OPEN
    assert not probing.admit(10.1)[0]


def test_enough_successful_probes_close_it_and_one_failed_probe_opens_it_again():
    _, probing = opened().admit(10)
    _, second = probing.succeeded().admit(10.5)
    assert second.succeeded().state is BreakerState.CLOSED
    assert probing.failed(11, "x").state is BreakerState.OPEN


def test_a_probe_that_never_came_back_does_not_keep_it_half_open_for_ever():
    _, probing = opened().admit(10)
    assert probing.admit(10 + POLICY.recovery_s)[0]


class Seen:
    def __init__(self) -> None:
        self.transitions: list[tuple[str, str]] = []
        self.open = 0

    def circuit_transition(self, target: str, state: str) -> None:
        self.transitions.append((target, state))

    def circuits_open(self, count: int) -> None:
        self.open = count


def test_every_transition_is_told_once_with_the_number_of_open_circuits():
    seen, clock = Seen(), ManualClock(NOW)
    breakers = Breakers(POLICY, clock, seen)
    for _ in range(4):
        breakers.failed("finance", "refused")
    assert seen.transitions == [("finance", "open")]
    assert seen.open == 1
    assert not breakers.admit("finance")
    assert breakers.admit("travel")
    clock.advance(10)
    assert breakers.admit("finance")
    breakers.succeeded("finance")
    assert breakers.admit("finance")
    breakers.succeeded("finance")
    assert [state for _, state in seen.transitions] == ["open", "half-open", "closed"]
    assert seen.open == 0


@pytest.mark.parametrize("failures", [1, 2])
def test_fewer_failures_than_the_threshold_change_nothing(failures: int):
    breaker = Breaker(POLICY)
    for _ in range(failures):
        breaker = breaker.failed(0, "x")
    assert breaker.admit(0) == (True, breaker)
