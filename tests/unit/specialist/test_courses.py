# ruff: noqa: E501 - sentences stay on one line
"""At what hours a medicine is taken: as it is told, as it is kept, and the moments that it comes to."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.quiet_hours import QuietHours
from butler_specialist.remind.clock import Clock
from butler_specialist.store.model import Record
from butler_specialist.understanding.course_ends import ended_in
from butler_specialist.understanding.courses import course_in
from butler_specialist.upcoming.occasions import Occasion, Window, occasions, topic_of_key

BERLIN = ZoneInfo("Europe/Berlin")
SUNDAY = datetime(2026, 11, 22, 12, 1, tzinfo=BERLIN)
WINDOW = Window(date(2026, 11, 22), date(2026, 11, 23))
TOLD = [
    ("Leo takes 5 ml Amoxicillin every 8 hours for 7 days", "FREQ=HOURLY;INTERVAL=8", "", "2026-11-29T12:01"),
    ("I take metformin at 8 and 20", "FREQ=DAILY", "08:00 20:00", None),
    ("I take ibuprofen 400 mg at 9 and 3 and 9", "FREQ=DAILY", "09:00 15:00 21:00", None),
    ("metformin at 8:30 and 20:00 every day", "FREQ=DAILY", "08:30 20:00", None),
    ("Ibuprofen 400 morgens und abends", "FREQ=DAILY", "08:00 20:00", None),
    ("Ich nehme Ramipril 5 mg jeden Morgen", "FREQ=DAILY", "09:00", None),
    ("Ibuprofen 400 mg morgens und abends für 5 Tage", "FREQ=DAILY", "08:00 20:00", "2026-11-27T12:01"),
    ("Ich nehme Metformin um 8 und um 20 Uhr", "FREQ=DAILY", "08:00 20:00", None),
    ("Léo prend 5 ml d'amoxicilline toutes les 8 heures pendant 7 jours", "FREQ=HOURLY;INTERVAL=8", "", "2026-11-29T12:01"),
    ("Je prends de la metformine à 8h et 20h", "FREQ=DAILY", "08:00 20:00", None),
    ("Leo toma 5 ml de amoxicilina cada 8 horas durante 7 días", "FREQ=HOURLY;INTERVAL=8", "", "2026-11-29T12:01"),
    ("Tomo metformina a las 8 y a las 20", "FREQ=DAILY", "08:00 20:00", None),
    ("Amoxicillin 500 mg three times a day for 10 days", "FREQ=DAILY", "08:00 14:00 20:00", "2026-12-02T12:01"),
    ("Ramipril 5 mg 2x täglich um 7 und 19 Uhr", "FREQ=DAILY", "07:00 19:00", None),
    ("methotrexate 10 mg every Monday at 8 pm", "FREQ=WEEKLY;BYDAY=MO", "20:00", None),
    ("I take aspirin every other day at noon", "FREQ=DAILY;INTERVAL=2", "12:00", None),
    ("I take magnesium 300 mg before bed", "FREQ=DAILY", "22:00", None),
    ("5 mg ramipril every morning until Friday", "FREQ=DAILY", "09:00", "2026-11-28T00:00"),
    ("give Max 3 times a day 5 ml amoxicillin", "FREQ=DAILY", "08:00 14:00 20:00", None),
]  # fmt: skip
NONE = """\
took ibuprofen 400 mg at 8
Leo had 5 ml ibuprofen at 8 and at 14
gave Leo 5 ml every 6 hours yesterday
Ich habe um 8 und um 20 Uhr Ibuprofen genommen
Ramipril 5 mg täglich
methotrexate 10 mg once a week
Never take aspirin 500 mg twice a day
don't take ibuprofen 400 mg at 8 and 20
I used to take metformin at 8 and 20
I was on ramipril 5 mg twice a day until March
should I take ibuprofen 400 mg at 8 and 20?
Soll ich Ramipril 5 mg zweimal täglich nehmen
Früher war ich auf Metformin um 8 und um 20 Uhr
nicht mehr als 400 mg Ibuprofen dreimal täglich
ne prends pas d'ibuprofène 400 matin et soir
Je prenais de la metformine à 8h et 20h
no tome ibuprofeno 400 mg tres veces al día
Antes tomaba metformina a las 8 y a las 20
ibuprofen 400 mg as needed
ibuprofen 400 mg as needed, max 3 times a day
ibuprofen 400 up to three times a day
ibuprofen 400 mg 3 times a day if needed
Paracetamol 500 bei Bedarf bis zu dreimal täglich
Paracetamol 500 höchstens dreimal täglich
Paracetamol 500 3x täglich bei Bedarf
ibuprofène 400 si besoin, 3 fois par jour max
ibuprofène 400 3 fois par jour au maximum
ibuprofeno 400 si es necesario, hasta 3 veces al día
Ibuprofen 400 mg"""
ENDS = """\
Leo is done with the antibiotics
I no longer take metformin
Leo has finished his medicine
I don't take metformin any more
The antibiotics are finished
Leo hat das Antibiotikum abgesetzt
Ich nehme kein Metformin mehr
Mit den Tabletten bin ich durch
j'ai arrêté la metformine
Je ne prends plus de metformine
ya no tomo metformina
He terminado con el antibiótico"""


def record(text: str, seq: int = 1, now: datetime = SUNDAY, **said: Any) -> Record:
    course = course_in(text, now)
    assert course is not None
    base: dict[str, Any] = {
        "kind": "medication",
        "occurred_on": now.date(),
        "text": text,
        "title": "metformin",
    }
    who: dict[str, Any] = {"channel": "telegram", "sender": "1001", "contact_id": UUID(int=1)}
    return Record(
        **base
        | who
        | {"record_id": uuid5(UUID(int=9), str(seq)), "seq": seq, "details": course.details}
        | said
    )


def coming(*rows: Record, zone: ZoneInfo = BERLIN) -> list[Occasion]:
    return occasions("tablets", rows, WINDOW, lambda _: Clock(zone, QuietHours(time(22), time(7))))


def walls(one: Occasion, now: datetime, most: int, zone: ZoneInfo = BERLIN) -> list[str]:
    found: list[str] = []
    after = now.astimezone(UTC)
    while len(found) < most and (moment := one.next_moment(after)) is not None:
        found.append(f"{moment.astimezone(zone):%m-%d %H:%M}")
        after = moment
    return found


@pytest.mark.parametrize(("text", "rule", "hours", "ends"), TOLD)
def test_the_hours_the_days_and_the_end_are_those_that_were_told(
    text: str, rule: str, hours: str, ends: str | None
) -> None:
    course = course_in(text, SUNDAY)
    assert course is not None
    details = course.details
    assert (details["rule"], details["hours"], details.get("ends")) == (rule, hours, ends)
    assert course.assumed == ("times a day" in text)


@pytest.mark.parametrize("text", NONE.splitlines())
def test_what_was_taken_or_has_no_hour_is_no_course(text: str) -> None:
    assert course_in(text, SUNDAY) is None


@pytest.mark.parametrize("text", ENDS.splitlines())
def test_that_a_medicine_is_no_longer_taken_is_understood(text: str) -> None:
    assert ended_in(text)


@pytest.mark.parametrize(
    "text", ["I take metformin at 8", "Is Leo done with the antibiotics?", "Leo has a fever"]
)
def test_anything_else_ends_nothing(text: str) -> None:
    assert not ended_in(text)


def test_every_eight_hours_are_elapsed_ones_from_when_it_was_told_to_the_end() -> None:
    [one] = coming(record("Leo takes 5 ml Amoxicillin every 8 hours for 1 day"))
    assert walls(one, SUNDAY, 9) == ["11-22 20:01", "11-23 04:01"]
    assert one.can_wait
    assert topic_of_key(one.key) == "tablets"


def test_in_another_zone_what_elapses_stays_where_it_was_and_what_has_hours_has_them_there() -> None:
    there = ZoneInfo("America/New_York")
    row = record("Leo takes 5 ml Amoxicillin every 8 hours for 1 day")
    [here], [abroad] = coming(row), coming(row, zone=there)
    assert walls(abroad, SUNDAY, 9) == walls(here, SUNDAY, 9)
    assert (abroad.key, abroad.reminder_id) == (here.key, here.reminder_id)
    [named] = coming(record("I take metformin at 6 and 22"), zone=there)
    assert walls(named, SUNDAY, 2, there) == ["11-22 22:00", "11-23 06:00"]


def test_hours_that_were_named_ring_in_quiet_hours_too_and_those_of_ours_do_not() -> None:
    [named] = coming(record("I take metformin at 6 and 22"))
    assert not named.can_wait
    [ours] = coming(record("metformin 500 mg twice a day"))
    assert ours.can_wait


def test_a_week_has_its_doses_and_no_more() -> None:
    [one] = coming(record("Ibuprofen 400 mg morgens und abends für 2 Tage"))
    assert walls(one, SUNDAY, 9) == ["11-22 20:00", "11-23 08:00", "11-23 20:00", "11-24 08:00"]


def test_what_is_told_again_takes_the_place_of_what_was_told_and_what_is_over_does_not_come_up() -> None:
    first, again = record("I take metformin at 8 and 20"), record("I take metformin at 9 and 21", 2)
    [one] = coming(first, again)
    assert one.record.seq == 2
    assert coming(first, replace(again, done_on=SUNDAY.date())) == []
    others = record("I take metformin at 7 and 19", 3, party="Leo")
    assert {one.record.seq for one in coming(first, again, others)} == {2, 3}


def test_hours_of_two_minutes_are_two_reminders() -> None:
    assert len(coming(record("metformin at 8:30 and 20:00 every day"))) == 2


@given(
    zone=st.sampled_from(["Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"]),
    day=st.dates(date(2024, 1, 1), date(2032, 12, 31)),
    hours=st.lists(st.integers(4, 23), min_size=2, max_size=4, unique=True),
)  # fmt: skip
def test_it_rings_at_the_wall_clock_hours_of_every_day_over_every_change_of_clocks(
    zone: str, day: date, hours: list[int]
) -> None:
    place = ZoneInfo(zone)
    now = datetime.combine(day, time(12, 1), place)
    said = ", ".join(f"{hour:02}:00" for hour in sorted(hours))
    [one] = coming(record(f"I take metformin every day at {said}", now=now), zone=place)
    expected = sorted(hours)
    after, seen = now.astimezone(UTC), list[datetime]()
    while len(seen) < 3 * len(expected):
        moment = one.next_moment(after)
        assert moment is not None
        seen.append(moment.astimezone(place))
        after = moment
    assert all(at.minute == 0 and at.hour in expected for at in seen)
    days = {at.date() for at in seen} - {seen[0].date(), seen[-1].date()}
    assert all(sorted(at.hour for at in seen if at.date() == one_day) == expected for one_day in days)
    assert seen[-1] - seen[0] < timedelta(days=4)
