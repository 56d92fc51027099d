"""A specialist needs a clear case, and a further butler a matter of its own (SWB-03.2, SWB-03.3)."""

from __future__ import annotations

import pytest

from bench.routing.claims import fitted_weights
from butler_kit.textmodel.model import Scored
from butler_switchboard.routing.explanation import Evidence
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.caution import is_sure
from butler_switchboard.routing.rules.claims import FINDINGS, WEIGHTS, Claim, findings, leader, likelihood
from butler_switchboard.routing.rules.evidence import evidence as found_by_rules
from butler_switchboard.routing.rules.router import RulesRouter
from butler_switchboard.routing.rules.scoring import Assessment, assess, withheld
from butler_switchboard.routing.rules.units import Cut
from butler_switchboard.routing.rules.weights import load_model

FIVE = RegistryView.of(
    ButlerProfile(name) for name in ("finance", "general", "health", "relationship", "travel")
)


def judged(text: str, *, evidence: tuple[Evidence, ...] = (), **butlers: float) -> Assessment:
    best = max(butlers, key=lambda name: butlers[name])
    words = Scored((), tuple((word, ()) for word in text.split()))
    return Assessment(butlers, best, butlers[best], 0.0, evidence, words)


def test_a_specialist_must_be_clearly_likelier_than_the_next_butler():
    text = "we need to look at this again"
    assert is_sure(judged(text, finance=0.7, general=0.3), "finance", 0.7, 0.6)
    assert not is_sure(judged(text, finance=0.55, general=0.45), "finance", 0.55, 0.5)
    assert not is_sure(judged(text, finance=0.7, general=0.3), "finance", 0.7, 0.75)


def test_a_few_words_must_say_more_unless_a_rule_found_something():
    few = judged("128 over 82", health=0.68, general=0.2)
    shown = judged(
        "128 over 82", evidence=(Evidence("pressure", "128", "health", 1.6),), health=0.68, general=0.2
    )
    assert not is_sure(few, "health", 0.68, 0.6)
    assert is_sure(shown, "health", 0.68, 0.6)
    assert not is_sure(judged("morning", travel=0.8, general=0.2), "travel", 0.8, 0.6)


def test_the_butler_of_the_whole_leads_else_the_one_with_most_words():
    claims = [
        Claim("finance", "", judged("paid the long electricity bill today", finance=0.9), "line"),
        Claim("health", "", judged("knee hurts", health=0.9), "sentence"),
    ]
    names = {"finance", "health"}
    assert leader(claims, names, judged("all", health=0.6, finance=0.4)) == "health"
    assert leader(claims, names, judged("all", general=0.6, finance=0.4)) == "finance"


def claimed(
    text: str, likely: float, cut: Cut, *, written: bool = False, withheld: float | None = None
) -> float:
    paid = judged("paid the plumber today", finance=0.95, general=0.05)
    own = judged(text, health=likely, finance=1 - likely)
    claims = [Claim("finance", "Paid the plumber today", paid, "line"), Claim("health", text, own, cut)]
    whole = judged("all", finance=0.6, health=0.4)
    found = findings(
        claims,
        "health",
        "finance",
        whole,
        withheld=likely if withheld is None else withheld,
        written=written,
        entangled=False,
    )
    return likelihood(found)


def test_a_part_after_a_sentence_that_says_so_in_words_is_a_matter_of_its_own():
    assert claimed("my knee hurts again", 0.97, "sentence") >= 0.8
    assert claimed("my knee hurts again", 0.97, "line") >= 0.8


def test_a_part_that_hangs_on_one_word_is_less_of_a_matter():
    stands, falls = (claimed("my knee hurts again", 0.97, "joint", withheld=held) for held in (0.95, 0.05))
    assert stands - falls > 0.1


def test_what_one_word_says_falls_with_it_and_what_many_say_stands():
    model = load_model()
    figure, matter = "my laptop needs a doctor", "knee swollen, two ibuprofen, physio on Monday"
    assert withheld(model, FIVE, figure, "health") < assess(model, FIVE, figure).of("health")
    assert withheld(model, FIVE, matter, "health") > 0.9
    assert withheld(model, FIVE, "", "health") == assess(model, FIVE, "").of("health")


@pytest.mark.parametrize(
    ("text", "settles"),
    [
        ("KLM has not sent us the 212 back for the flight", True),
        ("are they giving us half of the fare back for that train", True),
        ("claim form for the lost suitcase of our trip is in the post", True),
        ("so what did the trip come to per head", True),
        ("what time do we get the ferry back on Sunday, the ticket is yours", False),
        ("we got the 9:40 train back", False),
        ("baggage claim 3, flight is in", False),
    ],
)
def test_money_that_comes_back_from_a_journey_is_to_be_settled_and_people_who_come_back_are_not(
    text, settles
):
    rules = [item for item in found_by_rules(text) if item.topic == "finance"]
    assert bool(rules) == settles


@pytest.mark.parametrize(
    ("text", "likely", "cut", "written"),
    [
        ("my knee hurts again", 0.5, "soft", False),
        ("my knee hurts again", 0.7, "soft", False),
        ("my knee hurts again", 0.7, "joint", True),
        ("41", 0.5, "joint", False),
    ],
)
def test_a_part_that_is_hardly_divided_or_says_little_is_none(text, likely, cut, written):
    assert claimed(text, likely, cut, written=written) < 0.8


def test_what_weighs_a_claim_has_a_weight_each_and_a_value_each():
    paid = Claim("finance", "paid", judged("paid", finance=0.9, health=0.1), "line")
    found = findings(
        [paid, Claim("health", "ill", judged("ill", health=0.9), "joint")],
        "health",
        "finance",
        judged("paid ill", finance=0.6, health=0.4),
        withheld=0.9,
        written=False,
        entangled=False,
    )
    assert len(found) == len(FINDINGS) == len(WEIGHTS)
    assert found[FINDINGS.index("joint")] == 1.0
    assert found[FINDINGS.index("sentence")] == 0.0


def test_the_weights_of_claims_are_fitted_by_least_loss():
    rows = [((1.0, 1.0), 1.0, 1.0), ((1.0, -1.0), 0.0, 1.0)] * 20
    bias, slope = fitted_weights(rows)
    assert bias == pytest.approx(0.0, abs=1e-6)
    assert slope > 1.5


@pytest.mark.parametrize(
    ("text", "channel", "expected"),
    [
        ("the swimming club debited 38 twice, I am so annoyed, I'll write to them", "telegram", {"finance"}),
        ("Nils has ear ache for the third night, no fever, and he slept badly", "telegram", {"health"}),
        (
            "Subject: greetings from uncle Ulf\n\nPlease transfer the 300 euros for the roof, the bill is due Friday.",
            "email",
            {"finance"},
        ),
        (
            "Paid the dentist 80. Our train to Graz leaves at 7:12 on Monday.",
            "telegram",
            {"finance", "travel"},
        ),
    ],
)
def test_a_word_of_another_subject_adds_no_butler_but_a_matter_does(text, channel, expected):
    decision = RulesRouter().decide(RoutingMessage(text, channel), FIVE)
    assert {call.butler for call in decision.calls} == expected


def test_a_division_with_an_unsure_part_is_not_made():
    text = "Paid 91.20 EUR for electricity. My weight was 80.4 kg this morning."
    decision = RulesRouter().decide(RoutingMessage(text), FIVE, threshold=0.9999)
    assert len(decision.calls) == 1
