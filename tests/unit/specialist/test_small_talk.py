"""What tells nothing: greetings, thanks, help and gibberish in four languages are answered, and nothing is kept."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.language import LANGUAGES, Language
from butler_contracts.people import PeopleV1, PersonV1
from butler_kit.wording.language import language_of
from butler_specialist.locale import texts_in
from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.general.abilities import ABILITIES, Ability
from butler_specialist.profiles.reply import Reply
from butler_specialist.questions.wording import list_called
from butler_specialist.understanding.household import Whose
from butler_specialist.understanding.small_talk import Talk, talk_of
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.rules.router import RulesRouter
from tests.golden.specialist.conversations import MemoryRecords

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
MARA = uuid4()
PEOPLE = PeopleV1(members=(PersonV1(contact_id=MARA, name="Mara Vogel"),))

SMALL_TALK = [
    ("/start", Talk.START, "en"),
    ("/start@house_bot", Talk.START, "en"),
    ("/start ref_1", Talk.START, "en"),
    ("/help", Talk.HELP, "en"),
    ("help", Talk.HELP, "en"),
    ("?", Talk.HELP, "en"),
    ("what can you do?", Talk.HELP, "en"),
    ("Hello Jarvis, what can you do?", Talk.HELP, "en"),
    ("Who are you?", Talk.WHO, "en"),
    ("Hi! How are you today?", Talk.HOW, "en"),
    ("heyyy", Talk.HELLO, "en"),
    ("God bless.", Talk.BYE, "en"),
    ("sorry that wasn't meant for you", Talk.NOD, "en"),
    ("Dank dir recht schön", Talk.THANKS, "de"),
    ("Servus, na, alles fit?", Talk.HOW, "de"),
    ("cc", Talk.HELLO, "fr"),
    ("holaaa", Talk.HELLO, "es"),
    ("Good morning butlers!", Talk.MORNING, "en"),
    ("good night", Talk.NIGHT, "en"),
    ("Thanks Tom", Talk.THANKS, "en"),
    ("Thank you very much for your help!", Talk.THANKS, "en"),
    ("ok", Talk.NOD, "en"),
    ("👍", Talk.NOD, "en"),
    ("❤️👍🏽", Talk.NOD, "en"),
    ("👎", Talk.NOISE, "en"),
    ("stop", Talk.STOP, "en"),
    ("/stop", Talk.STOP, "en"),
    ("/weather", Talk.NOISE, "en"),
    ("asdfgh", Talk.NOISE, "en"),
    ("hjkl dfgdfg", Talk.NOISE, "en"),
    ("...", Talk.NOISE, "en"),
    ("Was kannst du?", Talk.HELP, "de"),
    ("Hilfe", Talk.HELP, "de"),
    ("Wer bist du?", Talk.WHO, "de"),
    ("Hallo, wie geht's?", Talk.HOW, "de"),
    ("Guten Morgen zusammen", Talk.MORNING, "de"),
    ("Gute Nacht", Talk.NIGHT, "de"),
    ("Danke schön!", Talk.THANKS, "de"),
    ("Stopp", Talk.STOP, "de"),
    ("Bonjour, que peux-tu faire ?", Talk.HELP, "fr"),
    ("aide", Talk.HELP, "fr"),
    ("Qui es-tu ?", Talk.WHO, "fr"),
    ("Salut", Talk.HELLO, "fr"),
    ("bonne nuit", Talk.NIGHT, "fr"),
    ("Merci beaucoup !", Talk.THANKS, "fr"),
    ("Arrête !", Talk.STOP, "fr"),
    ("¿Qué puedes hacer?", Talk.HELP, "es"),
    ("ayuda", Talk.HELP, "es"),
    ("¿Quién eres?", Talk.WHO, "es"),
    ("Hola", Talk.HELLO, "es"),
    ("Buenas noches", Talk.NIGHT, "es"),
    ("¡Muchas gracias!", Talk.THANKS, "es"),
    ("basta", Talk.STOP, "es"),
    ("спасибо", Talk.THANKS, "en"),
]
SAID_OTHERWISE = [
    "thanks to the plumber 40 EUR",
    "thank you note for Clara",
    "help Tom with homework tomorrow",
    "help wanted ad",
    "stop the newspaper on Friday",
    "stop Leo's piano lessons",
    "the washing machine leaks",
    "good night milk",
    "who are you meeting on Friday?",
    "ok, 20 EUR at Lidl",
    "👍 for the 20 EUR",
    "night shift on Friday",
    "hello Clara's birthday is 3 May",
    "Danke, und was steht auf der Liste?",
    "wert",
    "property tax",
    "rhythm",
    "Strnsky",
    "KLMBRT",
    "Sunflower42",
    "42",
    "/remind me tomorrow",
]


async def hears(
    text: str, *, household: bool = True, named: bool = True, records: MemoryRecords | None = None
) -> Reply:
    whose = Whose.of(PEOPLE if named else None, MARA if named else None, "telegram", "7")
    answering = Answering(NOON, household, records or MemoryRecords(), whose, "EUR")
    return await load_profile("general").respond(text, answering)


@pytest.mark.parametrize(("text", "talk", "language"), SMALL_TALK)
async def test_small_talk_is_known_in_four_languages_and_nothing_of_it_is_kept(
    text: str, talk: Talk, language: Language
) -> None:
    assert (talk_of(text), language_of(text)) == (talk, language)
    reply = await hears(text)
    assert reply.records == ()
    assert reply.text
    assert f"“{text}”" not in reply.text or talk is Talk.STOP


@pytest.mark.parametrize("text", SAID_OTHERWISE)
async def test_what_says_more_is_a_message_like_any_other(text: str) -> None:
    assert talk_of(text) is None
    reply = await hears(text)
    assert reply.records or text.endswith("?")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("hello", "Hello Mara."),
        ("Hallo", "Hallo Mara."),
        ("Bonjour", "Bonjour Mara."),
        ("Hola", "Hola Mara."),
        ("/start", "Hello Mara. I am the butler of your household"),
    ],
)
async def test_who_is_known_is_greeted_by_their_first_name(text: str, answer: str) -> None:
    assert (await hears(text)).text.startswith(answer)
    assert "Mara" not in (await hears(text, named=False)).text


async def test_thanks_are_answered_with_one_short_line_whatever_is_noted() -> None:
    records = MemoryRecords()
    records.add((await hears("Todo: fix the tap")).records, sender="7")
    assert (await hears("thanks", records=records)).text == "You are welcome."


async def test_a_stranger_is_not_talked_to() -> None:
    reply = await hears("hello", household=False)
    assert [record.kind for record in reply.records] == ["note"]
    assert "Hello" not in reply.text


async def test_a_greeting_below_a_subject_that_states_something_is_no_small_talk() -> None:
    reply = await hears("Subject: Dentist on Friday at 10:00\n\nHello")
    assert [record.kind for record in reply.records] == ["appointment"]
    assert (await hears("Subject: Re: [general] Noted for Friday: dentist\n\nThanks, great")).records == ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ability", ABILITIES, ids=lambda ability: ability.example)
async def test_what_a_newcomer_is_told_to_write_reaches_its_butler_and_is_understood(
    language: Language, ability: Ability
) -> None:
    profile, said = ability.profile, texts_in(language).gettext(ability.example)
    assert said in (await hears({"en": "help", "de": "Hilfe", "fr": "aide", "es": "ayuda"}[language])).text
    names = ("finance", "general", "health", "relationship", "travel")
    registry = RegistryView.of(
        ButlerProfile(name, triggers=tuple(load_profile(name).triggers)) for name in names
    )
    decision = RulesRouter().decide(RoutingMessage(text=said, channel="telegram"), registry, threshold=0.72)
    assert [call.butler for call in decision.calls] == [profile]
    answering = Answering(NOON, True, MemoryRecords(), currency="EUR")
    reply = await load_profile(profile).respond(said, answering)
    assert said.endswith("?") or [record for record in reply.records if record.kind != "note"]
    assert not said.endswith("?") or list_called("shopping", language) in reply.text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("Leo fell and is unconscious", "en"),
        ("Leo ist bewusstlos", "de"),
        ("Überdosis", "de"),
        ("Maman ne respire plus", "fr"),
        ("Papá está inconsciente", "es"),
        ("Blutdruck 128/82", "de"),
        ("Combien j'ai dépensé ?", "fr"),
        ("54,20 € bezahlt", "de"),
        ("Dinner with Jürgen at Café Olé on Monday", "en"),
        ("Ramipril 5 mg", "en"),
        ("no", "en"),
    ],
)
def test_the_language_is_that_of_most_words_and_english_in_doubt(text: str, language: Language) -> None:
    assert language_of(text) == language
