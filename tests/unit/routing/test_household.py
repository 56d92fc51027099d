"""What is told of lists, of things and of people goes where it is asked for later."""

from __future__ import annotations

from dataclasses import replace

import pytest

from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import RulesRouter

ROUTER = RulesRouter()
HOUSEHOLD = RegistryView.of(
    ButlerProfile(name) for name in ("finance", "general", "health", "relationship", "travel")
)


@pytest.mark.parametrize(
    ("told", "asked", "butler"),
    [
        ("packing list: passport, charger, swimsuit", "anything left on the packing list?", "general"),
        (
            "Bring bitte 500 g Hackfleisch und drei Becher Sahne mit",
            "Was steht noch auf dem Zettel?",
            "general",
        ),
        ("en la lista de la maleta pon el pasaporte", "qué falta por meter en la maleta?", "general"),
        ("Hab den Akkuschrauber dem Jens geliehen", "Wer hat eigentlich unseren Akkuschrauber?", "general"),
        ("j'ai prêté la perceuse à Mathieu", "qui a notre perceuse ?", "general"),
        ("la linterna está en el trastero", "dónde está la linterna?", "general"),
        ("Pablo vive ahora en la calle Mayor 8", "dónde vive Pablo?", "relationship"),
        ("my sister Efua loves dark chocolate", "what does efua like?", "relationship"),
        ("Tante Gerda hat heute angerufen", "Wann hat Gerda angerufen?", "relationship"),
        ("Ha llamado mi hermana Lucía", "cuándo llamó Lucía?", "relationship"),
        ("Sarah est intolérante au gluten", "Sarah a des allergies ?", "health"),
        ("Amara is allergic to nuts", "what can't amara eat?", "health"),
        ("lent the drill to Pete from number 12", "whos got our drill", "general"),
        ("grandma's new number is 0470 12 34 56", "how do I reach grandma?", "relationship"),
    ],
)
def test_what_is_told_goes_where_it_is_asked_for(told: str, asked: str, butler: str) -> None:
    for text in (told, asked):
        calls = ROUTER.decide(RoutingMessage(text), HOUSEHOLD).calls
        assert [call.butler for call in calls] == [butler], text


@pytest.mark.parametrize(
    ("text", "butler"),
    [
        ("where is our hotel in Oslo?", "travel"),
        ("Tom lent me 20 EUR", "finance"),
        ("shopping list at Lidl came to 40 EUR, paid by card", "finance"),
    ],
)
def test_a_journey_and_money_stay_where_they_are(text: str, butler: str) -> None:
    assert [call.butler for call in ROUTER.decide(RoutingMessage(text), HOUSEHOLD).calls] == [butler]


LAMPS = ButlerProfile(
    "lamps",
    description="Switches the lamps of the home, says which are on, and unlocks its doors",
    triggers=("lamp", "lamps", "lights", "unlock", "front door"),
)


@pytest.mark.parametrize("name", ["lamps", "home"])
@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("I lent the drill to Pete", False),
        ("To do: ring the school, paint the fence, form by Friday", False),
        ("the spare key is in the blue box", False),
        ("Hab den Akkuschrauber dem Jens geliehen", False),
        ("turn on the kitchen lamp", True),
        ("unlock the front door please", True),
    ],
)
def test_lists_and_things_are_the_catch_alls_whoever_else_is_about_the_home(
    name: str, text: str, own: bool
) -> None:
    registry = RegistryView.of([*HOUSEHOLD.butlers, replace(LAMPS, name=name)])
    calls = ROUTER.decide(RoutingMessage(text), registry).calls
    assert [call.butler for call in calls] == [name if own else "general"]
