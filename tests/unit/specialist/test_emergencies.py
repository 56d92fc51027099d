"""Where a life may be in danger the answer begins with the number to call, whichever butler the message reaches."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.profile import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.understanding.emergencies import emergency_numbers, is_emergency
from butler_specialist.understanding.reading import read
from tests.golden.specialist.conversations import MemoryRecords

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
ALARMING = [
    "Leo fell and is unconscious!! what should I do",
    "Mara is not breathing",
    "I have chest pain",
    "stroke?",
    "I think Tom is having a stroke, like in 2015",
    "he had a stroke yesterday",
    "she took an overdose",
    "Leo swallowed a whole box of tablets",
    "he took all of my pills",
    "i dont want to live anymore",
    "Sie hat eine ganze Packung Schlaftabletten genommen",
    "Papa a avalé toute une boîte de cachets",
    "Je ne veux plus vivre",
    "La niña se está ahogando",
    "Se tomó toda una caja de pastillas",
    "ya no quiero vivir",
    "I want to kill myself",
    "suicidal thoughts",
    "no chest pain but I can't breathe",
    "what are the signs of a heart attack?",
    "Leo ist bewusstlos",
    "Papa atmet nicht mehr",
    "starke Brustschmerzen",
    "Schlaganfall!!",
    "Überdosis",
    "Maman ne respire plus",
    "J'ai une douleur à la poitrine",
    "Il est inconscient",
    "Papá está inconsciente",
    "no respira",
    "Me duele, dolor en el pecho",
    "help!!",
]
QUIET = [
    "bought a whole box of tablets for the dishwasher",
    "We don't want to live in Leeds",
    "Leo ate a whole box of chocolates",
    "Papa a avalé toute une boîte de chocolats",
    "he had a stroke in 2015",
    "Grandpa had a heart attack two years ago",
    "I had chest pain on 3 November",
    "Opa hatte 2015 einen Schlaganfall",
    "Il a eu un AVC en 2015",
    "Papá tuvo un infarto hace dos años",
    "When did Grandpa have his stroke?",
    "chest pain form",
    "no chest pain today",
    "keine Brustschmerzen mehr",
    "a stroke of luck",
    "backstroke lessons on Friday",
    "help",
    "the plumber needs help! 40 EUR",
    "---------- Forwarded message ---------\nHeart attack: ten signs",
]


async def hears(text: str, butler: str, *, household: bool = True) -> Reply:
    answering = Answering(NOON, household, MemoryRecords(), currency="EUR")
    return await load_profile(butler).respond(text, answering)


@pytest.mark.parametrize("text", ALARMING)
def test_what_may_be_an_emergency_alarms(text: str) -> None:
    assert is_emergency(read(text, NOON))


@pytest.mark.parametrize("text", QUIET)
def test_what_is_over_or_denied_or_only_called_so_does_not_alarm(text: str) -> None:
    assert not is_emergency(read(text, NOON))


@pytest.mark.parametrize("butler", PROFILES)
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Leo fell and is unconscious!! what should I do", "Call 112 now"),
        ("Leo ist bewusstlos", "Ruf sofort 112 an"),
        ("Maman ne respire plus", "Appelle tout de suite le 112"),
        ("Papá está inconsciente", "Llama ahora mismo al 112"),
    ],
)
async def test_every_butler_says_first_whom_to_call_and_keeps_the_message(
    butler: str, text: str, first: str
) -> None:
    reply = await hears(text, butler)
    assert reply.text.startswith(first)
    assert [(record.kind, record.text) for record in reply.records] == [("note", text)]


async def test_what_else_the_message_states_is_noted_behind_the_alarm() -> None:
    reply = await hears("Leo has chest pain. Blood pressure 180/110.", "health")
    assert reply.text.startswith("Call 112 now")
    assert "180/110" in reply.text
    assert "measurement" in {record.kind for record in reply.records}


async def test_a_strangers_words_alarm_nobody() -> None:
    reply = await hears("I am unconscious", "general", household=False)
    assert "112" not in reply.text
    assert [record.kind for record in reply.records] == ["note"]


@pytest.mark.parametrize(
    ("zone", "numbers"),
    [
        ("Europe/Berlin", ("112",)),
        ("Atlantic/Canary", ("112",)),
        ("Europe/London", ("999", "112")),
        ("America/New_York", ("911",)),
        ("America/Toronto", ("911",)),
        ("America/Sao_Paulo", ()),
        ("Australia/Sydney", ("000",)),
        ("Asia/Tokyo", ()),
        ("UTC", ()),
    ],
)
def test_the_number_is_that_of_the_households_place_where_we_are_sure(
    zone: str, numbers: tuple[str, ...]
) -> None:
    assert emergency_numbers(ZoneInfo(zone)) == numbers


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        (ZoneInfo("Europe/London"), "Call 999 or 112 now"),
        (ZoneInfo("Asia/Tokyo"), "Call your local emergency number (112 in Europe) now"),
        (UTC, "Call your local emergency number (112 in Europe) now"),
    ],
)
async def test_the_number_is_said_in_words_where_it_is_not_known(zone: ZoneInfo, said: str) -> None:
    answering = Answering(NOON.astimezone(zone), True, MemoryRecords())
    reply = await load_profile("health").respond("she is unconscious", answering)
    assert reply.text.startswith(said)
