"""A mood is answered with something short and kind in four languages, and what stands beside it is never lost."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.understanding.moods import Mood, mood_of
from butler_specialist.understanding.reading import read
from tests.golden.specialist.conversations import MemoryRecords

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
MOODS = [
    ("im so tired omg", Mood.TIRED),
    ("boah bin ich kaputt heute", Mood.TIRED),
    ("je suis crevée", Mood.TIRED),
    ("estoy muerto de sueño", Mood.TIRED),
    ("I feel so lonely", Mood.SAD),
    ("mir gehts heute gar nicht gut", Mood.SAD),
    ("me siento muy solo", Mood.SAD),
    ("you're useless", Mood.CROSS),
    ("love you ❤️", Mood.FOND),
    ("du bist ein Schatz", Mood.FOND),
    ("j'en ai marre", Mood.GRUMBLE),
    ("jajaja", Mood.LAUGH),
    ("mdr", Mood.LAUGH),
    ("im so tired omg, 12 hr shift", Mood.TIRED),
    ("I can't sleep these nights, my mind goes round and round.", Mood.SAD),
    ("exam went so bad i wanna cry", Mood.SAD),
    ("what a day... I had a row with Ines", Mood.SAD),
    ("j'en peux plus de cette journée", Mood.TIRED),
    ("Ach, mir ist heut so fad.", Mood.GRUMBLE),
    ("you're useless, that's not what I asked", Mood.CROSS),
    ("passed my driving test!!!! 🎉", Mood.PROUD),
    ("wir haben gewonnen!!!", Mood.PROUD),
    ("j'ai eu mon permis !!!", Mood.PROUD),
    ("me han dado el trabajo!!!", Mood.PROUD),
]
SAYS_MORE = [
    "knackered, spent 12.40 on chips",
    "so tired, dentist on Thursday at 10",
    "I'm tired, we need milk",
    "sad news: the plumber comes tomorrow",
    "I love you and the key is under the mat",
    "buy oat milk",
    "Mamie déteste les surprises",
    "Leo passed his driving test",
    "we won 20 EUR",
]


async def hears(text: str, butler: str) -> Reply:
    answering = Answering(NOON, True, MemoryRecords(), currency="EUR")
    return await load_profile(butler).respond(text, answering)


@pytest.mark.parametrize(("text", "mood"), MOODS)
def test_a_mood_is_understood(text: str, mood: Mood) -> None:
    assert mood_of(read(text, NOON)) is mood


@pytest.mark.parametrize("text", SAYS_MORE)
def test_what_says_anything_else_is_no_mood(text: str) -> None:
    assert mood_of(read(text, NOON)) is None


@pytest.mark.parametrize("butler", PROFILES)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("im so tired", "rest"),
        ("bin ich kaputt heute", "ausruhen"),
        ("j'en ai marre", "mieux"),
        ("me siento muy solo", "Siento"),
    ],
)
async def test_every_butler_answers_it_and_keeps_nothing(butler: str, text: str, said: str) -> None:
    reply = await hears(text, butler)
    assert said in reply.text
    assert not reply.records


async def test_what_is_spent_beside_a_mood_is_kept() -> None:
    reply = await hears("knackered 😴 spent 12.40 on chips on the way home", "finance")
    assert [str(record.amount) for record in reply.records] == ["12.40"]
