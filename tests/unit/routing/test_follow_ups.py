"""A message that only points back goes to the butler that spoke last; one with words of its own goes where they say."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.prompt import prompt_version
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.conversation import FOLLOWED, may_follow
from butler_switchboard.routing.rules.follow_up import pointing
from butler_switchboard.routing.rules.router import DEFAULT_THRESHOLD, RulesRouter
from butler_switchboard.routing.verdict import Provenance, verdict
from tests.support.cost import costs_less_than

ROUTER = RulesRouter()
SPECIALISTS = ("finance", "health", "relationship", "travel")
HOUSEHOLD = RegistryView.of([ButlerProfile(name) for name in ("general", *SPECIALISTS)])
BARE = (
    "undo; cancel that; delete it; no, 66; actually it was 32,40; the second; yes; when is it?; where is it?;"
    "and yesterday?; and in October?; and Tom's?; and mine?; how old will she be?; move it to Friday; never mind;"
    "not Tom, Leo; stop that;"
    "hör auf damit; arrête ça; para eso;"
    "rückgängig; mach das rückgängig; nein, 66; die zweite; ja; wann ist das?; und gestern?;"
    "und Toms?; wie alt wird sie?; storniere das; annule ça; non, 66; la deuxième; oui; c'est quand ?;"
    "et hier ?; et celui de Tom ?; quel âge aura-t-elle ?; cancela eso; la segunda; sí; ¿cuándo es?; ¿y ayer?;"
    "¿y el de Tom?; ¿cuántos años tiene?; bórralo; how much was that?; wie viel war das?; combien c'était ?;"
    "¿cuánto fue eso?;"
    "cancel the second one; done with the first; move the second to Monday; cancel both; lösch beide;"
    "annule celui de vendredi; borra los dos; what did I just tell you?; what did you note?; was hast du notiert?;"
    "qu'est-ce que je viens de te dire ?; ¿qué has anotado?"
)
OWN = (
    ("cancel the dentist", None),
    ("what time is it?", None),
    ("paid 35 EUR", "finance"),
    ("and for petrol?", "finance"),
    ("and my blood pressure?", "health"),
    ("What's on this week?", "general"),
    ("thanks", "general"),
    ("Wie hoch war die Stromrechnung im letzten Jahr?", "finance"),
    ("und wann ist mein Geburtstag?", "relationship"),
)


def spoken(butler: str, *, minutes: float = 2, to: str = "", request: str = "") -> Spoken:
    return Spoken(butler, timedelta(minutes=minutes), to, request)


def butlers(text: str, *spoke: Spoken, **more: object) -> list[str]:
    message = RoutingMessage(text, spoke=spoke, **more)  # type: ignore[arg-type]
    return [call.butler for call in ROUTER.decide(message, HOUSEHOLD).calls]


@pytest.mark.parametrize("text", [text.strip() for text in BARE.split(";")])
def test_what_only_points_back_goes_to_the_butler_that_spoke_last(text: str):
    assert [butlers(text, spoken(name)) for name in SPECIALISTS] == [[name] for name in SPECIALISTS]


@pytest.mark.parametrize(("text", "expected"), OWN)
def test_a_message_with_words_of_its_own_goes_where_they_say(text: str, expected: str | None):
    alone = butlers(text)
    assert expected is None or alone == [expected]
    assert [butlers(text, spoken(name)) for name in SPECIALISTS] == [alone] * len(SPECIALISTS)


def asking(butler: str, **more: Any) -> Spoken:
    return replace(spoken(butler, **more), asks=True)


@pytest.mark.parametrize(
    "text", ["the one beside the sofa", "in the kitchen", "die neben dem Sofa", "la del salón"]
)
def test_the_answer_to_a_question_goes_to_the_butler_that_asked(text: str):
    assert butlers(text, spoken("travel")) == ["general"]
    assert butlers(text, asking("travel")) == ["travel"]


def test_what_is_no_answer_or_clearly_for_somebody_else_does_not():
    assert butlers("Buy milk", asking("travel")) == ["general"]
    assert butlers("my blood pressure 120 over 80", asking("travel")) == ["health"]
    assert butlers("in the kitchen", spoken("general"), asking("travel")) == ["general"]
    assert butlers("in the kitchen", asking("travel", minutes=31)) == ["general"]
    assert butlers("in the kitchen", asking("travel"), sender_class="other") == ["general"]


def test_half_an_hour_later_nobody_is_meant_any_more():
    kept = FOLLOWED / timedelta(minutes=1)
    assert butlers("undo", spoken("travel", minutes=kept)) == ["travel"]
    assert butlers("undo", spoken("travel", minutes=kept + 1)) == butlers("undo")


def test_a_stranger_and_a_machine_point_at_nobody():
    assert butlers("undo", spoken("travel"), sender_class="other") == butlers("undo")
    assert butlers("undo", spoken("travel"), automatic=True) == butlers("undo")
    assert not may_follow(RoutingMessage("undo", sender_class="other"))


def test_a_butler_that_may_not_be_chosen_gets_no_follow_up():
    held = RegistryView.of([ButlerProfile("general"), ButlerProfile("travel", eligible=False)])
    made = ROUTER.decide(RoutingMessage("undo", spoke=(spoken("travel"),)), held)
    assert [call.butler for call in made.calls] == ["general"]


def test_thanks_in_between_do_not_end_a_conversation():
    before = spoken("finance", to="Paid the plumber 180 EUR", request="1")
    assert butlers("undo", spoken("general", to="thanks a lot", request="2"), before) == ["finance"]
    assert butlers("undo", spoken("general", to="Add milk to the list", request="2"), before) == ["general"]


def test_of_two_butlers_that_answered_one_message_the_words_choose():
    both = spoken("travel", request="1"), spoken("finance", request="1")
    assert butlers("how much was that?", *both) == ["finance"]
    assert butlers("undo", *both) == ["travel"]


def test_the_subject_and_the_quotes_of_a_mail_say_nothing_new():
    text = "Subject: Re: [finance] Plumber\nand yesterday?\n\nOn Mon, 23 Nov 2026 Butlers wrote:\n> Noted: 180 EUR"
    more = {"channel": "email", "subject": "Re: [finance] Plumber"}
    assert butlers(text, spoken("health"), **more) == ["health"]


def test_the_decision_and_the_verdict_say_why():
    message = RoutingMessage("when is it?", spoke=(spoken("travel", minutes=3),))
    made = ROUTER.decide(message, HOUSEHOLD)
    assert (made.reason, made.explanation.rule) == ("follow_up", "follow_up")
    assert [(item.rule, item.text) for item in made.evidence][:1] == [
        ("conversation", "travel, 3 min before")
    ]
    source = Provenance("rules", ROUTER.model_version, prompt_version())
    judged = verdict(made.calls, HOUSEHOLD, message, DEFAULT_THRESHOLD, provenance=source)
    assert judged.targets[0].segment.rationale == "points back at what travel said 3 min before"


@pytest.mark.parametrize("text", ["=" * 60_000, "undo " * 12_000, "and Tom's " * 6_000, "1.1," * 15_000])
def test_a_long_text_is_not_looked_at(text: str):
    assert pointing(text) is None
    assert costs_less_than(1, lambda: pointing(text))


@pytest.mark.parametrize(
    "text",
    ["tomorrow at 8", "friday", "in an hour", "at 6pm", "tomorrow at six pm", "17:30", "9.30", "after lunch", "later",
     "first thing tomorrow", "before bed", "snooze", "every other tuesday", "5 December", "in ten minutes please",
     "morgen um 18 Uhr", "heute Abend", "sonntag um elf", "in einer halben Stunde", "nach dem Mittagessen", "später",
     "am 17. Januar", "demain à 8h", "samedi matin", "ce soir avant de dormir", "dans une heure", "plus tard",
     "mañana a las 8", "esta noche", "dentro de media hora", "mañana por la mañana", "luego"],
)  # fmt: skip
def test_a_moment_alone_belongs_to_the_butler_that_asked_for_it(text: str):
    assert [butlers(text, spoken(name)) for name in SPECIALISTS] == [[name] for name in SPECIALISTS]


@pytest.mark.parametrize(
    "text", ["what's on tomorrow?", "tomorrow?", "dentist tomorrow at 8", "heute?", "demain ?"]
)
def test_a_question_about_a_day_and_a_day_of_something_ask_nobody_who_spoke(text: str):
    assert [butlers(text, spoken(name)) for name in SPECIALISTS] == [butlers(text)] * len(SPECIALISTS)
