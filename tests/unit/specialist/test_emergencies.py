"""Where a life may be in danger the answer begins with the number to call, whichever butler the message reaches."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.understanding.emergencies import is_emergency
from butler_specialist.understanding.help_lines import Lines, emergency_numbers, lines_of
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
    "leo ate a peanut his lips are swelling and hes wheezing",
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
    "grandpa is on the floor, hes not waking up",
    "hes not breathng",
    "she's turning blue",
    "pressure on my chest and my left arm is numb",
    "dad's face is drooping on one side",
    "the baby swallowed a button battery",
    "took way too many of my pills",
    "the kitchen stinks of gas",
    "theres smoke coming out of the fuse box",
    "the blood wont stop",
    "call an ambulance",
    "opa ist umgekippt und reagiert nicht",
    "er ist bewustlos",
    "ich bekomme schlecht Luft",
    "das kind hat spülmittel getrunken",
    "hier riechts nach gas",
    "der keller brennt",
    "il respire plus",
    "le petit a avalé de la javel",
    "y a le feu dans la cuisine",
    "ça sent le gaz",
    "elle saigne énormément",
    "me duele mucho el pecho",
    "la niña se ha tragado una pila",
    "huele muchísimo a gas",
    "no para de sangrar",
    "hay un incendio abajo",
    "it would be better if I weren't here any more",
    "ich will nicht mehr leben",
    "j'ai envie d'en finir",
    "my husband hits me",
    "mon copain me frappe",
    "mein Mann schlägt mich",
    "mi marido me pega",
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
    "my phone died on the bus",
    "that cake was to die for",
    "je suis morte de rire",
    "me muero de hambre",
    "ich sterbe vor Hunger",
    "I nearly had a heart attack when I saw the bill",
    "first aid course on Saturday, about choking and burns",
    "the printer won't wake up",
    "the roof of the shed collapsed",
    "paid the gas bill, 80 EUR",
    "la factura del gas llegó",
    "he beat me at chess",
    "il m'a battu aux échecs",
    "je veux en finir avec ce dossier",
    "chest freezer delivered on Friday",
    "assurance incendie 120 EUR",
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
async def test_every_butler_says_first_whom_to_call_and_makes_no_note_of_it(
    butler: str, text: str, first: str
) -> None:
    reply = await hears(text, butler)
    assert reply.text.startswith(first)
    assert not reply.records


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


@pytest.mark.parametrize(
    ("text", "number", "line"),
    [
        ("I want to kill myself", "112", "0800 32 123 / 1813"),
        ("j'ai envie d'en finir", "112", "0800 32 123 / 1813"),
        ("my husband hits me", "112", "0800 30 030"),
        ("the baby swallowed a battery", "112", "070 245 245"),
    ],
)
async def test_the_line_that_listens_or_advises_stands_beside_the_emergency_number(
    text: str, number: str, line: str
) -> None:
    moment = NOON.astimezone(ZoneInfo("Europe/Brussels"))
    reply = await load_profile("general").respond(text, Answering(moment, True, MemoryRecords()))
    first, second, *_ = reply.text.split(". ")
    assert number in first
    assert line in second
    assert not reply.records


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Sao_Paulo", "UTC"])
def test_a_line_is_named_only_where_we_are_sure(zone: str) -> None:
    lines = lines_of(ZoneInfo(zone))
    assert lines == Lines()


async def test_a_sign_in_another_language_than_its_few_words_is_answered_in_it() -> None:
    reply = await hears("no respira", "general")
    assert reply.text.startswith("Llama ahora mismo al 112")
