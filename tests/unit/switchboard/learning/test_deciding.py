"""Where a message goes by what was learned, and when nothing learned decides (D71, ADR 0111)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from butler_switchboard.learning.deciding import (
    NOTHING,
    LearnedRule,
    RuleState,
    Teachings,
    by_learned_rule,
    may_be_learned,
    verdict_of_learned,
)
from butler_switchboard.learning.examples import Example, version_of
from butler_switchboard.learning.offering import answer_of, buttons_of, rule_to_offer
from butler_switchboard.learning.trying import Decided, differences
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView

ADA, BEN, RULE = UUID(int=1), UUID(int=2), UUID(int=3)
PLUMBER = ("Paid the plumber 40 euro", "I paid 55 euro to the plumber", "We paid the plumber 60 euro")
NEW = "Paid the plumber 70 euro"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def registry(*held: str) -> RegistryView:
    names = ("finance", "general", "home")
    return RegistryView.of(ButlerProfile(name, eligible=name not in held) for name in names)


def examples(*texts: str, butler: str = "home", first: int = 10) -> tuple[Example, ...]:
    return tuple(Example(UUID(int=first + n), "s1", ADA, text, butler) for n, text in enumerate(texts))


def rule(butler: str = "home", state: RuleState = "in_force", rule_id: UUID = RULE) -> LearnedRule:
    return LearnedRule(rule_id, ADA, butler, PLUMBER, state)


LEARNED = Teachings(examples(*PLUMBER))


def test_what_examples_agree_on_gets_the_whole_message_with_version_and_example() -> None:
    judged = verdict_of_learned(RoutingMessage(NEW), registry(), LEARNED)
    assert judged is not None
    [target] = judged.targets
    assert (target.butler, target.prompt, judged.fallback) == ("home", NEW, False)
    assert judged.reason == f"learned:{UUID(int=10)}"
    assert (judged.family, judged.model_version) == ("policy", f"learned:{version_of(LEARNED.examples)}")
    assert judged.confidence < 1


def test_equal_teachings_decide_equally_whatever_their_order() -> None:
    reversed_ones = Teachings(LEARNED.examples[::-1])
    message = RoutingMessage(NEW)
    assert verdict_of_learned(message, registry(), LEARNED) == verdict_of_learned(
        message, registry(), reversed_ones
    )


@pytest.mark.parametrize(
    "message",
    [
        RoutingMessage(NEW, sender_class="other"),
        RoutingMessage(NEW, automatic=True),
        RoutingMessage("and 30 more"),
        RoutingMessage("My blood pressure was 120/80"),
        RoutingMessage(f"{NEW}. " + "It rained all day and we stayed at home. " * 10),
    ],
    ids=["a stranger's", "an automatic one", "one that points back", "another thing", "a long one"],
)
def test_nothing_learned_decides(message: RoutingMessage) -> None:
    assert verdict_of_learned(message, registry(), replace(LEARNED, rules=(rule(),))) is None


def test_without_teachings_nothing_is_decided() -> None:
    assert verdict_of_learned(RoutingMessage(NEW), registry(), NOTHING) is None
    assert may_be_learned(RoutingMessage(NEW))
    assert not may_be_learned(RoutingMessage(NEW, sender_class="other"))


def test_a_butler_that_may_not_be_chosen_is_not_chosen_by_what_was_learned() -> None:
    for known in (LEARNED, Teachings(rules=(rule(),)), Teachings(rules=(rule("butcher"),))):
        assert verdict_of_learned(RoutingMessage(NEW), registry("home"), known) is None


def test_a_rule_that_its_writer_agreed_to_comes_before_the_households_examples() -> None:
    known = replace(LEARNED, rules=(rule("finance"),))
    judged = verdict_of_learned(RoutingMessage(NEW), registry(), known)
    assert judged is not None
    assert ([one.butler for one in judged.targets], judged.reason) == (["finance"], f"learned_rule:{RULE}")
    assert by_learned_rule(judged.reason) == RULE


@pytest.mark.parametrize("state", ["offered", "declined", "ended"])
def test_a_rule_that_is_not_in_force_decides_nothing(state: RuleState) -> None:
    assert verdict_of_learned(RoutingMessage(NEW), registry(), Teachings(rules=(rule(state=state),))) is None


def test_two_rules_that_name_two_butlers_decide_nothing() -> None:
    both = Teachings(rules=(rule(), rule("finance", rule_id=uuid4())))
    assert verdict_of_learned(RoutingMessage(NEW), registry(), both) is None


def test_whoever_declined_a_rule_is_not_overruled_by_the_households_examples() -> None:
    declined = replace(LEARNED, rules=(rule(state="declined"),))
    assert verdict_of_learned(RoutingMessage(NEW), registry(), declined) is None


@pytest.mark.parametrize("reason", ["routed", "learned:x", "learned_rule:x", f"learned:{RULE}", ""])
def test_a_reason_names_a_rule_only_where_one_decided(reason: str) -> None:
    assert by_learned_rule(reason) is None


# ---- the offer


def test_after_the_third_agreement_a_rule_of_its_texts_is_offered_once() -> None:
    known = examples(*PLUMBER)
    offered = rule_to_offer(known[2], known, (), order_uid="correction:3")
    assert offered is not None
    assert (offered.person, offered.butler, offered.state) == (ADA, "home", "offered")
    assert sorted(offered.texts) == sorted(PLUMBER)
    assert rule_to_offer(known[2], known, (), order_uid="correction:3") == offered
    for state in ("offered", "in_force", "declined", "ended"):
        former = replace(offered, state=state)
        assert rule_to_offer(known[2], known, (former,), order_uid="correction:4") is None


def test_nothing_is_offered_for_two_or_against_another_or_for_what_others_corrected() -> None:
    known = examples(*PLUMBER)
    against = examples("Paid the plumber 90 euro", butler="finance", first=50)
    others = tuple(replace(one, person=BEN) for one in known[:2])
    assert rule_to_offer(known[1], known[:2], (), order_uid="x") is None
    assert rule_to_offer(known[2], (*known, *against), (), order_uid="x") is None
    assert rule_to_offer(known[2], (*others, known[2]), (), order_uid="x") is None


def test_an_offer_has_two_answers_and_is_answered_once() -> None:
    yes, no = buttons_of(RULE, "en")
    assert (yes.label, no.label) == ("Yes, always", "No, decide each time")
    assert len({yes.id, no.id}) == 2
    assert answer_of("in_force", "home", "en", before=False).startswith("From now on")
    assert answer_of("in_force", "home", "en", before=True) == answer_of(
        "declined", "home", "en", before=True
    )


# ---- the dry run


def decided(number: int, text: str, *butlers: str, person: UUID | None = ADA) -> Decided:
    return Decided(UUID(int=number), NOW, person, RoutingMessage(text), butlers)


def test_the_dry_run_names_what_would_go_elsewhere_and_not_what_went_there() -> None:
    found = differences(
        [decided(90, NEW, "finance"), decided(91, NEW, "home"), decided(92, "hello there Anna", "general")],
        registry(),
        LEARNED.examples,
        {},
    )
    assert [(one.decided.request_id, one.butler) for one in found] == [(UUID(int=90), "home")]


def test_a_message_does_not_decide_about_itself_in_the_dry_run() -> None:
    assert differences([decided(10, PLUMBER[0], "finance")], registry(), LEARNED.examples, {}) == []
    more = (*LEARNED.examples, *examples(NEW, first=40))
    [found] = differences([decided(10, PLUMBER[0], "finance")], registry(), more, {})
    assert found.reason != f"learned:{UUID(int=10)}"


def test_the_dry_run_shows_nothing_that_was_said_in_confidence() -> None:
    private = decided(90, f"{NEW}, keep that between us", "finance")
    assert differences([private], registry(), LEARNED.examples, {ADA: [rule()]}) == []


def test_the_dry_run_goes_by_the_rules_of_each_writer() -> None:
    messages = [decided(90, NEW, "finance"), decided(91, NEW, "finance", person=BEN)]
    [found] = differences(messages, registry(), (), {ADA: [rule()]})
    assert (found.decided.person, found.butler) == (ADA, "home")
