"""The breaker lets a failing target alone and comes back carefully."""

from __future__ import annotations

import pytest

from butler_kit.breaker import BreakerState
from butler_kit.time import ManualClock
from butler_switchboard.dispatch.breaker import Breaker, BreakerPolicy, Part
from butler_switchboard.dispatch.breakers import Breakers
from tests.unit.switchboard.dispatch.build import NOW, error

POLICY = BreakerPolicy(
    failure_threshold=3, recovery_s=10, success_threshold=2, sustained_s=0, first_recovery_s=10
)


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker(POLICY)
    for _ in range(POLICY.failure_threshold):
        breaker = breaker.failed(at, "connection refused")
    return breaker


def test_it_opens_after_consecutive_failures_only():
    breaker = Breaker(POLICY).failed(0, "x").failed(0, "x").accepted().failed(0, "x").failed(0, "x")
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
    _, second = probing.accepted().admit(10.5)
    assert second.accepted().state is BreakerState.CLOSED
    assert probing.failed(11, "x").state is BreakerState.OPEN


def test_a_probe_that_never_came_back_does_not_keep_it_half_open_for_ever():
    _, probing = opened().admit(10)
    assert probing.admit(10 + POLICY.recovery_s)[0]


def test_runs_that_fail_one_after_another_open_it_although_every_call_is_taken():
    breaker = Breaker(POLICY)
    for _ in range(POLICY.failure_threshold):
        assert breaker.state is BreakerState.CLOSED
        breaker = breaker.accepted().failed(0, "broken", Part.RUN)
    assert (breaker.state, breaker.trip_reason) == (BreakerState.OPEN, "broken")


def test_a_circuit_that_runs_opened_is_closed_by_runs_that_end_well_and_not_by_a_call_that_is_taken():
    breaker = Breaker(POLICY)
    for _ in range(POLICY.failure_threshold):
        breaker = breaker.failed(0, "broken", Part.RUN)
    _, probing = breaker.admit(10)
    assert probing.accepted() == probing
    assert probing.failed(11, "broken still", Part.RUN).state is BreakerState.OPEN
    assert probing.succeeded().succeeded().state is BreakerState.CLOSED


def test_the_late_failure_of_an_older_run_is_no_verdict_on_a_target_that_is_back():
    _, probing = opened().admit(10)
    assert probing.failed(11, "cut off", Part.RUN).state is BreakerState.HALF_OPEN


def test_many_calls_that_fail_at_one_moment_do_not_open_it_and_as_many_over_some_seconds_do():
    breaker = Breaker(BreakerPolicy())
    for _ in range(50):
        breaker = breaker.failed(100.0, "refused")
    assert breaker.state is BreakerState.CLOSED
    assert breaker.failed(104.9, "refused").state is BreakerState.CLOSED
    assert breaker.failed(105.0, "refused").state is BreakerState.OPEN
    assert breaker.accepted().failed(105.0, "refused").state is BreakerState.CLOSED


def test_the_first_probes_come_soon_and_later_ones_after_the_whole_pause():
    breaker, now, pauses = Breaker(BreakerPolicy(sustained_s=0, failure_threshold=1)).failed(0, "x"), 0.0, []
    for _ in range(5):
        pauses.append(breaker.wait_s(now))
        now += pauses[-1]
        _, probing = breaker.admit(now)
        breaker = probing.failed(now, "x")
    assert pauses == [1.0, 2.0, 4.0, 4.0, 4.0]
    assert breaker.open_since == 0.0


def test_it_says_how_long_to_wait_without_letting_anything_through():
    breaker = opened(at=5.0)
    assert (breaker.wait_s(5.0), breaker.wait_s(9.0), breaker.wait_s(15.0)) == (10.0, 6.0, 0.0)
    _, probing = breaker.admit(15.0)
    assert 0 < probing.wait_s(15.0) < 1
    assert Breaker(POLICY).wait_s(0.0) == 0.0


@pytest.mark.parametrize(
    ("error_class", "opens"),
    [("timeout", True), ("target_unavailable", True), ("internal_error", True), ("validation_error", False)],
)
def test_a_failed_run_counts_against_its_target_unless_the_message_was_wrong(error_class: str, opens: bool):
    breakers = Breakers(POLICY, ManualClock(NOW), Seen())
    for _ in range(POLICY.failure_threshold):
        breakers.accepted("finance")
        breakers.ended("finance", error(error_class))
    assert (breakers.wait_s("finance") > 0) is opens


def test_a_budget_that_is_used_up_says_nothing_against_the_butler():
    breakers = Breakers(POLICY, ManualClock(NOW), Seen())
    used_up = error("overload_rejected").model_copy(update={"original_class": "budget_day_cents"})
    for _ in range(POLICY.failure_threshold):
        breakers.ended("finance", used_up)
    assert breakers.wait_s("finance") == 0


@pytest.mark.parametrize(
    ("error_class", "opens"), [("target_unavailable", True), ("timeout", True), ("overload_rejected", False)]
)
def test_a_call_that_is_refused_counts_unless_the_target_is_there_and_full(error_class: str, opens: bool):
    breakers = Breakers(POLICY, ManualClock(NOW), Seen())
    for _ in range(POLICY.failure_threshold):
        breakers.refused("finance", error(error_class))
    assert (breakers.wait_s("finance") > 0) is opens


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
    breakers.accepted("finance")
    assert breakers.admit("finance")
    breakers.accepted("finance")
    assert [state for _, state in seen.transitions] == ["open", "half-open", "closed"]
    assert seen.open == 0


@pytest.mark.parametrize("failures", [1, 2])
def test_fewer_failures_than_the_threshold_change_nothing(failures: int):
    breaker = Breaker(POLICY)
    for _ in range(failures):
        breaker = breaker.failed(0, "x")
    assert breaker.admit(0) == (True, breaker)
