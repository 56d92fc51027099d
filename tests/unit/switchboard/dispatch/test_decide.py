"""What a request needs next is one decision over its stored state."""

from __future__ import annotations

from dataclasses import replace

import pytest

from butler_contracts.errors import ErrorClass
from butler_contracts.ingest import PolicyTier
from butler_switchboard.dispatch.decide import (
    Announce,
    Conclude,
    Dispatch,
    Expire,
    Retry,
    Route,
    Skip,
    Step,
    Wait,
    next_step,
)
from butler_switchboard.dispatch.model import AbortPolicy, FanoutMode, RequestState
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.routing.registry_view import Presence
from tests.unit.switchboard.dispatch.build import NOW, branch, error, plan, request, seconds


def decide(state: RequestState, **presence: Presence) -> Step:
    return next_step(state, now=NOW, policy=RetryPolicy(max_attempts=3), presence=presence)


def test_a_request_without_a_plan_is_routed():
    assert decide(request(None)) == Route()


def test_a_concluded_request_is_announced_and_never_dispatched_again():
    assert decide(request(plan("finance"), branch(1, "finance"), finished=NOW)) == Announce()


@pytest.mark.spec("SWB-30.1")
def test_independent_branches_of_a_parallel_plan_go_out_together():
    both = (branch(1, "finance"), branch(2, "travel"))
    assert decide(request(plan("finance", "travel"), *both)) == Dispatch(both)


@pytest.mark.spec("SWB-30.2")
def test_the_second_branch_of_an_ordered_plan_waits_for_the_end_of_the_first():
    ordered = plan("finance", "travel", fanout_mode=FanoutMode.ORDERED)
    first, second = branch(1, "finance"), branch(2, "travel")
    assert decide(request(ordered, first, second)) == Dispatch((first,))
    running = branch(1, "finance", "accepted", deadline_at=NOW + seconds(60))
    assert isinstance(decide(request(ordered, running, second)), Wait)
    assert decide(request(ordered, branch(1, "finance", "ok"), second)) == Dispatch((second,))


def test_an_ordered_plan_goes_on_after_a_failure_unless_it_says_stop():
    failed, second = branch(1, "finance", "error", error=error()), branch(2, "travel")
    goes_on = plan("finance", "travel", fanout_mode=FanoutMode.ORDERED)
    assert decide(request(goes_on, failed, second)) == Dispatch((second,))
    stops = plan("finance", "travel", fanout_mode=FanoutMode.ORDERED, abort_policy=AbortPolicy.STOP)
    assert decide(request(stops, failed, second)) == Skip((second,))


def test_a_conditional_branch_runs_only_when_the_one_before_it_succeeded():
    conditional = plan("finance", "travel", fanout_mode=FanoutMode.CONDITIONAL)
    second = branch(2, "travel")
    assert decide(request(conditional, branch(1, "finance", "ok"), second)) == Dispatch((second,))
    assert decide(request(conditional, branch(1, "finance", "error", error=error()), second)) == Skip(
        (second,)
    )


def test_who_lets_go_of_an_edited_message_does_so_whatever_becomes_of_its_new_parts():
    conditional = plan("finance", "health", "travel", fanout_mode=FanoutMode.CONDITIONAL)
    first, second, third = conditional.targets
    leaving = replace(third, supersedes={"parts": [], "moved_to": ["finance", "health"]})
    edited = replace(conditional, targets=(first, second, leaving))
    failed, travel = branch(1, "finance", "error", error=error()), branch(3, "travel")
    assert decide(request(edited, failed, branch(2, "health"), travel)) == Skip((branch(2, "health"),))
    assert decide(request(edited, failed, branch(2, "health", "skipped"), travel)) == Dispatch((travel,))


def test_a_branch_whose_next_try_is_not_due_is_waited_for():
    later = branch(1, "finance", next_try_at=NOW + seconds(4))
    assert decide(request(plan("finance"), later)) == Wait(NOW + seconds(4), releases_thread=False)


def test_the_thread_is_released_once_every_branch_is_accepted():
    accepted = branch(1, "finance", "accepted", deadline_at=NOW + seconds(900))
    step = decide(request(plan("finance"), accepted))
    assert isinstance(step, Wait)
    assert step.releases_thread


