"""Hours and weeks as people say them: taken where only one is meant, else left open; in four languages."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.reading import read
from butler_specialist.understanding.times import all_times, find_times, unclear_hour
from tests.support.cost import costs_less_than

TUESDAY = date(2027, 2, 9)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("dentist next thu half past nine", time(9, 30)),
        ("half 9 at the vet", time(9, 30)),
        ("plumber at 3", time(15)),
        ("dinner with the Novaks saturday at eight", time(20)),
        ("dinner 8:30 saturday", time(20, 30)),
        ("lunch at 1", time(13)),
        ("breakfast at 9", time(9)),
        ("zahnarzt übermorgen halb neun", time(8, 30)),
        ("Kino um acht", time(20)),
        ("Elternabend um halb acht", time(19, 30)),
        ("le plombier passe vendredi vers 9h et demie", time(9, 30)),
        ("ciné avec Léa demain soir 8h", time(20)),
        ("dentiste à neuf heures moins le quart", time(8, 45)),
        ("dentista a las nueve y media", time(9, 30)),
        ("cena a las nueve menos cuarto", time(20, 45)),
    ],
)
def test_an_hour_is_of_the_half_of_the_day_in_which_such_a_thing_is(text: str, at: time) -> None:
    assert [moment.at for moment in find_times(text)] == [at]


@pytest.mark.parametrize(
    "text",
    [
        "meeting Tomek on friday at 7",
        "plumber at 7",
        "training at half past six",
        "school concert at half past nine",
        "visit grandpa at the clinic at 9",
        "pasado mañana a las seis tengo fisio",
        "Treffen um halb acht",
        "choir from 7 to 9",
    ],
)
def test_an_hour_that_may_be_either_is_left_open(text: str) -> None:
    assert find_times(text) == ()
    assert unclear_hour(text) is not None


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("parents evening wed from 5 to 6.30", time(17)),
        ("swimming from 3 to 5", time(15)),
        ("open day from 9 to 5", time(9)),
        ("swim 5-6pm", time(17)),
        ("11-1pm at the club", time(11)),
        ("Training von 18 bis 19:30 Uhr", time(18)),
        ("der klempner kommt donnerstag zwischen 8 und 10", time(8)),
        ("de 14h à 16h", time(14)),
        ("reunión del cole el lunes de 5 a 6 y media", time(17)),
    ],
)
def test_from_when_to_when_is_one_time_that_begins_with_the_first(text: str, at: time) -> None:
    assert [moment.at for moment in all_times(text)] == [at]


@pytest.mark.parametrize(
    "text",
    ["move the dentist from 3 to 5", "between 5 and 10 people", "costs from 5 to 10 euros", "12-15 may"],
)
def test_two_numbers_that_are_no_hours_are_no_time(text: str) -> None:
    assert find_times(text) == ()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("rdv jeudi en huit", date(2027, 2, 18)),
        ("rdv jeudi en quinze à 10h15", date(2027, 2, 25)),
        ("dentist Friday week", date(2027, 2, 19)),
        ("a week on Friday", date(2027, 2, 19)),
        ("In drei Wochen am Montag ist Elternabend", date(2027, 3, 1)),
        ("Freitag in 14 Tagen", date(2027, 2, 26)),
        ("el lunes en dos semanas", date(2027, 3, 1)),
        ("dans deux semaines le lundi", date(2027, 2, 22)),
        ("heut um 9 Uhr", TUESDAY),
        ("parents evening wed from 5 to 6", date(2027, 2, 10)),
    ],
)
def test_a_weekday_of_a_counted_week_is_one_day(text: str, day: date) -> None:
    assert [found.on("future") for found in find_days(text, TUESDAY)] == [day]


@pytest.mark.parametrize(
    "text",
    ["8h du soir " * 5_000, "from 5 to " * 6_000, "half past " * 6_000, "a las " * 10_000, "5-6 " * 15_000],
)
def test_hours_of_a_hostile_text_are_read_in_time(text: str) -> None:
    assert costs_less_than(2, lambda: all_times(text))


@pytest.mark.parametrize(
    "text", ["monday in " * 6_000, "=" * 60_000, "a week on " * 6_000, "in 2 weeks " * 5_000]
)
def test_days_of_a_hostile_text_are_read_in_time(text: str) -> None:
    assert costs_less_than(2, lambda: find_days(text, TUESDAY))


def test_what_is_moved_to_the_weekday_of_today_is_on_the_next() -> None:
    reading = read("They've moved my physio to Tuesday", datetime(2027, 2, 9, 19, tzinfo=UTC))
    assert reading.when(reading.sentences[0], "future").day == date(2027, 2, 16)
