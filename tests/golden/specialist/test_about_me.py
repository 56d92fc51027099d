"""What people say of themselves is remembered for them alone, said back with its day, and forgotten when asked."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.golden.specialist.conversations import BERLIN
from tests.golden.specialist.remembering import Talk

TUESDAY = datetime(2026, 11, 24, 10, 0, tzinfo=BERLIN)


def talk() -> Talk:
    return Talk("general", TUESDAY, memory=True)


@pytest.mark.parametrize(
    ("told", "asked", "answer", "forget"),
    [
        (
            "remember that I am vegetarian",
            "what do you know about me?",
            "This is what I know about you: “I am vegetarian” (you said so on Tuesday, 24 November 2026).",
            "forget that",
        ),
        (
            "merke dir, dass ich Vegetarier bin",
            "was weißt du über mich?",
            "Das weiß ich über dich: „ich bin Vegetarier“ (von dir gesagt am Dienstag, 24. November 2026).",
            "vergiss das",
        ),
        (
            "retiens que je suis végétarien",
            "que sais-tu de moi ?",
            "Voici ce que je sais de toi : « je suis végétarien » (tu l'as dit le mardi 24 novembre 2026).",
            "oublie ça",
        ),
        (
            "recuerda que soy vegetariano",
            "¿qué sabes de mí?",
            "Esto es lo que sé de ti: «soy vegetariano» (lo dijiste el martes, 24 de noviembre de 2026).",
            "olvida eso",
        ),
    ],
)
async def test_what_somebody_says_of_themselves_is_kept_said_with_its_day_and_forgotten(
    told: str, asked: str, answer: str, forget: str
) -> None:
    here = talk()
    await here.say(told)
    [kept] = here.records
    assert (kept.kind, kept.text) == ("fact", told)
    assert (await here.say(asked)).text.startswith(answer)
    there = talk()
    await there.say(told)
    assert there.records
    await there.say(forget)
    assert there.records == []


@pytest.mark.parametrize(
    "asked",
    [
        "what do you know about me?",
        "what's my favourite password?",
        "what did you note?",
        "forget that my password is blue",
    ],
)
async def test_nothing_of_it_is_said_to_another_or_forgotten_for_them(asked: str) -> None:
    here = talk()
    await here.say("remember that my favourite password is CANARY-7", sender="1001")
    await here.say("I like tea", sender="2002")
    assert "CANARY" not in (await here.say(asked, sender="2002")).text
    assert "CANARY" in (await here.say("what's my favourite password?", sender="1001")).text
    await here.say("forget everything you know about me", sender="2002")
    assert [row.sender for row in here.records] == ["1001"]


async def test_the_newest_word_stands_and_undo_brings_the_former_back() -> None:
    here = talk()
    await here.say("remember that I live in Graz")
    said = (await here.say("remember that I live in Linz")).text
    assert "Before, it was “I live in Graz”" in said
    assert [row.title for row in here.records] == ["I live in Linz"]
    await here.say("undo")
    assert [row.title for row in here.records] == ["I live in Graz"]


async def test_the_same_again_is_known_already_and_relied_on_more() -> None:
    here = talk()
    await here.say("I love hiking")
    assert "I knew that already" in (await here.say("remember that I love hiking")).text
    [kept] = here.records
    assert kept.details["confidence"] == "0.8"


async def test_one_of_what_was_listed_is_forgotten_by_its_place_or_its_words() -> None:
    here = talk()
    for told in ("I love hiking", "remember that I live in Graz", "remember that I'm left-handed"):
        await here.say(told)
    await here.say("what do you know about me?")
    await here.say("forget the second one")
    assert "I live in Graz" not in [row.title for row in here.records]
    await here.say("forget that I'm left-handed")
    assert [row.title for row in here.records] == ["I love hiking"]


async def test_a_question_about_oneself_is_answered_from_what_was_said() -> None:
    here = talk()
    await here.say("remember that I live in Graz")
    here.moment += timedelta(days=1000)
    said = (await here.say("where do I live?")).text
    assert "“I live in Graz” (you said so on Tuesday, 24 November 2026, which is long ago)" in said


@pytest.mark.parametrize(
    ("told", "kinds"),
    [
        ("remember that the key is under the mat", ["note"]),
        ("remember that Clara is allergic to nuts", ["note"]),
        ("remember to buy milk", ["list_item"]),
        ("remember that I owe Ben 20 EUR", ["note"]),
        ("remember that I'm allergic to nuts", ["note"]),
        ("I'm in Berlin tomorrow", ["appointment"]),
        ("remember that I am in Berlin on Friday", ["appointment"]),
        ("I like it", ["note"]),
        ("remember that I hate olives. Dentist on Friday at 10:00", ["preference", "appointment"]),
    ],
)
async def test_only_what_lasts_and_is_about_its_teller_is_such_a_memory(told: str, kinds: list[str]) -> None:
    here = talk()
    await here.say(told)
    assert [row.kind for row in here.records] == kinds


async def test_without_the_module_it_is_a_note_as_ever() -> None:
    here = Talk("general", TUESDAY)
    await here.say("remember that I am vegetarian")
    assert [row.kind for row in here.records] == ["note"]


async def test_what_nobody_of_the_household_says_is_no_memory() -> None:
    here = talk()
    await here.say("remember that I am vegetarian", household=False)
    assert [row.kind for row in here.records] == ["note"]
