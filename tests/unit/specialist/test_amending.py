"""What corrects, or takes back, what was just said is understood as that in four languages, and never kept."""

from __future__ import annotations

import random

import pytest

from butler_kit.wording.amends import amend_in
from butler_kit.wording.folding import fold
from tests.support.cost import costs_less_than
from tests.support.talks import Talks

APPOINTMENT = "Dinner with Klara Hoffmann on Friday at 20:00"


@pytest.mark.parametrize(
    "text",
    [
        "scratch that", "never mind", "forget what I said",
        "oh forget it, sorry", "vergiss es", "ach, vergiss das bitte",
        "kannst du wieder löschen", "laisse tomber", "oublie ce que j'ai dit", "olvídalo", "borra eso por favor",
    ],
)  # fmt: skip
def test_an_idiom_takes_back_what_was_said_last(text: str):
    found = amend_in(text, fold)
    assert found is not None
    assert found.takes_back


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("oops 45", "45", ""),
        ("make it 9", "9", ""),
        ("no, Dr. Weber, not Dr. Meyer", "Dr. Weber", "Dr. Meyer"),
        ("it was the bakery, not the butcher", "the bakery", "the butcher"),
        ("nee, Quatsch, 84", "84", ""),
        ("doch erst um vier", "um vier", ""),
        ("Nicht Donnerstag, sondern Freitag!", "Freitag", "Donnerstag"),
        ("Bonn meinte ich", "Bonn", ""),
        ("non plutôt jeudi", "jeudi", ""),
        ("la boulangerie pardon, pas la boucherie", "la boulangerie", "la boucherie"),
        ("me equivoqué, eran 12", "12", ""),
        ("perdón, es la dra. Díaz, no Ruiz", "la dra. Díaz", "Ruiz"),
        ("*Sarah", "Sarah", ""),
        ("not Vienna, Venice!", "Venice", "Vienna"),
        ("und nicht Mittwoch sondern Donnerstag", "Donnerstag", "Mittwoch"),
        ("euh 28 pardon", "28", ""),
        ("lol no 72", "72", ""),
    ],
)
def test_what_is_right_is_told_from_what_was_wrong(text: str, right: str, wrong: str):
    found = amend_in(text, fold)
    assert found is not None
    assert (found.right, found.wrong) == (right, wrong)


@pytest.mark.parametrize(
    "text",
    [
        "I meant to call mum tomorrow", "Dinner on Friday at 8pm", "der Klempner war da", "groceries 40 EUR",
        "how much was that?", "Ich meine, dass der Zug um neun fährt", "la réunion est à 15h",
    ],
)  # fmt: skip
def test_what_stands_for_itself_is_no_correction(text: str):
    found = amend_in(text, fold)
    assert found is None or found.force == "weak"


@pytest.mark.parametrize(
    ("told", "said", "expected"),
    [
        ("spent 18 EUR at the butcher", "it was the bakery, not the butcher", "Changed from “butcher” to “bakery”"),
        ("spent 18 EUR at the butcher", "oops 45", "Changed from 18.00 EUR to 45.00 EUR"),
        (APPOINTMENT, "I meant Clara", "Changed from “Klara” to “Clara”"),
        (APPOINTMENT, "make it 9", "27 November 2026 at 21:00"),
        (APPOINTMENT, "actually an hour later", "27 November 2026 at 21:00"),
        (APPOINTMENT, "wait no thursday", "26 November 2026 at 20:00"),
        (APPOINTMENT, "scratch that", "Taken back: “Dinner with Klara"),
        (APPOINTMENT, "it's in Lyon", "in Lyon"),
        ("Flight to Paris on Monday at 9:15", "sorry, it's Lyon", "Changed from “Paris” to “Lyon”"),
        ("Zug nach Köln am Samstag um 7:40", "Bonn meinte ich", "Geändert von „Köln“ auf „Bonn“"),
        ("Freitag 18 Uhr Fußball", "nee, Quatsch", "Notiert ist: „Freitag 18 Uhr Fußball“"),
        ("Rdv chez le coiffeur mercredi à 10h", "non plutôt jeudi", "jeudi 26 novembre 2026 à 10:00"),
        ("Gasté 21 euros en el super", "me equivoqué, eran 12", "21,00 EUR"),
        ("Vuelo a Málaga el sábado a las 6:50", "quise decir Valencia", "«Málaga»"),
    ],
)  # fmt: skip
def test_a_correction_changes_the_entry_that_was_told_last(told: str, said: str, expected: str):
    talks = Talks()
    talks.say(told)
    answered = talks.say(said)
    assert expected in answered.text
    assert not answered.records


@pytest.mark.parametrize(
    "said", ["it was great", "no milk left", "Sorry, I'm late tomorrow", "das war lecker"]
)
def test_what_only_sounds_like_a_correction_changes_nothing(said: str):
    talks = Talks()
    talks.say(APPOINTMENT)
    assert "Changed" not in talks.say(said).text


def test_of_two_numbers_neither_is_taken_for_the_right_one():
    talks = Talks()
    talks.say("taxi 19 euros")
    assert talks.say("perdona 91 no, 16").text.startswith(("Está anotado: 19,00 EUR", "Noted is: 19.00 EUR"))


def test_a_weekday_that_is_today_is_the_next_one_of_what_is_to_come():
    talks = Talks()
    talks.say("The plumber comes on Monday at 14:00")
    assert "29 November 2026 at 14:00" in talks.say("sorry, Sunday").text


def test_after_a_question_the_entry_is_asked_for_before_it_is_changed():
    talks = Talks()
    for text in ("Spent 60 EUR at Lidl", "How much did I spend this month?"):
        talks.say(text)
    assert talks.say("oops 66").text.startswith("Do you mean 60.00 EUR")


@pytest.mark.parametrize(
    "run", ["no ", "not ", "no, ", "9", "a", "=", "*", "oops, ", "it was ", " ", "nicht "]
)
def test_a_hostile_text_is_read_in_no_time(run: str):
    texts = (run * (60_000 // len(run)), (run * 60)[:119])
    assert costs_less_than(0.5, lambda: [amend_in(text, fold) for text in texts])


def test_a_text_of_any_words_of_corrections_is_read_in_no_time():
    random.seed(4)
    words = (
        "no",
        "not",
        "it was",
        "nicht",
        "das war",
        "pas",
        "c'est",
        "oops",
        "make it",
        ",",
        "statt",
        "sondern",
        "9",
    )
    texts = [" ".join(random.choices(words, k=14))[:119] for _ in range(300)]
    assert costs_less_than(2, lambda: [amend_in(text, fold) for text in texts])


def test_an_entry_is_found_by_the_beginning_of_its_compound():
    talks = Talks()
    talks.say("Zahnarzttermin am Donnerstag um 14 Uhr")
    assert "Freitag, 27. November 2026 um 14:00" in talks.say("Verschiebe den Zahnarzt auf Freitag").text
