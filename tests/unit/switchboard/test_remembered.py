"""What is to be remembered of who wrote it goes to the butler that remembers; everything else goes its own way."""

from __future__ import annotations

from typing import Any

import pytest

from butler_switchboard.routing.memory import verdict_of_memories, verdict_of_memory
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView


def household(*remembering: str, barred: str = "") -> RegistryView:
    return RegistryView.of(
        ButlerProfile(
            name,
            capabilities=("records", "memory") if name in remembering else ("records",),
            eligible=name != barred,
        )
        for name in ("finance", "general", "health", "relationship")
    )


def routed(text: str, *remembering: str, **about: Any) -> list[str] | None:
    message, registry = RoutingMessage(text, **({"channel": "telegram"} | about)), household(*remembering)
    made = verdict_of_memories(message, registry) or verdict_of_memory(message, registry)
    return None if made is None else [target.butler for target in made.targets]


@pytest.mark.parametrize(
    "text",
    [
        "remember that I am vegetarian",
        "Merk dir, dass meine Schuhgröße 42 ist",
        "retiens que je suis végétarien",
        "recuerda que soy vegetariano",
    ],
)
def test_it_goes_to_the_general_butler_where_that_remembers_else_to_the_first_that_does(text: str) -> None:
    assert routed(text, "general", "health") == ["general"]
    assert routed(text, "relationship", "health") == ["health"]
    assert routed(text) is None


ABOUT_ALL = [
    "what do you know about me?",
    "was weißt du über mich?",
    "que sais-tu de moi ?",
    "¿qué sabes de mí?",
    "forget everything you know about me",
]


@pytest.mark.parametrize("text", ABOUT_ALL)
def test_what_concerns_all_that_is_known_goes_to_each_butler_that_remembers_the_general_one_last(
    text: str,
) -> None:
    assert routed(text, "general", "health", "finance") == ["finance", "health", "general"]
    assert routed(text, "relationship") == ["relationship"]
    assert routed(text) is None
    assert routed(text, "general", sender_class="other") is None
    assert routed(text, "general", channel="email", subject="Mail") is None


def test_an_order_to_forget_waits_for_a_butler_that_is_held_and_a_question_does_not() -> None:
    registry = household("general", "health", "finance", barred="finance")
    forgets = verdict_of_memories(RoutingMessage("forget everything you know about me"), registry)
    assert forgets is not None
    assert [(one.butler, one.away) for one in forgets.targets] == [
        ("health", False),
        ("general", False),
        ("finance", True),
    ]
    assert (forgets.reason, forgets.order) == ("forgotten_by_all", "ordered")
    asks = verdict_of_memories(RoutingMessage("what do you know about me?"), registry)
    assert asks is not None
    assert [(one.butler, one.away) for one in asks.targets] == [("health", False), ("general", False)]
    assert asks.reason == "asked_of_memories"


@pytest.mark.parametrize(
    "text",
    [
        "remember that the key is under the mat",
        "remember that I have the dentist on Friday",
        "remember that I took 2 ibuprofen",
        "remember that I'm allergic to nuts",
        "remember that I am vegetarian. Spent 20 EUR at Lidl",
        "what do you know about Clara?",
        "forget that",
    ],
)
def test_what_may_be_an_entry_of_another_butler_is_routed_as_any_message(text: str) -> None:
    assert routed(text, "general") is None


def test_what_nobody_of_the_household_wrote_is_routed_as_any_message() -> None:
    assert routed("remember that I am vegetarian", "general", sender_class="other") is None
