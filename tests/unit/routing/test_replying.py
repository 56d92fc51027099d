# ruff: noqa: E501 - lists of messages
"""Replies: what has no subject of its own goes to whose word it replies to, everything else where its words say."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from butler_switchboard.routing.message import MeantWord, RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.replying import answers_what_was_offered, reply_decision

REGISTRY = RegistryView.of(
    [ButlerProfile(name) for name in ("general", "finance", "health", "relationship", "travel")]
)
FINANCE = MeantWord(("finance",), uuid4())
REMINDER = MeantWord(("health",), actions=("done.7", "10m.7"))


def target(text: str, meant: MeantWord | None = FINANCE, **message: str) -> str | None:
    decided = reply_decision(RoutingMessage(text, **message), meant, REGISTRY)  # type: ignore[arg-type]
    return decided.calls[0].butler if decided is not None else None


@pytest.mark.parametrize(
    "text",
    ["no, 45", "it was 25", "cancel that", "how much was that?", "and Tom's?", "move it to Friday", "undo",
     "nein, 45", "lösch das", "wie viel war das?", "non, 45", "annule ça", "cancela eso", "cancel the dentist"],
)  # fmt: skip
def test_what_needs_what_was_said_goes_to_whoever_said_it(text: str) -> None:
    assert target(text) == "finance"


@pytest.mark.parametrize(
    "text", ["buy milk", "My weight is 81.5 kg", "What's the weather in Rome?", "Blood pressure 130/85", "Tom's birthday is on 3 May"]
)  # fmt: skip
def test_what_has_a_subject_of_its_own_is_routed_by_its_words(text: str) -> None:
    assert target(text) is None


@pytest.mark.parametrize("text", ["done", "in 20 minutes", "später", "c'est fait", "ok, hecho"])
def test_what_a_button_would_have_said_goes_to_whoever_offered_it(text: str) -> None:
    assert target(text, REMINDER) == "health"
    assert answers_what_was_offered(RoutingMessage(text))


def test_what_two_butlers_answered_is_left_to_the_router() -> None:
    assert target("no, 45", replace(FINANCE, butlers=("finance", "travel"))) is None


def test_a_stranger_and_a_machine_reply_to_nobody() -> None:
    assert target("no, 45", sender_class="other") is None
    assert reply_decision(RoutingMessage("done", automatic=True), REMINDER, REGISTRY) is None
    assert not answers_what_was_offered(RoutingMessage("done", sender_class="other"))


def test_a_butler_that_may_get_nothing_now_is_not_chosen() -> None:
    assert target("no, 45", MeantWord(("gardener",), uuid4())) is None
