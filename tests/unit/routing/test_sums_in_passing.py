"""Where sums go that are told and asked for in passing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from butler_specialist.profiles import PROFILES
from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.follow_up import pointing
from butler_switchboard.routing.rules.router import RulesRouter
from butler_switchboard.routing.rules.units import Unit, clauses

HOUSEHOLD = RegistryView.of(ButlerProfile(name) for name in PROFILES)
ROUTER = RulesRouter()


def butlers(text: str, *spoke: Spoken) -> list[str]:
    made = ROUTER.decide(RoutingMessage(text, "telegram", None, spoke=spoke, told=spoke), HOUSEHOLD)
    return [call.butler for call in made.calls]


@pytest.mark.parametrize(
    "text",
    [
        "resto 46 euros hier soir", "Dem Enkel hab ich gestern nen Fuffi zugesteckt",
        "et une trentaine d'euros au resto hier soir", "Diego m'a avancé 60 euros pour le train",
        "Oma hat mir 100 Euro zum Geburtstag geschenkt", "lent diego a tenner for the bus",
        "um what was it i paid for the concert again", "wie viel für blumen",
        "Rappelez-moi ce que m'a coûté le plombier, je vous prie",
    ],
)  # fmt: skip
def test_a_sum_that_is_told_or_asked_for_goes_to_whoever_keeps_sums(text: str):
    assert butlers(text) == ["finance"]


def test_a_sum_belongs_to_the_plan_before_it():
    text = "tendríamos que comprar una tele nueva, unos 600 euros"
    assert len(clauses(text, Unit(0, len(text)))) == 1


@pytest.mark.parametrize(
    ("before", "text", "goes_on"),
    [
        ("wie viel für blumen", "und fürs kino", True),
        ("what did we spend on petrol?", "and on coffee", True),
        ("30 € Blumen", "und fürs kino", False),
    ],
)
def test_what_has_no_question_mark_goes_on_with_a_question_alone(before: str, text: str, goes_on: bool):
    spoke = Spoken("finance", timedelta(minutes=1), before, "1")
    assert (butlers(text, spoke) == ["finance"]) is goes_on


@pytest.mark.parametrize(
    "text", ["both days together?", "macht zusammen?", "total?", "ça fait combien en tout"]
)
def test_what_it_comes_to_is_asked_of_who_spoke_last(text: str):
    assert pointing(text) == "only"


def test_what_one_of_several_cost_corrects_it():
    assert pointing("no wait the bus was 5") == "only"


def test_what_is_off_goes_to_who_was_told_of_it():
    spoke = Spoken("relationship", timedelta(minutes=1), "Samstag 11 Uhr Brunch bei Lena", "1")
    assert butlers("der Brunch fällt flach", spoke) == ["relationship"]
