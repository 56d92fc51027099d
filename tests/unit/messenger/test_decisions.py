"""What follows a provider call, and a crash in the middle of one (MSR-07, D20, D41, D43)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.errors import ErrorClass
from butler_messenger.delivery.decisions import (
    AUTOFILE_WAIT_S,
    Complete,
    DeadLetter,
    Fail,
    Found,
    LookAgain,
    MarkUncertain,
    Resume,
    Retry,
    RetryPolicy,
    Wait,
    after_call,
    after_crash,
    retry_delay_s,
)
from butler_messenger.delivery.outcomes import (
    Ambiguous,
    Deferred,
    Failure,
    Refused,
    Sent,
    Throttled,
    Unreachable,
)

POLICY = RetryPolicy(max_attempts=3, base_delay_s=2.0, max_delay_s=60.0, jitter=0.3)
UNAVAILABLE = Failure(ErrorClass.TARGET_UNAVAILABLE, "away", retryable=True)


def decide(
    outcome,
    *,
    intent="reply",
    bounded=False,
    used=1,
    tries=1,
    deferrals=0,
    guarantee="at_most_once",
    draw=0.5,
):
    return after_call(
        outcome,
        intent=intent,
        bounded=bounded,
        attempts_used=used,
        tries=tries,
        deferrals=deferrals,
        policy=POLICY,
        guarantee=guarantee,
        draw=draw,
    )


@pytest.mark.spec("MSR-07.1", "MSG-9")
def test_the_delay_doubles_with_every_retry_up_to_its_cap() -> None:
    delays = [retry_delay_s(POLICY, retry=retry, draw=0.5) for retry in range(1, 9)]
    assert delays == [2, 4, 8, 16, 32, 60, 60, 60]


@pytest.mark.spec("MSR-07.1")
def test_defaults_are_three_attempts_a_cap_of_a_minute_and_thirty_percent_of_jitter() -> None:
    policy = RetryPolicy()
    assert (policy.max_attempts, policy.max_delay_s, policy.jitter) == (3, 60.0, 0.3)


@pytest.mark.spec("MSR-07.1", "MSG-9")
@given(retry=st.integers(1, 1000), draw=st.floats(0, 1, exclude_max=True))
def test_jitter_moves_the_delay_by_at_most_its_share_and_never_above_the_cap(retry: int, draw: float) -> None:
    plain = min(2.0 * 2 ** min(retry - 1, 30), 60.0)
    delay = retry_delay_s(POLICY, retry=retry, draw=draw)
    assert plain * 0.7 - 1e-9 <= delay <= min(plain * 1.3, 60.0) + 1e-9


def test_jitter_spreads_two_draws_apart() -> None:
    assert retry_delay_s(POLICY, retry=1, draw=0.0) == pytest.approx(1.4)
    assert retry_delay_s(POLICY, retry=1, draw=0.999) == pytest.approx(2.6, abs=0.01)


@pytest.mark.spec("MSR-07.1", "MSG-9")
def test_a_refusal_that_may_pass_is_retried_until_the_attempts_are_used_up() -> None:
    assert decide(Refused(UNAVAILABLE), used=1) == Retry(2.0, UNAVAILABLE)
    assert decide(Refused(UNAVAILABLE), used=2) == Retry(4.0, UNAVAILABLE)
    assert decide(Refused(UNAVAILABLE), used=3) == DeadLetter(UNAVAILABLE)


@pytest.mark.spec("MSR-07.2", "MSG-9")
@pytest.mark.parametrize("error_class", [ErrorClass.VALIDATION_ERROR, ErrorClass.INTERNAL_ERROR])
def test_validation_and_internal_errors_end_at_once_even_when_called_retryable(
    error_class: ErrorClass,
) -> None:
    failure = Failure(error_class, "no", retryable=True)
    assert decide(Refused(failure)) == Fail(failure)


def test_a_refusal_that_cannot_pass_ends_at_once() -> None:
    blocked = Failure(ErrorClass.TARGET_UNAVAILABLE, "blocked", retryable=False)
    assert decide(Refused(blocked)) == Fail(blocked)


def test_a_call_without_an_answer_is_uncertain_and_not_repeated() -> None:
    assert decide(Ambiguous(UNAVAILABLE)) == MarkUncertain(UNAVAILABLE)


def test_a_call_without_an_answer_is_repeated_where_the_household_chose_at_least_once() -> None:
    assert decide(Ambiguous(UNAVAILABLE), guarantee="at_least_once") == Retry(2.0, UNAVAILABLE)


def test_a_defect_after_the_request_leaves_it_uncertain_whatever_the_household_chose() -> None:
    defect = Failure(ErrorClass.INTERNAL_ERROR, "the adapter failed", retryable=False)
    assert decide(Ambiguous(defect), guarantee="at_least_once") == MarkUncertain(defect)


def test_a_throttle_waits_as_long_as_the_provider_says_however_many_attempts_were_used() -> None:
    assert decide(Throttled(3600.0), used=3) == Wait(3600.0, whole=True)


@pytest.mark.parametrize(("intent", "bounded"), [("react", False), ("send", True)])
def test_a_throttle_of_what_nobody_waits_for_pauses_its_own_chat_alone(intent: str, bounded: bool) -> None:
    assert decide(Throttled(40.0), intent=intent, bounded=bounded) == Wait(40.0, whole=False)


def test_a_provider_that_is_away_is_waited_for_with_growing_pauses_however_many_attempts_were_used() -> None:
    delays = [decide(Unreachable(UNAVAILABLE), used=3, tries=tries) for tries in (1, 2, 3, 4, 5, 6, 1000)]
    assert delays == [Retry(float(s), UNAVAILABLE) for s in (2, 4, 8, 16, 32, 60, 60)]


def test_a_provider_that_says_later_is_asked_after_1_5_15_and_30_minutes_and_then_hourly() -> None:
    answers = [
        decide(Deferred(UNAVAILABLE), used=3, tries=9, deferrals=before) for before in (0, 1, 2, 3, 4, 30)
    ]
    assert answers == [Retry(60.0 * m, UNAVAILABLE) for m in (1, 5, 15, 30, 60, 60)]


@pytest.mark.parametrize("outcome", [Refused(UNAVAILABLE), Ambiguous(UNAVAILABLE), Unreachable(UNAVAILABLE)])
def test_a_reaction_is_tried_once_and_leaves_no_dead_letter(outcome) -> None:
    assert decide(outcome, intent="react") == Fail(UNAVAILABLE)


def test_an_accepted_call_completes() -> None:
    sent = Sent("1001:5")
    assert decide(sent) == Complete(sent)


def crash(**changes):
    known = {
        "intent": "reply",
        "guarantee": "at_most_once",
        "evidence": "none",
        "autofile": False,
        "marked_for_s": 1.0,
    }
    return after_crash(**{**known, **changes})


def test_a_crash_during_the_call_leaves_it_uncertain_without_evidence() -> None:
    assert isinstance(crash(), MarkUncertain)
    assert isinstance(crash(evidence="not_found"), MarkUncertain)
    assert isinstance(crash(evidence="unavailable"), MarkUncertain)


def test_the_words_for_an_open_call_are_those_of_what_happened() -> None:
    late = Failure(ErrorClass.TIMEOUT, "no answer within 45 s", retryable=True)
    known, unknown = crash(cause=late), crash()
    assert isinstance(known, MarkUncertain)
    assert isinstance(unknown, MarkUncertain)
    assert known.failure.message.startswith("no answer within 45 s: ")
    assert unknown.failure.message.startswith("Messenger stopped between the provider call and its receipt: ")


def test_a_crash_is_resolved_by_the_providers_own_record() -> None:
    assert crash(evidence="found") == Found()


def test_a_missing_record_proves_a_missing_send_only_where_the_account_files_itself_and_had_its_time() -> (
    None
):
    assert crash(evidence="not_found", autofile=True, marked_for_s=20.0) == LookAgain(AUTOFILE_WAIT_S - 20.0)
    assert crash(evidence="not_found", autofile=True, marked_for_s=AUTOFILE_WAIT_S) == Resume()
    assert isinstance(
        crash(evidence="unavailable", autofile=True, marked_for_s=AUTOFILE_WAIT_S), MarkUncertain
    )


def test_a_crash_is_followed_by_another_send_where_the_household_chose_at_least_once() -> None:
    assert crash(guarantee="at_least_once") == Resume()


def test_a_crash_during_a_reaction_ends_it() -> None:
    assert isinstance(crash(intent="react"), Fail)
