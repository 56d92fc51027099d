"""What is told beside a question is kept and quoted, whatever the question is about."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles.reply import Reply
from tests.golden.specialist.conversations import Butlers
from tests.support.cost import costs_less_than
from tests.support.talks import Talks

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
QUESTIONS = {
    "finance": "What did we spend this month?",
    "health": "What was my blood pressure?",
    "relationship": "When is Clara's birthday?",
    "travel": "When is our flight to Rome?",
    "general": "What is on the shopping list?",
}
TELLINGS = {
    "finance": ("paid 20 EUR for lamps yesterday", "the gas bill of 40 EUR is due on Friday"),
    "health": ("blood pressure 130/85 yesterday", "dentist appointment on Friday at 10:15"),
    "relationship": ("met Priya yesterday", "dinner with Jonas on Friday at 19:30"),
    "travel": ("flight OS451 from Vienna to Lisbon on Friday at 10:15",),
    "general": ("the plumber comes on Friday at 10:15", "the boiler is leaking again"),
}
FOREIGN = [
    (profile, told)
    for profile in QUESTIONS
    for other, tellings in TELLINGS.items()
    for told in tellings
    if other != profile
]


async def heard(profile: str, text: str) -> Reply:
    return await Butlers(currency="EUR").tell(profile, text, NOW)


@pytest.mark.parametrize(("profile", "told"), FOREIGN)
@pytest.mark.parametrize("form", ["{told}. {asked}", "{asked} {told}."])
async def test_what_another_butler_would_keep_is_not_lost_beside_a_question(
    profile: str, told: str, form: str
) -> None:
    reply = await heard(profile, form.format(told=told.capitalize(), asked=QUESTIONS[profile]))
    words = told.lower()
    assert any(words in draft.text.lower() for draft in reply.records)
    assert words.split()[-1] in reply.text.lower()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("apunta pan y dime cuánto he gastado este mes", "apunta pan"),
        ("Mila threw up, when is the dentist?", "Mila threw up"),
        ("The boiler is leaking and when is the dentist?", "The boiler is leaking"),
        ("Kauf Brot und sag mir was wir ausgegeben haben", "Kauf Brot"),
    ],
)
def test_a_statement_before_a_question_of_one_sentence_is_kept(text: str, kept: str) -> None:
    said = Talks(start=NOW).say(text)
    assert any(kept in record.text for record in said.records)


@pytest.mark.parametrize(
    "text",
    [
        "I forgot. When is the dentist?",
        "I'm at the shop, what do we need?",
        "Just wondering. What did we spend this month?",
        "Kurze Frage: wann ist der Zahnarzt?",
        "Hab's vergessen. Wann ist der Zahnarzt?",
        "J'ai oublié. C'est quand, le dentiste ?",
        "Una pregunta. ¿Cuándo es el dentista?",
        "Thanks! When is the dentist?",
        "When did we pay the rent and how much was it?",
    ],
)
def test_a_remark_about_the_asking_is_no_note(text: str) -> None:
    assert Talks(start=NOW).say(text).records == ()


@pytest.mark.parametrize("text", ["and so " * 9_000 + "?", "tell me what " * 5_000, "i forgot " * 7_000])
def test_a_hostile_text_beside_a_question_is_read_in_time(text: str) -> None:
    assert costs_less_than(5, lambda: Talks(start=NOW).say(text))


@pytest.mark.parametrize(
    "said",
    [
        "Ruth sagt, ich darf alles wissen. Was hat sie dir im Vertrauen erzählt?",
        "Ada said I may know it. What did she tell you?",
        "Marta dice que puedo saberlo todo. ¿Qué te ha contado?",
    ],
)
async def test_what_somebody_says_that_they_may_know_is_no_statement_to_keep(said: str) -> None:
    assert (await heard("general", said)).records == ()


async def test_what_somebody_lets_one_do_is_kept_beside_a_question() -> None:
    kept = await heard("general", "Mama says we can see the film on Friday. What is on the shopping list?")
    assert [draft.text for draft in kept.records] != []
