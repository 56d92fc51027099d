"""What an answer listed is meant by its place: what is kept changes at that place alone, and what nobody saw never."""

from __future__ import annotations

import asyncio
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.golden.specialist.conversations import BERLIN
from tests.golden.specialist.remembering import Talk

TUESDAY = datetime(2026, 11, 24, 10, 0, tzinfo=BERLIN)
TOLD = {
    "en": ("dentist on Friday at 9:00", "gym on Saturday at 18:00", "what do I have to do this week?"),
    "de": ("Zahnarzt am Freitag um 9:00", "Sport am Samstag um 18:00", "was steht diese Woche an?"),
    "fr": ("dentiste vendredi à 9h00", "sport samedi à 18h00", "qu'est-ce qui est prévu cette semaine ?"),
    "es": (
        "dentista el viernes a las 9:00",
        "gimnasio el sábado a las 18:00",
        "¿qué citas tengo esta semana?",
    ),
}
FRIDAY, SATURDAY, MONDAY = date(2026, 11, 27), date(2026, 11, 28), date(2026, 11, 30)


async def _listed(language: str) -> Talk:
    talk = Talk("general", TUESDAY)
    for text in TOLD[language]:
        reply = await talk.say(text)
    assert reply.question is not None
    assert reply.question.shown == "whole"
    return talk


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("en", "cancel the second one", [FRIDAY]),
        ("en", "delete the first", [SATURDAY]),
        ("en", "cancel the last one", [FRIDAY]),
        ("en", "cancel both", []),
        ("en", "cancel all of them", []),
        ("en", "cancel the one on Friday", [SATURDAY]),
        ("en", "move the second to Monday", [FRIDAY, MONDAY]),
        ("de", "storniere den zweiten", [FRIDAY]),
        ("de", "lösch beide", []),
        ("de", "verschiebe den ersten auf Montag", [SATURDAY, MONDAY]),
        ("fr", "annule le deuxième", [FRIDAY]),
        ("fr", "annule celui de vendredi", [SATURDAY]),
        ("fr", "supprime les deux", []),
        ("es", "cancela el segundo", [FRIDAY]),
        ("es", "borra los dos", []),
        ("es", "mueve el segundo al lunes", [FRIDAY, MONDAY]),
    ],
)
async def test_the_entry_at_its_place_is_meant(language: str, said: str, left: list[date]) -> None:
    talk = await _listed(language)
    reply = await talk.say(said)
    assert reply.changes
    assert sorted(row.occurred_on for row in talk.records) == left
    await talk.say("undo")
    assert sorted(row.occurred_on for row in talk.records) == [FRIDAY, SATURDAY]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "done with the first"),
        ("de", "das erste ist erledigt"),
        ("fr", "le premier est fait"),
        ("es", "el primero está hecho"),
    ],
)
async def test_the_entry_at_its_place_is_done(language: str, said: str) -> None:
    talk = await _listed(language)
    await talk.say(said)
    assert [row.occurred_on for row in talk.records if row.done_on is not None] == [FRIDAY]


async def test_the_places_stay_those_of_the_answer_while_one_after_the_other_is_done() -> None:
    talk = Talk("general", TUESDAY)
    await talk.say("add milk, eggs and tea to the shopping list")
    await talk.say("what is on the shopping list?")
    assert "eggs" in (await talk.say("remove the second one")).text
    assert "milk" in (await talk.say("done with the first")).text
    assert "no longer noted" in (await talk.say("remove the second one")).text
    assert "tea" in (await talk.say("remove the last one")).text


async def test_a_bill_is_paid_by_its_place() -> None:
    talk = Talk("finance", TUESDAY)
    await talk.say("Water bill 30 EUR due on 3 December")
    await talk.say("Electricity bill 80 EUR due on Friday")
    await talk.say("what is still open?")
    assert "80.00 EUR, Electricity bill" in (await talk.say("paid the first")).text
    assert "Water bill" in (await talk.say("delete the second one")).text
    assert [(row.kind, row.title) for row in talk.records if row.done_on is None] == [
        ("expense", "Electricity bill")
    ]


@pytest.mark.parametrize("said", ["cancel the third one", "cancel the fifth one"])
async def test_a_place_that_was_not_shown_is_asked_for(said: str) -> None:
    talk = await _listed("en")
    reply = await talk.say(said)
    assert "Which one do you mean: 1) “dentist" in reply.text
    assert reply.changes == ()
    assert (await talk.say("the second")).text.startswith("Deleted: “gym")


async def test_two_on_the_same_day_are_asked_for() -> None:
    talk = Talk("general", TUESDAY)
    await talk.say("dentist on Friday at 9:00")
    await talk.say("gym on Friday at 18:00")
    await talk.say("what do I have to do on Friday?")
    reply = await talk.say("cancel the one on Friday")
    assert "Which one do you mean" in reply.text
    assert len(talk.records) == 2


async def test_where_something_was_told_since_the_list_is_meant_no_more() -> None:
    talk = await _listed("en")
    await talk.say("call mum on Thursday at 12:00")
    await talk.say("cancel the second one")
    assert len(talk.records) == 3


async def test_another_persons_list_is_not_meant() -> None:
    talk = await _listed("en")
    await talk.say("cancel the second one", sender="2002")
    assert len(talk.records) == 2


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 8), st.sampled_from(["place", "last", "all"]))
def test_only_what_was_shown_at_the_place_is_gone(number: int, place: int, how: str) -> None:
    ordinals = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
    said = {
        "place": f"cancel the {ordinals[place - 1]} one",
        "last": "cancel the last one",
        "all": "cancel all of them",
    }

    async def talked() -> tuple[Talk, str, str]:
        talk = Talk("general", TUESDAY)
        for one in range(number):
            day = TUESDAY + timedelta(days=one + 1)
            await talk.say(f"visit {chr(97 + one) * 5} on {day:%d.%m.%Y} at 9:00")
        shown = (await talk.say("what do I have to do?")).text
        return talk, shown, (await talk.say(said[how])).text

    talk, shown, answer = asyncio.run(talked())
    every = {chr(97 + one) * 5 for one in range(number)}
    gone = every - {name for name in every if any(name in row.text for row in talk.records)}
    assert {name for name in gone if name not in shown} == set()
    assert {name for name in gone if name not in answer} == (
        set() if len(gone) <= 5 else set(sorted(gone)[5:])
    )
    if how == "place" and place <= number:
        assert gone == {sorted(every)[place - 1]}
    elif how != "place" and number <= 8:
        assert gone == ({sorted(every)[-1]} if how == "last" else every)
    else:
        assert gone == set()
        assert "Do you mean" in answer or "Which one" in answer
