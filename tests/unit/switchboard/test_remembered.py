"""What is to be remembered of who wrote it goes to the butler that remembers; everything else goes its own way."""

from __future__ import annotations

from typing import Any

import pytest

from butler_switchboard.routing.memory import verdict_of_memory
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView


def routed(text: str, *remembering: str, **about: Any) -> list[str] | None:
    names = ("finance", "general", "health", "relationship")
    registry = RegistryView.of(
        ButlerProfile(name, capabilities=("records", "memory") if name in remembering else ("records",))
        for name in names
    )
    made = verdict_of_memory(RoutingMessage(text, "telegram", **about), registry)
    return None if made is None else [target.butler for target in made.targets]


@pytest.mark.parametrize(
    "text",
    [
        "remember that I am vegetarian",
        "Merk dir, dass meine Schuhgröße 42 ist",
        "retiens que je suis végétarien",
        "recuerda que soy vegetariano",
        "what do you know about me?",
        "was weißt du über mich?",
        "que sais-tu de moi ?",
        "¿qué sabes de mí?",
        "forget everything you know about me",
    ],
)
def test_it_goes_to_the_general_butler_where_that_remembers_else_to_the_first_that_does(text: str) -> None:
    assert routed(text, "general", "health") == ["general"]
    assert routed(text, "relationship", "health") == ["health"]
    assert routed(text) is None


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
