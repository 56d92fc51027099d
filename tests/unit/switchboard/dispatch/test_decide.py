"""What a request needs next is one decision over its stored state."""

from __future__ import annotations

import pytest

from butler_contracts.errors import ErrorClass
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
from tests.unit.switchboard.dispatch.build import NOW, branch, error, plan, request, seconds


def decide(state: RequestState, *, lost: frozenset[str] = frozenset()) -> Step:
    return next_step(state, now=NOW, policy=RetryPolicy(max_attempts=3), lost=lost)


def test_a_request_without_a_plan_is_routed():
    assert decide(request(None)) == Route()


def test_a_concluded_request_is_announced_and_never_dispatched_again():
    assert decide(request(plan("finance"), branch(1, "finance"), finished=NOW)) == Announce()


@pytest.mark.spec("SWB-30.1")
def test_independent_branches_of_a_parallel_plan_go_out_together():
    both = (branch(1, "finance"), branch(2, "travel"))
    assert decide(request(plan("finance", "travel"), *both)) == Dispatch(both)


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


def test_a_branch_whose_target_shows_no_life_ends_as_unavailable():
    waiting = branch(1, "finance", "accepted", deadline_at=NOW + seconds(900))
    step = decide(request(plan("finance"), waiting), lost=frozenset({"finance"}))
    assert isinstance(step, Expire)
    assert step.expired[0][1].error_class is ErrorClass.TARGET_UNAVAILABLE


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
