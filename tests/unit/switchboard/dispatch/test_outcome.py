"""How a request ended, as it is stored and as a person reads it."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from butler_switchboard.dispatch.failure_words import failure_text
from butler_switchboard.dispatch.model import JoinPolicy, PlannedTarget
from butler_switchboard.dispatch.outcome import conclude
from tests.unit.switchboard.dispatch.build import REQUEST, branch, error, plan, request

OK = {"result": {"reply": "Noted: 12 EUR."}}


def test_all_branches_done_is_parsed():
    outcome = conclude(request(plan("finance"), branch(1, "finance", "ok", response=OK)))
    assert (outcome.lifecycle_state, outcome.error) == ("parsed", None)


@pytest.mark.spec("SWB-16.3", "SWB-31.1")
def test_a_mixed_end_is_errored_names_what_worked_and_says_what_to_do_about_the_rest():
    state = request(
        plan("finance", "travel"),
        branch(1, "finance", "ok", response=OK),
        branch(2, "travel", "error", error=error("target_unavailable")),
        channel="api",
    )
    outcome = conclude(state)
    assert outcome.lifecycle_state == "errored"
    assert outcome.error is not None
    assert outcome.error.error_class == "target_unavailable"
    assert [
        (item["target_butler"], item["status"], item["error_class"]) for item in outcome.dispatch_outcomes
    ] == [
        ("finance", "ok", None),
        ("travel", "error", "target_unavailable"),
    ]
    assert outcome.aggregated_reply is not None
    text = outcome.aggregated_reply["text"]
    assert "[finance] Noted: 12 EUR." in text
    assert "Done: finance." in text
    said = "Please send this part again in a few minutes. (target_unavailable)"
    assert f"Not done: travel: it cannot be reached at the moment. {said}" in text
    assert str(REQUEST) in text


def test_the_end_of_a_budget_is_told_in_its_own_words_without_other_advice():
    used_up = error("overload_rejected").model_copy(
        update={
            "original_class": "budget_day_cents",
            "message": "Was ich heute ausgeben darf, ist aufgebraucht.",
        }
    )
    state = request(plan("finance"), branch(1, "finance", "error", error=used_up))
    text = failure_text(state, list(state.latest()), used_up)
    assert text.splitlines()[0] == "Not done: finance: Was ich heute ausgeben darf, ist aufgebraucht."
    assert "too much to do" not in text


@pytest.mark.spec("SWB-41.1")
def test_an_end_after_somebody_stepped_in_says_nothing_about_how_fast_the_household_is():
    at_once = conclude(request(plan("finance"), branch(1, "finance", "ok", response=OK)))
    replayed = conclude(
        request(plan("finance"), branch(1, "finance", "ok", attempt=2, response=OK, replay_of=uuid4()))
    )
    rerouted = request(plan("finance"), branch(1, "health", "ok", attempt=2, response=OK))
    corrected = conclude(replace(rerouted, message=replace(rerouted.message, reroutes=1)))
    assert [one.reopened for one in (at_once, replayed, corrected)] == [False, True, True]


def test_a_branch_that_is_not_required_does_not_fail_the_whole():
    optional = PlannedTarget(position=2, segment_id="s2", butler="travel", prompt="p", required=False)
    both = plan("finance")
    state = request(
        type(both)(**{**both.__dict__, "targets": (*both.targets, optional)}),
        branch(1, "finance", "ok"),
        branch(2, "travel", "error", error=error()),
    )
    assert conclude(state).lifecycle_state == "parsed"


def test_with_join_policy_any_one_success_is_enough():
    either = plan("finance", "travel", join_policy=JoinPolicy.ANY)
    failed = branch(2, "travel", "error", error=error())
    assert conclude(request(either, branch(1, "finance", "ok"), failed)).lifecycle_state == "parsed"
    none = branch(1, "finance", "error", error=error())
    assert conclude(request(either, none, failed)).lifecycle_state == "errored"


def test_a_plan_that_could_not_be_made_ends_with_its_own_error():
    outcome = conclude(request(plan(error=error("routing_error"))))
    assert outcome.lifecycle_state == "errored"
    assert outcome.error is not None
    assert outcome.error.error_class == "routing_error"


def test_a_message_that_needs_nothing_is_recorded():
    assert conclude(request(plan())).lifecycle_state == "recorded"


def test_the_routing_decision_is_kept_with_its_prompt_and_model_version():
    kept = conclude(request(plan("finance"), branch(1, "finance", "ok"))).routing_output
    assert (kept["prompt_version"], kept["model_version"], kept["family"]) == ("p1", "m1", "rules")


def test_a_telegram_answer_is_not_repeated_as_an_aggregated_error():
    state = request(plan("finance"), branch(1, "finance", "error", error=error("timeout")))
    assert conclude(state).aggregated_reply is None
    failed = list(state.latest())
    detail = conclude(state).error
    assert detail is not None
    assert "may still answer late" in failure_text(state, failed, detail)


def test_what_may_have_been_done_is_not_called_undone_and_says_in_its_own_words_what():
    words = "This may have been done, or not: lamps.switch."
    unsure = error("internal_error").model_copy(update={"original_class": "uncertain", "message": words})
    state = request(plan("home"), branch(1, "home", "error", error=unsure))
    text = failure_text(state, list(state.latest()), unsure)
    assert text.splitlines()[0] == f"Perhaps done: home: {words}"
    assert "Something broke" not in text


@pytest.mark.parametrize(
    ("message", "usual", "said"),
    [
        (
            "Ich habe 40 Euro für Gas bezahlt",
            "en",
            "Nicht erledigt: finance: es ist im Moment nicht erreichbar.",
        ),
        ("J'ai payé 40 euros de gaz", "en", "Pas fait : finance : c'est injoignable pour le moment."),
        ("Pagué 40 euros en la farmacia", "en", "No hecho: finance: no responde en este momento."),
        ("Rewe 40", "de", "Nicht erledigt: finance: es ist im Moment nicht erreichbar."),
        ("I paid 40 euro for gas", "de", "Not done: finance: it cannot be reached at the moment."),
    ],
)
def test_whoever_wrote_reads_of_a_failure_in_the_language_of_the_message(message, usual, said):
    away = error("target_unavailable").model_copy(
        update={"message": "its circuit is open: connection refused"}
    )
    state = request(plan("finance"), branch(1, "finance", "error", error=away), channel="api", text=message)
    text = failure_text(state, list(state.latest()), away, usual)
    assert text.startswith(said)
    assert "circuit" not in text, "an operator's words"
    reply = conclude(state, usual).aggregated_reply
    assert reply is not None
    assert text == reply["text"]


def test_a_fault_in_what_was_asked_keeps_the_words_that_say_what_is_wrong_with_it():
    wrong = error("validation_error").model_copy(update={"message": "I cannot read {the} amount."})
    state = request(plan("finance"), branch(1, "finance", "error", error=wrong))
    assert (
        "this cannot be worked with: I cannot read {the} amount. Please say it differently."
        in failure_text(state, list(state.latest()), wrong)
    )
