"""What only points back is answered with what was said before it in the same chat, or it is said not to be clear."""

from __future__ import annotations

from datetime import timedelta

import pytest

from butler_specialist.questions.asked_again import asked_again
from butler_specialist.understanding.follow_ups import follow_up
from butler_specialist.understanding.reading import read
from tests.support.cost import costs_less_than
from tests.support.talks import SUNDAY, Talks

UNCLEAR = ("I can't tell what", "I have not asked", "Ich weiß nicht", "Je ne sais pas", "No sé a qué")


def last(*said: str) -> str:
    """The answer to the last of these messages."""
    talks = Talks()
    return [talks.say(text).text for text in said][-1]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (("Paid the plumber 180 EUR today", "How much was that?"), "180.00 EUR: “Paid the plumber 180 EUR today”"),
        (("Wir haben heute 54,20 € für Schuhe ausgegeben", "Wie viel war das?"), "Das waren 54,20 EUR"),
        (("J'ai payé 12,80 € à la boulangerie hier", "c'était combien ?"), "C'était 12,80 EUR"),
        (("Me gasté 30 € en el mercado ayer", "¿cuánto fue eso?"), "Fueron 30,00 EUR"),
        (("Paid 12 EUR for parking and 30 EUR for lunch", "how much was that?"), "12.00 EUR and 30.00 EUR"),
        (("Booked the Hotel Mirador in Lisbon for 14-18 March 2027, 450 EUR", "how much was that?"), "450.00 EUR"),
        (("Vet appointment for Rex next Tuesday at 9am", "when is it?"), "24 November 2026 at 09:00"),
        (("Train to Ghent on Saturday at 10:42", "what time was it?"), "28 November 2026 at 10:42"),
        (("Réunion de copropriété lundi à 19h", "à quelle heure déjà ?"), "19:00"),
        (("Reunión del cole el 24 de noviembre a las 18:30", "cuándo era?"), "a las 18:30"),
        (("J'ai payé 12,80 € à la boulangerie hier", "c'était combien déjà ?"), "C'était 12,80 EUR"),
        (("Dentist appointment for Leo on Thursday at 15:30", "where is it?"), "No place was named: “Dentist"),
        (("Dentist appointment for Leo on Thursday at 15:30", "how much is it?"), "No sum was named: “Dentist"),
    ],
)  # fmt: skip
def test_what_was_just_told_is_told_again(said: tuple[str, ...], expected: str):
    assert expected in last(*said)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (("How much for petrol?", "and yesterday?"), "No expense on petrol is recorded on Saturday, 21 November"),
        (("How much have we spent this month?", "and last month?"), "No expense is recorded in October 2026"),
        (("Wie viel haben wir diesen Monat ausgegeben?", "und letzten Monat?"), "Oktober 2026"),
        (("combien avons-nous dépensé ce mois ?", "et le mois dernier ?"), "octobre 2026"),
        (("¿Cuánto gastamos este mes?", "¿y el mes pasado?"), "octubre de 2026"),
        (("How much for petrol?", "and for groceries?"), "No expense on groceries"),
        (("How much did we spend at Lidl?", "and at Aldi?", "and yesterday?"), "at Aldi is recorded on Saturday"),
        (("What's my blood pressure?", "and Tom's?"), "No blood pressure of Tom Vogel"),
        (("Wie hoch war mein Blutdruck?", "und Toms?"), "Tom Vogel"),
        (("what was Leo's temperature?", "and Clara's?"), "No temperature of Clara"),
        (("what was Leo's temperature?", "and mine?"), "No temperature of yours"),
        (("When is Clara's birthday?", "and Tom's?"), "Tom"),
        (("What is Mara's blood pressure?", "thanks", "what about Tom?"), "No blood pressure of Tom Vogel"),
    ],
)  # fmt: skip
def test_the_last_question_is_asked_again_of_another(said: tuple[str, ...], expected: str):
    assert expected in last(*said)


def test_she_and_his_are_the_person_who_was_named_before():
    talks = Talks()
    talks.say("Clara's phone number is +44 7700 900123")
    assert "+44 7700 900123" in talks.say("what's her number?").text
    assert "Nothing is recorded about Tom" in talks.say("and Tom's?").text
    talks.say("Leo has a fever, 38.9")
    assert talks.say("how high was his temperature?").text.startswith("Leo's last temperature was 38.9")


@pytest.mark.parametrize(
    "said",
    [
        ("when is it?",), ("how much was that?",), ("yes",), ("the second",), ("wann ist das?",), ("c'est quand ?",),
        ("¿cuánto fue eso?",), ("When is my flight?", "and Tom's?"),
        ("My flight BA2490 to Lisbon leaves on 14 March 2027 at 7:05 from Heathrow", "and Tom's?"),
        ("How much for petrol?", "and Tom?"), ("BP 138/88", "yes"), ("Paid 12 EUR for lunch", "the second"),
        ("What did I pay the plumber?", "and the electrician?"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_said_in_one_sentence_and_nothing_is_kept(said: tuple[str, ...]):
    talks = Talks()
    reply = [talks.say(text) for text in said][-1]
    assert reply.text.startswith(UNCLEAR), reply.text
    assert said[-1] in reply.text
    assert not reply.records


def test_another_chat_is_another_conversation():
    talks = Talks()
    talks.say("Paid the plumber 180 EUR today", chat="mara")
    assert "180" not in talks.say("how much was that?", chat="tom", by="Tom Vogel").text


def test_a_question_with_words_of_its_own_is_answered_as_before():
    assert last("Paid the plumber 180 EUR", "Paid 20 EUR for wine", "What did I pay the plumber?").startswith(
        "You spent 180.00 EUR on plumber"
    )


@pytest.mark.parametrize(
    "text", ["and remember to buy the milk", "when is my flight?", "and?", "How much did we spend?"]
)
def test_what_stands_for_itself_points_at_nothing(text: str):
    assert follow_up(text) is None


def test_the_day_of_a_question_is_that_of_its_own_message():
    question = read("How much did we spend yesterday?", SUNDAY - timedelta(minutes=20))
    assert asked_again(question, "on Friday", (), of_people=False) == "How much did we spend on Friday?"


@pytest.mark.parametrize(
    "text", ["=" * 60_000, "and " + "a " * 30_000, "how much was that" * 4_000, "é" * 60_000]
)
def test_a_long_text_is_passed_in_a_moment(text: str):
    assert follow_up(text) is None
    assert costs_less_than(1, lambda: follow_up(text))
