"""Which day and time a clause means: its own, on the side that its words say. EN, DE, FR, ES."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.understanding.clauses import clauses
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.prose import own_prose
from butler_specialist.understanding.reading import When, read
from butler_specialist.understanding.times import find_times, unclear_hour

SUNDAY = datetime(2026, 11, 22, 10, 0, tzinfo=ZoneInfo("Europe/London"))
TODAY = SUNDAY.date()


def whens(text: str, moment: datetime = SUNDAY) -> list[tuple[date, time | None]]:
    """The day and time of each clause, where the words decide the side."""
    reading = read(text, moment)
    found = [reading.when(sentence, "nearest", usual="nearest") for sentence in reading.sentences]
    return [(when.day, when.at) for when in found]


@pytest.mark.parametrize(
    ("text", "day", "at"),
    [
        ("Dentist appointment for Leo on Thursday at 15:30", 26, time(15, 30)),
        ("Doctor's appointment on Wednesday 10:00", 25, time(10)),
        ("Zahnarzttermin am Donnerstag um 15 Uhr", 26, time(15)),
        ("Rendez-vous chez le dentiste jeudi à 14h05", 26, time(14, 5)),
        ("Cita con el dentista el jueves a las 9", 26, time(9)),
        ("The plumber comes on Friday at 3pm", 27, time(15)),
        ("I called the dentist and the appointment is on Thursday", 26, None),
        ("The meeting was moved to Friday", 27, None),
        ("Vet on Wed at 9am", 25, time(9)),
        ("Clara kommt Freitagabend um 8", 27, time(20)),
        ("next week on Friday we fly", 27, None),
        ("Der Klempner kommt am Freitag um 8.30.", 27, time(8, 30)),
        ("Zahnarzt morgen um 9.10.", 23, time(9, 10)),
        ("The dentist is on Friday at 10.15.", 27, time(10, 15)),
    ],
)
def test_what_is_planned_is_on_the_next_such_day(text: str, day: int, at: time | None) -> None:
    assert whens(text)[-1] == (date(2026, 11, day), at)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("met Jonas on Thursday", 19),
        ("bought a sofa last Friday", 20),
        ("The appointment on Thursday was fine", 19),
        ("We were at the dentist on Wednesday", 18),
        ("Am Donnerstag war ich beim Zahnarzt", 19),
        ("Wir haben am Donnerstag Jonas getroffen", 19),
        ("J'ai vu le médecin jeudi", 19),
        ("El jueves fui al dentista", 19),
        ("Letzte Woche Freitag gab es Streit", 13),
    ],
)
def test_what_has_happened_was_on_the_last_such_day(text: str, day: int) -> None:
    assert whens(text) == [(date(2026, 11, day), None)]


def test_a_weekday_that_is_today_is_the_next_one_when_its_hour_is_over() -> None:
    thursday = datetime(2026, 11, 26, 17, 0, tzinfo=ZoneInfo("Europe/London"))
    assert whens("Dentist appointment on Thursday at 15:30", thursday) == [(date(2026, 12, 3), time(15, 30))]
    assert whens("Dentist appointment on Thursday at 18:30", thursday) == [(date(2026, 11, 26), time(18, 30))]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Sunday, 14 March 2027", date(2027, 3, 14)),
        ("am Donnerstag, den 26.11.2026", date(2026, 11, 26)),
        ("letzte Woche Freitag", date(2026, 11, 13)),
        ("Friday next week", date(2026, 11, 27)),
        ("übernächsten Montag", date(2026, 11, 30)),
        ("the Thursday after next", date(2026, 12, 3)),
        ("on Wed", date(2026, 11, 25)),
        ("el martes", date(2026, 11, 24)),
    ],
)
def test_weekdays_are_read_as_they_are_said(text: str, day: date) -> None:
    assert [found.on("future") for found in find_days(text, TODAY)] == [day]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Der Klempner kommt um 8.30.", []),
        ("Wir essen um 8.10.", []),
        ("The train leaves at 9.10.", []),
        ("Der Baum kommt um den 8.12.", [date(2026, 12, 8)]),
        ("Der Baum kommt gegen 15.12.", [date(2026, 12, 15)]),
        ("Der Baum kommt bis 8.12.", [date(2026, 12, 8)]),
    ],
)
def test_an_hour_before_a_full_stop_is_no_day(text: str, days: list[date]) -> None:
    assert [found.on("future") for found in find_days(text, TODAY)] == days


def test_short_names_of_weekdays_are_not_seen_in_other_words() -> None:
    assert find_days("I sat down in the sun and wed", TODAY) == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Paid 35 for Leo's swimming course, and his swimming lessons start Tuesday at 16:00",
            ("Paid 35 for Leo's swimming course", "his swimming lessons start Tuesday at 16:00"),
        ),
        ("Paid 12 EUR yesterday and 3 EUR today for tea", ("Paid 12 EUR yesterday", "3 EUR today for tea")),
        ("Dentist on Monday and vet on Tuesday", ("Dentist on Monday", "vet on Tuesday")),
        ("Met Jonas today, he's changing jobs", ("Met Jonas today", "he's changing jobs")),
        ("Bezahlt 5 EUR, und wir haben Clara getroffen", ("Bezahlt 5 EUR", "wir haben Clara getroffen")),
        ("Buy dumplings, the thermos, some tea", ("Buy dumplings, the thermos, some tea",)),
        (
            "Dinner with Clara and her husband is on Friday",
            ("Dinner with Clara and her husband is on Friday",),
        ),
        ("The gym was 20 EUR, now it is 25 EUR", ("The gym was 20 EUR, now it is 25 EUR",)),
        ("Thursday, 26 November at 15:30, room 4", ("Thursday, 26 November at 15:30, room 4",)),
    ],
)
def test_a_sentence_falls_into_the_clauses_that_state_something(text: str, parts: tuple[str, ...]) -> None:
    assert clauses(text, TODAY) == parts


def test_a_fact_takes_no_day_from_another_sentence_or_item() -> None:
    mail = (
        "Hello butlers,\n\n1. Paid 22.50 EUR for the taxi\n2. Tom's birthday is on 9 June\n3. Blood pressure 127/80\n"
        "4. Add coffee to the shopping list\n5. Hotel Astoria in Rome, 3-6 May 2027\n\nThanks, Mara"
    )
    reading = read(mail, SUNDAY)
    assert reading.sentences[0].text == "Paid 22.50 EUR for the taxi"
    assert [reading.when(sentence, "past").named for sentence in reading.sentences] == [
        False, True, False, False, True,
    ]  # fmt: skip
    assert reading.when(reading.sentences[2], "past") == When(TODAY)


def test_a_heading_gives_its_day_to_what_follows_and_only_to_that() -> None:
    reading = read("Paid 1 EUR for gum\nYesterday:\n- Paid 12 EUR for lunch\n- 3.50 EUR for coffee", SUNDAY)
    assert [reading.when(sentence, "past").day.day for sentence in reading.sentences] == [22, 21, 21, 21]


def test_a_day_is_passed_on_within_a_sentence_but_not_across_today() -> None:
    reading = read("Yesterday we were at Rewe, and I paid 23 EUR", SUNDAY)
    assert reading.when(reading.sentences[1], "past").day == date(2026, 11, 21)
    reading = read("Yesterday we met Tom; blood pressure 127/80", SUNDAY)
    assert reading.when(reading.sentences[1], "past").day == TODAY
    reading = read("Dentist appointment on Thursday, paid 20 EUR as a deposit", SUNDAY)
    assert reading.when(reading.sentences[1], "past") == When(TODAY)


def test_a_day_that_was_said_before_in_a_statement_of_its_own_dates_nothing() -> None:
    reading = read("Blood pressure 127/80\n\n(Said before in the same message: 9 June)", SUNDAY)
    assert reading.when(reading.sentences[0], "past") == When(TODAY)


def test_items_that_are_numbered_on_one_line_are_sentences() -> None:
    text = "3. Blood pressure 127/80 4. Add coffee to the shopping list 5. Call Tom"
    assert own_prose(text).sentences == (
        "Blood pressure 127/80",
        "Add coffee to the shopping list",
        "Call Tom",
    )
    assert own_prose("Miete am 1. Dezember und am 2. Januar").sentences == (
        "Miete am 1. Dezember und am 2. Januar",
    )


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("at 3pm", time(15)),
        ("um 15 Uhr", time(15)),
        ("à 14h05", time(14, 5)),
        ("a las 9", time(9)),
        ("a las 9 de la noche", time(21)),
        ("at five in the afternoon", time(17)),
        ("halb acht abends", time(19, 30)),
        ("quarter to six tonight", time(17, 45)),
        ("à neuf heures", time(9)),
    ],
)
def test_spoken_times_are_read(text: str, at: time) -> None:
    assert [moment.at for moment in find_times(text)] == [at]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pick up Leo at five", "at five"),
        ("at 5:30 in town", "at 5:30"),
        ("Treffen um 3 Uhr", "3 Uhr"),
        ("half past three", "half past three"),
        ("at 3 o'clock", "3 o'clock"),
        ("a las 3", "a las 3"),
    ],
)
def test_an_hour_of_either_half_of_the_day_is_said_to_be_unclear(text: str, said: str) -> None:
    assert find_times(text) == ()
    assert unclear_hour(text) == said


def test_how_long_somebody_slept_is_no_time_of_day() -> None:
    assert find_times("slept 8h") == ()
