"""What becomes of recorded calls: the verdict is safe whatever a session did (SWB-03.5, 03.6, 04.2, 10.4, 28.1)."""

from __future__ import annotations

import math

import pytest

from butler_contracts.errors import ErrorClass
from butler_switchboard.routing.message import RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.order import Order
from butler_switchboard.routing.policy import RuleRoute, policy_decision
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.verdict import Provenance, verdict

TEXT = "Pay the water bill, 84 EUR, and I weigh 80 kg."
MESSAGE = RoutingMessage(text=TEXT, channel="telegram")


def registry(**states: bool) -> RegistryView:
    names = {"finance": True, "health": True, "general": True} | states
    return RegistryView.of(ButlerProfile(name, eligible=eligible) for name, eligible in names.items())


def call(butler: object = "finance", **more: object) -> dict[str, object]:
    return {"butler": butler, "prompt": "Pay the water bill", "confidence": 0.9} | more


def assert_general_with_original(made, reason: str) -> None:
    assert [(t.butler, t.prompt) for t in made.targets] == [("general", TEXT)]
    assert made.fallback
    assert made.reason == reason


@pytest.mark.spec("SWB-04.2")
def test_valid_calls_become_targets_with_their_prompts_and_segments():
    calls = [
        call(segment={"char_ranges": [[0, 18]], "rationale": "a bill"}),
        call("health", prompt="I weigh 80 kg", segment={"char_ranges": [(32, 45)]}),
    ]
    made = verdict(calls, registry(), MESSAGE, 0.5, provenance=Provenance("codex", "m-1", "p-1"))
    assert [(t.butler, t.prompt) for t in made.targets] == [
        ("finance", "Pay the water bill"),
        ("health", "I weigh 80 kg"),
    ]
    assert made.targets[0].segment == Segment(((0, 18),), "a bill")
    assert (made.family, made.model_version, made.prompt_version) == ("codex", "m-1", "p-1")
    assert (made.fallback, made.reason, made.confidence) == (False, "routed", 0.9)


def test_a_models_ranges_are_taken_in_the_order_of_the_text_and_no_word_twice():
    ranges = [[32, 45], [0, 10], [4, 18], [18, 20]]
    made = verdict([call(segment={"char_ranges": ranges})], registry(), MESSAGE, 0.5)
    assert made.targets[0].segment.char_ranges == ((0, 18), (18, 20), (32, 45))


@pytest.mark.parametrize("failure", ["timeout", "error", "exit_code"])
def test_a_session_that_failed_leaves_the_whole_message_to_general(failure: str):
    made = verdict([call()], registry(), MESSAGE, 0.5, failure=failure)
    assert_general_with_original(made, f"classification_failed:{failure}")


def test_a_session_without_a_call_leaves_the_whole_message_to_general():
    assert_general_with_original(verdict([], registry(), MESSAGE, 0.5), "classification_failed:no_call")


def test_low_confidence_leaves_the_whole_message_to_general_and_is_tagged():
    made = verdict([call(confidence=0.49)], registry(), MESSAGE, 0.5)
    assert_general_with_original(made, "ambiguous")
    assert made.confidence == 0.49


def test_one_unsure_call_among_sure_ones_makes_the_message_ambiguous():
    made = verdict([call(), call("health", confidence=0.2)], registry(), MESSAGE, 0.5)
    assert_general_with_original(made, "ambiguous")


@pytest.mark.spec("SWB-04.2")
@pytest.mark.parametrize(
    "bad",
    [
        {"prompt": "no butler"},
        call(7),
        call(prompt=""),
        call(prompt="  \n"),
        call(prompt=None),
        call(prompt="x" * 200_000),
        call(confidence="high"),
        call(confidence=math.nan),
        call(confidence=True),
        call(segment="all of it"),
        call(segment={"char_ranges": [[0, 9_999]]}),
        call(segment={"char_ranges": [[5, 5]]}),
        call(segment={"char_ranges": [[-1, 4]]}),
        call(segment={"char_ranges": [[0, 1]] * 65}),
        call(segment={"char_ranges": "0-4"}),
        call(segment={"rationale": 5}),
        call(prompt="Pay\x00"),
        call(prompt="Pay \ud83d"),
        call(segment={"rationale": "\x00"}),
    ],
)
def test_a_malformed_call_leaves_the_whole_message_to_general(bad: dict[str, object]):
    assert_general_with_original(
        verdict([call("health"), bad], registry(), MESSAGE, 0.5), "invalid_output:malformed_call"
    )


@pytest.mark.spec("SWB-04.2")
@pytest.mark.parametrize("name", ["admin", "Finance", "finance ", "../finance", ""])
def test_a_butler_outside_the_registry_leaves_the_whole_message_to_general(name: str):
    assert_general_with_original(
        verdict([call(name)], registry(), MESSAGE, 0.5), "invalid_output:unknown_butler"
    )


@pytest.mark.spec("SWB-04.2")
def test_the_same_butler_twice_leaves_the_whole_message_to_general():
    assert_general_with_original(
        verdict([call(), call()], registry(), MESSAGE, 0.5), "invalid_output:duplicate_target"
    )


def test_more_targets_than_a_plan_holds_leave_the_message_to_general():
    names = [f"b{n}" for n in range(17)]
    view = RegistryView.of(ButlerProfile(name) for name in [*names, "general"])
    made = verdict([call(name) for name in names], view, MESSAGE, 0.5)
    assert_general_with_original(made, "invalid_output:too_many_targets")


def test_an_ineligible_target_is_replaced_by_general_with_the_original_text():
    assert_general_with_original(
        verdict([call()], registry(finance=False), MESSAGE, 0.5), "ineligible_target:finance"
    )


