"""A question is also asked of the butler that was told what it names, and what is over is told to it (ADR 0092)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from butler_switchboard.routing.message import RoutingMessage, Segment, Spoken
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import RulesRouter
from butler_switchboard.routing.tellers import ASKED_OF_TELLERS, with_teller
from butler_switchboard.routing.verdict import Target, Verdict

NAMES = ("general", "health", "finance", "travel")
HOUSEHOLD = RegistryView.of(ButlerProfile(name) for name in NAMES)
ROUTER = RulesRouter()
SCALES = "pickle 13.2 kilos at the vets, was 14.1 in summer"


def message(text: str, *told: tuple[str, str]) -> RoutingMessage:
    spoken = tuple(Spoken(butler, timedelta(days=2), to, to) for butler, to in told)
    return RoutingMessage(text, "telegram", told=spoken)


def judged(
    asked: RoutingMessage, butler: str, *, reason: str = "routed", registry: RegistryView = HOUSEHOLD
) -> Verdict:
    target = Target(butler, asked.text, Segment.whole(asked.text, "about it"))
    verdict = Verdict((target,), False, reason, 0.9, "p1", "m1", "rules")
    return with_teller(verdict, asked, registry)


def asked_of(text: str, butler: str, *told: tuple[str, str], registry: RegistryView = HOUSEHOLD) -> list[str]:
    return [target.butler for target in judged(message(text, *told), butler, registry=registry).targets]


def test_whoever_was_told_is_asked_behind_whom_the_question_is_meant_for() -> None:
    asked = message("how heavy is pickle now?", ("general", SCALES), ("finance", "vet 84.60"))
    both = judged(asked, "health")
    assert [(target.butler, target.prompt) for target in both.targets] == [
        ("health", asked.text),
        ("general", asked.text),
    ]
    assert (both.order, both.reason) == ("ordered", ASKED_OF_TELLERS)
    assert (both.model_version, both.confidence) == ("m1", 0.9)


def test_nobody_else_is_asked_where_the_meant_one_was_told_as_much() -> None:
    told = (("general", SCALES), ("health", "pickle weighs 13.2 kilos"))
    assert asked_of("how heavy is pickle now?", "health", *told) == ["health"]
    assert asked_of("how heavy is pickle now?", "general", ("general", SCALES)) == ["general"]


@pytest.mark.parametrize("priorities", [{"health": 1}, {"general": 1}, {"general": -1}])
def test_whoever_was_told_as_much_is_asked_where_the_household_says_which_of_the_two_counts(
    priorities: dict[str, int],
) -> None:
    told = (("general", SCALES), ("health", "pickle weighs 13.2 kilos"))
    ranked = RegistryView.of(ButlerProfile(name, precedence=priorities.get(name, 0)) for name in NAMES)
    asked = "how heavy is pickle now?"
    assert asked_of(asked, "health", *told, registry=ranked) == ["health", "general"]
    assert asked_of(asked, "general", *told, registry=ranked) == ["general", "health"]
    assert asked_of(asked, "health", ("health", "pickle weighs 13.2 kilos"), registry=ranked) == ["health"]


def test_less_than_half_of_what_is_named_is_no_reason_to_ask_anybody() -> None:
    asked = "who repairs the broken window of our garden shed?"
    assert asked_of(asked, "finance", ("travel", "the window seat is mine")) == ["finance"]


@pytest.mark.parametrize("text", ["pickle weighs 13.5 kilos", "fed pickle"])
def test_what_asks_nothing_goes_to_one_butler(text: str) -> None:
    assert asked_of(text, "health", ("general", SCALES)) == ["health"]


def test_a_question_that_was_asked_before_was_told_to_nobody() -> None:
    assert asked_of("how heavy is pickle now?", "health", ("general", "how heavy is pickle?")) == ["health"]


def test_who_may_not_be_asked_now_is_not_asked() -> None:
    away = RegistryView.of([*(ButlerProfile(n) for n in NAMES[1:]), ButlerProfile("general", eligible=False)])
    assert asked_of("how heavy is pickle now?", "health", ("general", SCALES), registry=away) == ["health"]


@pytest.mark.parametrize(
    "reason", ["ambiguous", "policy", "routed:model_away", "classification_failed:timeout"]
)
def test_only_a_plain_decision_for_one_butler_is_added_to(reason: str) -> None:
    asked = message("how heavy is pickle now?", ("general", SCALES))
    assert len(judged(asked, "health", reason=reason).targets) == 1


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("todo: reply to the tax lady, chase the builder", "tax lady done, she was actually nice"),
        ("muss noch: Steuererklärung machen, Rosen pflanzen", "Steuererklärung ist raus, endlich"),
        ("tengo que coser el disfraz de Mila", "lo del disfraz ya está"),
    ],
)
def test_what_is_done_goes_to_the_butler_that_was_told_of_it(told: str, text: str) -> None:
    def routed(*told: tuple[str, str]) -> str:
        return ROUTER.decide(message(text, *told), HOUSEHOLD).calls[0].butler

    holder = "finance" if routed() == "travel" else "travel"
    assert routed((holder, told)) == holder