def test_silence_past_the_deadline_is_a_timeout_and_is_not_tried_again():
    silent = branch(1, "finance", "started", deadline_at=NOW)
    step = decide(request(plan("finance"), silent))
    assert isinstance(step, Expire)
    [(expired, detail)] = step.expired
    assert (expired, detail.error_class, detail.retryable) == (silent, ErrorClass.TIMEOUT, False)


@pytest.mark.parametrize(("tier", "gone_after_s"), [("interactive", 181), ("default", 900)])
def test_a_branch_whose_target_shows_no_life_ends_as_unavailable_as_late_as_its_tier_can_wait(
    tier: str, gone_after_s: float
):
    accepted = branch(1, "finance", "accepted", deadline_at=NOW + seconds(86_400))
    waiting = request(plan("finance"), accepted, policy_tier=PolicyTier(tier))
    assert isinstance(decide(waiting, finance=Presence(silent_s=gone_after_s - 1)), Wait)
    step = decide(waiting, finance=Presence(silent_s=gone_after_s))
    assert isinstance(step, Expire)
    assert step.expired[0][1].error_class is ErrorClass.TARGET_UNAVAILABLE


def cut_off(tier: str) -> RequestState:
    """A run that began ten minutes ago, for which its target had two minutes."""
    began = NOW - seconds(600)
    running = branch(1, "finance", "started", started_at=began, deadline_at=began + seconds(120))
    return request(plan("finance"), running, policy_tier=PolicyTier(tier))


@pytest.mark.parametrize(
    "target", [Presence(silent_s=91), Presence(registered_at=NOW - seconds(20))], ids=["away", "back"]
)
def test_a_run_that_ended_with_its_process_is_waited_for_until_it_could_have_been_done_again(
    target: Presence,
):
    step = decide(cut_off("default"), finance=target)
    assert isinstance(step, Wait)
    assert step.until > NOW
    assert isinstance(decide(cut_off("interactive"), finance=target), Expire)


def test_a_run_of_a_process_that_never_went_away_is_a_timeout_at_its_deadline():
    before = Presence(silent_s=20, registered_at=NOW - seconds(3_600))
    step = decide(cut_off("default"), finance=before)
    assert isinstance(step, Expire)
    assert step.expired[0][1].error_class is ErrorClass.TIMEOUT


def test_a_cut_off_run_that_is_never_done_again_ends_all_the_same():
    step = next_step(
        cut_off("default"),
        now=NOW + seconds(420),
        policy=RetryPolicy(),
        presence={"finance": Presence(registered_at=NOW)},
    )
    assert isinstance(step, Expire)


def test_a_branch_that_was_tried_in_vain_lets_its_thread_go_on():
    later = NOW + seconds(4)
    put_off = branch(1, "finance", next_try_at=later, waiting_since=NOW)
    accepted = branch(2, "travel", "accepted", deadline_at=NOW + seconds(900))
    assert decide(request(plan("finance"), put_off)) == Wait(later, releases_thread=True)
    both = request(plan("finance", "travel"), put_off, accepted)
    assert decide(both) == Wait(later, releases_thread=True)
    untried = branch(2, "travel", next_try_at=later)
    assert decide(request(plan("finance", "travel"), put_off, untried)) == Wait(later, releases_thread=False)


def test_a_received_retryable_error_gets_a_new_attempt_until_the_attempts_are_used_up():
    failed = branch(1, "finance", "error", error=error("target_unavailable", retryable=True))
    assert decide(request(plan("finance"), failed)) == Retry((failed,))
    last = branch(1, "finance", "error", attempt=3, error=error("target_unavailable", retryable=True))
    assert decide(request(plan("finance"), failed, last)) == Conclude()


def test_an_error_that_is_not_retryable_ends_the_branch_at_once():
    failed = branch(1, "finance", "error", error=error("validation_error"))
    assert decide(request(plan("finance"), failed)) == Conclude()


def test_only_the_newest_attempt_of_a_branch_counts():
    first = branch(1, "finance", "error", error=error("timeout", retryable=True))
    assert decide(request(plan("finance"), first, branch(1, "finance", "ok", attempt=2))) == Conclude()
