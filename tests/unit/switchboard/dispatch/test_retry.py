"""How long a branch that its target does not take is tried again: by time, by tier, never by count."""

from __future__ import annotations

from datetime import datetime

import pytest

from butler_contracts.ingest import PolicyTier
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.policies import breaker_policy, retry_policy
from butler_switchboard.settings import DispatchConfig
from tests.unit.switchboard.dispatch.build import NOW, seconds

POLICY = retry_policy(DispatchConfig())
CIRCUIT = breaker_policy(DispatchConfig())


def end_of_tries(tier: PolicyTier, *, pause_s: float = 0.0) -> datetime:
    """When a branch ends whose target refuses every connection at once."""
    now, tries = NOW, 0
    while True:
        tries += 1
        pause = pause_s or POLICY.delay_s(tries, spread=0.5)
        later = POLICY.next_try(tier, since=NOW, now=now, pause_s=pause)
        if later is None:
            return now
        now = later


@pytest.mark.parametrize(
    ("tier", "patience_s"),
    [(PolicyTier.DEFAULT, 900), (PolicyTier.HIGH_PRIORITY, 900), (PolicyTier.INTERACTIVE, 60)],
)
def test_a_target_is_tried_for_as_long_as_the_tier_says_however_often_that_is(
    tier: PolicyTier, patience_s: float
):
    assert end_of_tries(tier) == NOW + seconds(patience_s)
    assert end_of_tries(tier, pause_s=0.1) == NOW + seconds(patience_s)


def end_at_a_circuit(tier: PolicyTier) -> datetime:
    """When a branch ends that comes back whenever the circuit may let a call pass, and it never does."""
    now = NOW
    while True:
        later = POLICY.next_look(tier, since=NOW, now=now, wait_s=CIRCUIT.recovery_s, spread=0.5)
        if later is None:
            return now
        now = later


def test_an_open_circuit_ends_what_somebody_waits_for_within_five_seconds_and_the_rest_after_a_quarter_hour():
    assert end_at_a_circuit(PolicyTier.INTERACTIVE) <= NOW + seconds(5)
    waited = end_at_a_circuit(PolicyTier.DEFAULT) - NOW
    assert seconds(900 - CIRCUIT.recovery_s) <= waited <= seconds(900)


def test_a_circuit_that_opens_too_late_is_not_waited_for():
    now = NOW + seconds(1)
    assert POLICY.next_look(PolicyTier.INTERACTIVE, since=NOW, now=now, wait_s=3.0, spread=0.0) is not None
    assert POLICY.next_look(PolicyTier.INTERACTIVE, since=NOW, now=now, wait_s=3.1, spread=0.0) is None


def test_who_has_waited_long_asks_seldom():
    first = POLICY.next_look(PolicyTier.DEFAULT, since=NOW, now=NOW, wait_s=4.0, spread=0.0)
    late = POLICY.next_look(PolicyTier.DEFAULT, since=NOW, now=NOW + seconds(400), wait_s=4.0, spread=0.0)
    assert first == NOW + seconds(4)
    assert late == NOW + seconds(430)


def test_both_attempts_of_a_probe_for_somebody_who_waits_take_no_longer_than_the_rest_of_the_wait():
    def probe_s(tier: PolicyTier, waited_s: float) -> float:
        return POLICY.probe_s(tier, since=NOW, now=NOW + seconds(waited_s), usual_s=5.0)

    assert [probe_s(PolicyTier.INTERACTIVE, waited) for waited in (0, 1, 4)] == [2.0, 1.5, 0.5]
    assert probe_s(PolicyTier.DEFAULT, 600) == 5.0


@pytest.mark.spec("SWB-34.1")
def test_attempts_after_a_received_error_are_bounded_by_their_number_for_each_tier():
    policy = retry_policy(DispatchConfig.model_validate({"tiers": {"interactive": {"max_attempts": 1}}}))
    assert not policy.may_retry(PolicyTier.INTERACTIVE, attempt=1, retryable=True)
    assert policy.may_retry(PolicyTier.DEFAULT, attempt=2, retryable=True)
    assert not policy.may_retry(PolicyTier.DEFAULT, attempt=3, retryable=True)
    assert not policy.may_retry(PolicyTier.DEFAULT, attempt=1, retryable=False)


@pytest.mark.parametrize(
    ("tier", "hint_s", "pause_s"),
    [
        (PolicyTier.INTERACTIVE, None, 1.0),
        (PolicyTier.INTERACTIVE, 0.2, 1.0),
        (PolicyTier.INTERACTIVE, 20.0, 20.0),
        (PolicyTier.INTERACTIVE, 86_400.0, 60.0),
        (PolicyTier.DEFAULT, 86_400.0, 900.0),
    ],
)
def test_a_target_is_asked_again_when_it_wishes_but_no_later_than_its_tier_waits(
    tier: PolicyTier, hint_s: float | None, pause_s: float
):
    assert POLICY.attempt_delay_s(tier, attempt=2, hint_s=hint_s, spread=0.5) == pause_s


@pytest.mark.spec("SWB-34.1")
def test_what_the_configuration_says_is_what_the_policies_decide_by():
    said = DispatchConfig.model_validate(
        {
            "retries": {"base_delay_s": 1.0, "max_delay_s": 2.0, "max_attempts": 4},
            "circuit": {"failures": 2, "reset_s": 3.0, "patience_s": 60.0},
            "tiers": {"interactive": {"circuit_patience_s": 1.0}, "default": {"patience_s": 30.0}},
        }
    )
    policy, circuit = retry_policy(said), breaker_policy(said)
    assert (policy.base_delay_s, policy.max_delay_s, policy.max_attempts) == (1.0, 2.0, 4)
    assert (circuit.failure_threshold, circuit.recovery_s) == (2, 3.0)
    default, interactive = policy.patience(PolicyTier.DEFAULT), policy.patience(PolicyTier.INTERACTIVE)
    assert (default.tries_s, default.circuit_s) == (30.0, 60.0)
    assert (interactive.tries_s, interactive.circuit_s) == (60.0, 1.0)


def test_a_thousand_tries_are_a_pause_like_any_other():
    assert RetryPolicy().delay_s(100_000, spread=0.5) == 30.0
