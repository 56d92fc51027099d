"""Which decisions tell something of the model that was to make them, and what (SWB-36.1)."""

from __future__ import annotations

import pytest

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_switchboard.rollouts.evidence import trial_after
from butler_switchboard.rollouts.trial import Arm, Trial

BEGUN = Trial("key", Arm.CANDIDATE, "thread")
UNANSWERED = Trial("key", Arm.CANDIDATE, "thread", unanswered=True)
INVALID = Trial("key", Arm.CANDIDATE, "thread", invalid=True)


def told(asked: str | None, why: str | None = None, *, unclassified: bool = False) -> Trial | None:
    error = None
    if asked != "next":
        error = ErrorDetail(
            error_class=ErrorClass.TARGET_UNAVAILABLE, message="away", retryable=True, original_class=why
        )
    return trial_after(
        BEGUN,
        wanted=("api", "next"),
        asked=None if asked is None else ("rules" if asked.startswith("rules") else "api", asked),
        error=error,
        unclassified=unclassified,
    )


def test_a_model_that_answers_is_judged_by_whether_its_answer_could_be_used() -> None:
    assert told("next") == BEGUN
    assert told("next", unclassified=True) == INVALID


@pytest.mark.parametrize("asked", ["stub", "rules-6"])
def test_where_another_one_decided_the_model_gave_no_answer(asked: str) -> None:
    assert told(asked, "model_not_found") == UNANSWERED


@pytest.mark.parametrize("why", ["model_not_found", "no_answer", "server_error", "refused", None])
def test_a_session_without_an_answer_is_an_error_and_no_invalid_verdict(why: str | None) -> None:
    assert told(None, why, unclassified=True) == UNANSWERED


@pytest.mark.parametrize("why", ["too_many_turns", "invalid_calls", "budget_session_tokens"])
def test_a_model_that_comes_to_no_usable_end_has_answered(why: str) -> None:
    assert told(None, why, unclassified=True) == INVALID


@pytest.mark.parametrize(
    "why", ["unauthorized", "unreachable", "no_key", "not_installed", "budget_day_cents"]
)
@pytest.mark.parametrize("asked", [None, "rules-6"])
def test_what_no_model_could_have_answered_tells_of_none(asked: str | None, why: str) -> None:
    assert told(asked, why, unclassified=True) is None


@pytest.mark.spec("SWB-36.1")
@pytest.mark.parametrize("side", [("api", "next"), ("rules", "rules-6")])
def test_rules_show_the_same_of_their_side_as_a_model(side: tuple[str, str]) -> None:
    for unclassified, shown in ((False, BEGUN), (True, INVALID)):
        assert trial_after(BEGUN, wanted=side, asked=side, error=None, unclassified=unclassified) == shown


def broke_off(why: str, *, apart: bool) -> Trial | None:
    error = ErrorDetail(
        error_class=ErrorClass.TARGET_UNAVAILABLE, message="away", retryable=True, original_class=why
    )
    return trial_after(
        BEGUN, wanted=("codex", "m"), asked=("api", "m"), error=error, unclassified=False, apart=apart
    )


@pytest.mark.spec("SWB-36.1")
def test_a_model_of_the_same_name_at_the_other_runtime_is_another_one() -> None:
    assert broke_off("no_answer", apart=True) == UNANSWERED


@pytest.mark.spec("SWB-36.1")
def test_a_program_that_breaks_off_is_the_fault_of_a_side_that_has_it_for_itself() -> None:
    assert broke_off("program_failed", apart=True) == UNANSWERED
    assert broke_off("program_failed", apart=False) is None
    for why in ("unauthorized", "unreachable", "no_key", "not_installed", "budget_day_cents"):
        assert broke_off(why, apart=True) is None
