"""Which questions are everybody's, and who is asked then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from butler_switchboard.routing.everybody import ASKED_OF_ALL, asks_everybody, verdict_of_all
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView

EVERYBODYS = """\
what's on today?
What's on this weekend
anything on saturday?
what do I have tomorrow?
what have we got on this week
am I free on Saturday?
what's coming up?
any plans for the weekend?
which reminders do I have?
show me my reminders
was steht heute an?
was steht morgen früh bei uns an?
was haben wir am Samstag vor?
habe ich morgen was vor?
welche Termine habe ich diese Woche?
bin ich am Freitag frei?
Welche Erinnerungen habe ich?
qu'est-ce qu'on a demain ?
qu’est-ce que j’ai aujourd’hui
quoi de prévu demain
c'est quoi le programme de demain ?
quels rappels ai-je ?
¿qué tengo mañana?
¿qué tenemos este fin de semana?
¿tengo algo el viernes?
¿qué recordatorios tengo?
remind me of bills
Tell me the day before birthdays
stop reminding me of departures
Erinnere mich an Rechnungen
Préviens-moi la veille des anniversaires
No me recuerdes más las facturas"""
SOMEBODYS = """\
what's on the shopping list?
what's the plan for the garden
what do I owe Tom
remind me tomorrow at 8
remind me of the bills on Friday
remind me to pay the bills
tell me about birthdays
I have an appointment tomorrow
we have plans on saturday
what's up?
when is the dentist?
delete the reminders
stop all reminders
was haben wir diese Woche ausgegeben?
ich habe morgen einen Termin
Ich bin am Freitag frei
j'ai rendez-vous demain
tengo una cita mañana
how are you today
today
?"""
REGISTRY = RegistryView.of(
    ButlerProfile(name, capabilities=("records",)) for name in ("travel", "general", "finance", "health")
)


def asked(text: str = "what's on today?", **more: Any) -> list[str]:
    made = verdict_of_all(RoutingMessage(text=text, channel="telegram", **more), REGISTRY)
    return [target.butler for target in made.targets] if made is not None else []


@pytest.mark.parametrize("text", EVERYBODYS.splitlines())
def test_who_asks_for_all_of_a_time_or_all_reminders_asks_everybody(text: str) -> None:
    assert asks_everybody(text)


@pytest.mark.parametrize("text", SOMEBODYS.splitlines())
def test_what_names_a_subject_or_states_something_is_not_everybodys(text: str) -> None:
    assert not asks_everybody(text)


def test_a_text_of_any_length_is_looked_at_only_so_far() -> None:
    assert not asks_everybody("what's on today? " * 5_000)
    assert not asks_everybody("today " * 15 + "?")


def test_general_is_asked_last_with_the_words_as_they_are() -> None:
    made = verdict_of_all(RoutingMessage(text="what's on today?"), REGISTRY)
    assert made is not None
    assert [target.butler for target in made.targets] == ["finance", "health", "travel", "general"]
    assert {target.prompt for target in made.targets} == {"what's on today?"}
    assert (made.reason, made.fallback) == (ASKED_OF_ALL, False)


def test_who_may_not_be_chosen_or_keeps_nothing_is_not_asked() -> None:
    barred = RegistryView.of(
        replace(one, eligible=one.name != "health", capabilities=() if one.name == "travel" else ("records",))
        for one in REGISTRY.butlers
    )
    made = verdict_of_all(RoutingMessage(text="what's on today?"), barred)
    assert made is not None
    assert [target.butler for target in made.targets] == ["finance", "general"]


def test_strangers_machines_and_mails_with_a_subject_ask_one_butler() -> None:
    assert asked()
    assert not asked(sender_class="other")
    assert not asked(automatic=True)
    assert not asked(subject="A question")


def test_without_another_butler_there_is_nobody_to_ask_together_with() -> None:
    alone = RegistryView.of([ButlerProfile("general", capabilities=("records",))])
    assert verdict_of_all(RoutingMessage(text="what's on today?"), alone) is None
    nobody = RegistryView.of([ButlerProfile("health", capabilities=("records",))])
    assert verdict_of_all(RoutingMessage(text="what's on today?"), nobody) is None