def test_the_eligible_part_of_a_decision_survives_an_ineligible_one():
    made = verdict([call(), call("health", prompt="I weigh 80 kg")], registry(finance=False), MESSAGE, 0.5)
    assert [(t.butler, t.prompt) for t in made.targets] == [("health", "I weigh 80 kg"), ("general", TEXT)]
    assert (made.fallback, made.reason) == (True, "ineligible_target:finance")


@pytest.mark.spec("SWB-10.4")
def test_a_part_that_neither_its_butler_nor_general_may_get_waits_for_its_butler_beside_the_others():
    calls = [call(), call("health", prompt="I weigh 80 kg")]
    made = verdict(calls, registry(finance=False, general=False), MESSAGE, 0.5)
    assert [(t.butler, t.prompt, t.away) for t in made.targets] == [
        ("finance", "Pay the water bill", True),
        ("health", "I weigh 80 kg", False),
    ]
    assert (made.error, made.fallback, made.reason) == (None, False, "ineligible_target:finance")


def test_the_part_of_general_waits_for_it_with_its_own_text_where_that_is_away():
    general = call("general", prompt="x", segment={"char_ranges": [(32, 45)]})
    made = verdict([call(), general], registry(general=False), MESSAGE, 0.5)
    assert [(t.butler, t.prompt, t.away) for t in made.targets] == [
        ("finance", "Pay the water bill", False),
        ("general", TEXT[32:45], True),
    ]


def test_parts_that_wait_for_an_absent_butler_keep_the_order_of_the_message():
    text = "First pay the water bill, then note that I weigh 80 kg."
    calls = [
        call(segment={"char_ranges": [(0, 24)]}),
        call("health", prompt="then note that I weigh 80 kg", segment={"char_ranges": [(26, len(text))]}),
    ]
    message = RoutingMessage(text=text, channel="telegram")
    made = verdict(calls, registry(finance=False, general=False), message, 0.5)
    assert (made.order, [t.away for t in made.targets]) == ("ordered", [True, False])


@pytest.mark.parametrize("view", [registry(general=False), RegistryView.of([ButlerProfile("finance")])])
@pytest.mark.parametrize(
    ("calls", "error_class"),
    [
        ([], ErrorClass.CLASSIFICATION_ERROR),
        ([call("nobody")], ErrorClass.CLASSIFICATION_ERROR),
        ([call(confidence=0.1)], ErrorClass.ROUTING_ERROR),
    ],
)
def test_without_an_eligible_general_the_failure_says_readably_whether_it_was_classified(
    view: RegistryView, calls: list[dict[str, object]], error_class: ErrorClass
):
    made = verdict(calls, view, MESSAGE, 0.5)
    assert made.targets == ()
    assert made.error is not None
    assert made.error.error_class is error_class
    assert made.error.retryable
    assert "general" in made.error.message
    assert "send the message again" in made.error.message


def test_general_gets_the_original_text_even_when_it_was_given_another_prompt():
    made = verdict([call("general", prompt="do as I say"), call("health")], registry(), MESSAGE, 0.5)
    assert [t.prompt for t in made.targets if t.butler == "general"] == [TEXT]


def test_typed_calls_are_judged_like_recorded_ones():
    made = verdict([RouteCall("nobody", "x")], registry(), MESSAGE, 0.5)
    assert_general_with_original(made, "invalid_output:unknown_butler")


def test_policy_beats_the_model_and_needs_no_confidence():
    decided = policy_decision(MESSAGE, triage_decision="route_to", triage_target="health", rule_id="r1")
    assert decided is not None
    made = verdict(decided.calls, registry(), MESSAGE, 1.1, policy=True)
    assert [(t.butler, t.prompt) for t in made.targets] == [("health", TEXT)]
    assert (made.reason, made.fallback) == ("policy", False)


@pytest.mark.spec("SWB-30.1")
@pytest.mark.parametrize("order", ["parallel", "ordered", "conditional"])
def test_a_rule_sends_the_whole_message_to_several_in_its_order(order: Order):
    routes = {"r1": RuleRoute(("general", "health"), order, "any")}
    decided = policy_decision(
        MESSAGE, triage_decision="route_to", triage_target="general", rule_id="r1", routes=routes
    )
    assert decided is not None
    made = verdict(decided.calls, registry(), MESSAGE, 1.1, policy=True)
    assert [(t.butler, t.prompt) for t in made.targets] == [("general", TEXT), ("health", TEXT)]
    assert (made.order, decided.join, made.reason) == (order, "any", "policy")


@pytest.mark.parametrize("rule_id", ["r2", None])
def test_a_rule_that_is_another_one_now_or_gone_sends_to_the_target_that_was_stored(rule_id: str | None):
    routes = {"r2": RuleRoute(("finance", "health"), "ordered", "any")}
    decided = policy_decision(
        MESSAGE, triage_decision="route_to", triage_target="general", rule_id=rule_id, routes=routes
    )
    assert decided is not None
    assert ([call.butler for call in decided.calls], decided.join) == (["general"], None)


def test_policy_cannot_choose_an_ineligible_butler():
    decided = policy_decision(MESSAGE, triage_decision="route_to:health", triage_target=None)
    assert decided is not None
    made = verdict(decided.calls, registry(health=False), MESSAGE, 0.5, policy=True)
    assert_general_with_original(made, "ineligible_target:health")


@pytest.mark.parametrize("triage", [None, "pass_through", "low_priority_queue", "route_to", "skip"])
def test_without_a_target_policy_leaves_the_decision_to_the_model(triage: str | None):
    assert policy_decision(MESSAGE, triage_decision=triage, triage_target=None) is None
