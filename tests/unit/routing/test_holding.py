"""What names an entry of before goes to the butler that was told of it, and to nobody else."""

from __future__ import annotations

from datetime import timedelta

import pytest

from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.holding import looks_back
from butler_switchboard.routing.rules.router import RulesRouter
from tests.support.cost import costs_less_than

ROUTER = RulesRouter()
HOUSEHOLD = RegistryView.of(ButlerProfile(name) for name in ("general", "health", "finance", "travel"))


def routed(text: str, *told: tuple[str, str]) -> str:
    spoken = tuple(Spoken(butler, timedelta(days=2), to, to) for butler, to in told)
    return ROUTER.decide(RoutingMessage(text, "telegram", told=spoken), HOUSEHOLD).calls[0].butler


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("Zahnarzttermin am Donnerstag um 14 Uhr", "Verschiebe den Zahnarzt auf Freitag"),
        ("dentist on thursday at 16:00", "move the dentist to friday"),
        ("dentist on thursday at 16:00", "when is the dentist?"),
        ("dentiste jeudi à 16h", "décale le dentiste à vendredi stp"),
        ("dentista el jueves a las 16", "pasa el dentista al lunes"),
        ("dentista el jueves a las 16", "¿cuándo es lo del dentista?"),
    ],
)
def test_an_entry_is_changed_and_asked_for_where_it_was_told(told: str, text: str):
    assert routed(text, ("travel", told)) == "travel"


def test_the_latest_that_was_told_wins_and_a_question_or_change_tells_nothing():
    told = (
        ("health", "when is the dentist?"),
        ("finance", "move the dentist to Friday"),
        ("general", "dentist on Monday"),
    )
    assert routed("cancel the dentist", *told) == "general"


def test_nothing_is_taken_from_a_butler_that_was_told_of_it_too():
    told = (("general", "Zahnarzt am Montag"), ("health", "Zahnarzt am Dienstag"))
    assert routed("Verschiebe den Zahnarzt auf Freitag", *told) == "health"


@pytest.mark.parametrize(
    "text",
    [
        "the dentist was 80 EUR",
        "dentist on friday at 9",
        "cancel that",
    ],
)
def test_what_tells_is_routed_by_its_own_words(text: str):
    assert not looks_back(RoutingMessage(text, "telegram"))


def test_a_question_that_a_specialist_is_clearly_meant_for_is_not_looked_up():
    assert routed("how much did we spend on the dentist?", ("travel", "dentist on Thursday")) == "finance"


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("the Petersons have our ladder since sunday", "who has the ladder?"),
        ("spare key's with Mrs Hobbs at number 9", "who's got our spare key"),
        ("Skat diesmal am Dienstag bei Manni", "wie war das jetzt mit Skat?"),
        ("vacances scolaires du 22 février au 5 mars", "elles finissent quand les vacances ?"),
        ("Clara nada los martes en Delfín", "¿dónde nada Clara?"),
    ],
)
def test_any_other_question_goes_to_the_butler_that_was_told_most_of_what_it_names(told: str, text: str):
    assert routed(text, ("general", "we need bread"), ("travel", told)) == "travel"
    assert routed(text, ("general", "we need bread")) != "travel"


def test_a_question_of_which_little_was_told_and_one_that_was_only_asked_before_are_nobodys():
    asked = "who repairs the broken window of our garden shed?"
    assert routed(asked, ("travel", "the window seat is mine")) == "general"
    assert routed("who has the ladder?", ("travel", "where is the ladder?")) == "general"


@pytest.mark.parametrize("text", ["move the dentist to friday", "who has the ladder?"])
def test_a_stranger_reaches_no_entry(text: str):
    assert not looks_back(RoutingMessage(text, "email", sender_class="other"))


def test_every_word_that_names_something_has_to_be_in_what_was_told():
    assert routed("move the dentist of Leo to friday", ("travel", "dentist on Thursday")) != "travel"


@pytest.mark.parametrize("run", ["when ", "a", "please ", "=", "move "])
def test_a_hostile_text_is_read_in_no_time(run: str):
    message = RoutingMessage(run * (60_000 // len(run)), "telegram")
    assert costs_less_than(0.5, lambda: looks_back(message))
