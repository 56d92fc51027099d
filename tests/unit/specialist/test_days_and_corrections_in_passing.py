"""Days, hours and corrections as they are said in passing, and what a message that goes on comes to."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from butler_kit.wording.amends import amend_in
from butler_kit.wording.folding import fold
from butler_specialist.understanding.clauses import clauses
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.money import currency_in
from butler_specialist.understanding.times import find_times
from tests.support.talks import Talks

TODAY = date(2027, 2, 9)
"""A Tuesday."""
NOW = datetime(2027, 2, 9, 19, 0, tzinfo=ZoneInfo("Europe/Brussels"))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("parents evening next wednesday", date(2027, 2, 17)),
        ("nächsten Mittwoch", date(2027, 2, 17)),
        ("mercredi prochain", date(2027, 2, 17)),
        ("next tuesday", date(2027, 2, 16)),
        ("next friday", date(2027, 2, 12)),
        ("next monday", date(2027, 2, 15)),
        ("on the last Friday of this month", date(2027, 2, 26)),
        ("erster Montag im März", date(2027, 3, 1)),
        ("le dernier vendredi du mois", date(2027, 2, 26)),
        ("el primer lunes de marzo", date(2027, 3, 1)),
        ("second tuesday of next month", date(2027, 3, 9)),
        ("kita hat am 19. zu", date(2027, 2, 19)),
    ],
)
def test_a_day_is_the_one_that_a_person_means(text: str, day: date):
    assert [found.day for found in find_days(text, TODAY)] == [day]


def test_said_on_a_sunday_next_monday_is_tomorrow():
    assert [day.day for day in find_days("next monday", date(2027, 2, 14))] == [date(2027, 2, 15)]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Bridge at the Parkers' on Sunday at three", time(15)),
        ("partido el sábado a las seis", time(18)),
        ("morgen um drei elternabend", time(15)),
        ("dreiviertel fünf beim Fußpfleger", time(16, 45)),
        ("parents' evening next tuesday 6.30 at St Mary's", time(18, 30)),
        ("dentist tomorrow 9.15", time(9, 15)),
    ],
)
def test_an_hour_is_of_the_half_of_the_day_in_which_such_a_thing_is(text: str, at: time):
    assert [found.at for found in find_times(text)] == [at]


@pytest.mark.parametrize("text", ["um drei Tage verschoben", "lidl friday 6.30 for cheese", "woke up at 3"])
def test_what_is_no_hour_or_of_either_half_stays_none(text: str):
    assert find_times(text) == ()


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("soz meant 13", "13"),
        ("Verzeihung, Zahlendreher, 24,70 waren es", "24,70"),
        ("perdona, me he colado, eran 50", "50"),
        ("mejor dicho 52", "52"),
        ("und zwar erst um halb zehn", "um halb zehn"),
        ("I beg your pardon, it is on Saturday", "on Saturday"),
    ],
)
def test_an_opener_in_any_of_four_languages_says_that_something_was_wrong(text: str, right: str):
    found = amend_in(text, fold)
    assert found is not None
    assert found.right == right


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("in swiss francs", "CHF"),
        ("pounds, not euros", "GBP"),
        ("€", "EUR"),
        ("the bus", None),
        ("dollars for the bus", None),
    ],
)
def test_a_currency_alone_is_told_from_a_thing(text: str, currency: str | None):
    assert currency_in(text) == currency


@pytest.mark.parametrize(
    ("told", "corrected", "said"),
    [
        ("paid 80 for the hotel deposit", "that was in swiss francs", "80.00 CHF"),
        ("12 for lunch and 7 for the bus", "no wait the bus was 5", "from 7.00 EUR to 5.00 EUR: bus"),
        ("haircut thursday 5pm", "haircut got moved to half 6", "18:30"),
        ("réunion de copro jeudi à 18h", "la réunion est repoussée d'une heure", "19:00"),
        ("dentist on Thursday at 10:00", "the dentist got pushed back half an hour", "10:30"),
        ("choir on Friday at 19:45", "the choir is cancelled", "Deleted: “choir on Friday at 19:45”"),
        ("Samstag 11 Uhr Brunch", "der Brunch fällt flach", "Gelöscht: „Samstag 11 Uhr Brunch“"),
        (
            "45 euros on the electricity",
            "forget the electricity, Ines already put it in",
            "Deleted: 45.00 EUR",
        ),
    ],
)
def test_what_is_put_right_in_passing_is_changed_and_said(told: str, corrected: str, said: str):
    talks = Talks(start=NOW)
    talks.say(told)
    assert said in talks.say(corrected).text


@pytest.mark.parametrize("text", ["the match was cancelled last Sunday", "forget the milk"])
def test_what_fits_no_entry_takes_nothing_back(text: str):
    talks = Talks(start=NOW)
    talks.say("dentist on Thursday at 10:00")
    assert "Deleted" not in talks.say(text).text


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("Habe 19,90 bei dm gelassen, Windeln gehen zur Neige und am Montag um 14 Uhr kommt Leo", 3),
        ("Brot und Käse fehlen, und am Samstag um 14 Uhr ist Elternabend", 2),
        ("paid 20 for petrol and on Monday at 8 the plumber comes", 2),
        ("no milk left and bread", 1),
        ("we paid 20 for lunch and a cake", 1),
    ],
)  # fmt: skip
def test_what_was_paid_what_is_used_up_and_what_comes_are_apart(sentence: str, parts: int):
    assert len(clauses(sentence, TODAY)) == parts


def test_a_question_goes_on_without_its_mark_and_several_are_summed():
    talks = Talks(start=NOW)
    talks.say("30 € Blumen, 12 € Kino")
    assert "30.00" in talks.say("how much for flowers?").text.replace(",", ".")
    assert "12.00" in talks.say("and for the kino").text.replace(",", ".")
    assert "42.00" in talks.say("both together?").text.replace(",", ".")


def test_a_call_is_no_meeting():
    said = Talks(start=NOW).say("Anna called")
    assert "met" not in said.text
    assert "on the phone with Anna" in said.text


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("la matrícula del coche nuevo es 4821 KLM", "dime la matrícula del coche", "4821 KLM"),
        ("The choir rehearsal is on Friday at 19:45", "At what o'clock does the choir meet?", "19:45"),
        ("paid 54 for the phone bill", "how much was the phone bill?", "54.00"),
    ],
)
def test_a_question_in_other_words_finds_what_was_told(told: str, asked: str, answer: str):
    talks = Talks(start=NOW)
    talks.say(told)
    assert answer in talks.say(asked).text


@pytest.mark.parametrize(
    ("told", "corrected", "day"),
    [
        ("ayer 18,20 en la farmacia", "no, fue el viernes", "5 de febrero"),
        ("The boiler was serviced yesterday", "no, it was Friday", "5 February"),
        ("Leo hat gestern gespuckt", "nein, das war am Freitag", "5. Februar"),
        ("hier Leo a vomi", "non, c'était vendredi", "5 février"),
        ("The dentist was yesterday at 10", "no, it was Friday", "5 February"),
        ("Leo threw up yesterday", "no, on Friday", "5 February"),
        ("dentist on Thursday at 10:00", "no, it was Friday", "12 February"),
    ],
)
def test_what_has_been_stays_in_the_past_with_its_right_day(told: str, corrected: str, day: str):
    talks = Talks(start=NOW)
    talks.say(told)
    assert day in talks.say(corrected).text
