"""What the calendar is asked of an appointment (SWB-24.2, docs/adr/0098)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.calendar import CalendarCreate, CalendarEvent
from butler_contracts.errors import ValidationFailed
from butler_specialist.booking.plan import again_in_s, differs, moved, wish_of
from butler_specialist.store.model import Record
from butler_specialist.store.visibility import Policy

BERLIN = ZoneInfo("Europe/Berlin")
ID = uuid5(NAMESPACE_URL, "dentist")
DAY = date(2026, 12, 1)


def record(text: str = "Dentist on Tuesday", at: time | None = time(10), **more: Any) -> Record:
    values: dict[str, Any] = {"kind": "appointment", "occurred_on": DAY, "text": text, "occurred_at": at}
    return Record(**{**values, "record_id": ID, **more})


def created(given: Record) -> CalendarCreate:
    wish = wish_of(given, BERLIN, minutes=60).create
    assert wish is not None
    return wish


def hours(text: str, at: time = time(10)) -> tuple[str, str]:
    wish = created(record(text, at))
    assert wish.start is not None
    assert wish.end is not None
    return tuple(f"{one.astimezone(BERLIN):%H:%M}" for one in (wish.start, wish.end))  # type: ignore[return-value]


def test_what_its_teller_keeps_private_is_in_no_calendar_that_all_of_the_household_reads() -> None:
    own, shared = record(audience="private"), record(audience="household")
    policy = Policy(private=("appointment",))
    assert wish_of(own, BERLIN, minutes=60).create is None
    assert wish_of(record(), BERLIN, minutes=60, policy=policy).create is None
    assert wish_of(shared, BERLIN, minutes=60, policy=policy).create is not None


def test_an_event_has_its_records_id_and_its_hour_by_the_clock_of_who_told_it() -> None:
    wish = created(record())
    assert (wish.event_id, wish.start) == (ID, datetime(2026, 12, 1, 9, tzinfo=UTC))
    tokyo = wish_of(record(), ZoneInfo("Asia/Tokyo"), minutes=60).create
    assert tokyo is not None
    assert tokyo.start == datetime(2026, 12, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "at", "until"),
    [
        ("Dentist on Tuesday from 10:00 to 11:30", time(10), "11:30"),
        ("Zahnarzt am Dienstag von 10 bis 12 Uhr", time(10), "12:00"),
        ("Choir 5-6.30pm on Tuesday", time(17), "18:30"),
        ("Dentist on Tuesday at 10", time(10), "11:00"),
        # Its hour is another one by now: how long it is, its words do not say of that.
        ("Dentist on Tuesday from 10:00 to 11:30", time(15), "16:00"),
    ],
)
def test_it_is_as_long_as_its_words_say_else_as_long_as_is_usual(text: str, at: time, until: str) -> None:
    assert hours(text, at) == (f"{at:%H:%M}", until)


def test_a_day_without_an_hour_is_that_day() -> None:
    wish = created(record(at=None))
    assert (wish.day, wish.start, wish.end) == (DAY, None, None)


def test_several_days_are_booked_to_their_last_and_too_many_are_refused_and_not_cut_to_one() -> None:
    assert created(record(at=None, details={"until": "2027-01-01"})).last_day == date(2027, 1, 1)
    with pytest.raises(ValidationFailed, match="it lasts longer than 31 days"):
        created(record(at=None, details={"until": "2027-01-02"}))


@pytest.mark.parametrize(
    "change",
    [{"withdrawn": True}, {"kind": "note"}, {"sender_class": "other"}],
    ids=lambda one: next(iter(one)),
)
def test_what_is_no_appointment_of_the_households_is_to_be_gone(change: dict[str, Any]) -> None:
    wish = wish_of(record(**change), BERLIN, minutes=60)
    assert wish.create is None
    assert wish.delete.event_id == ID


def test_what_a_person_wrote_is_one_line_and_never_too_long_for_a_calendar() -> None:
    wish = created(record("x" * 5000 + "\n\u202eevil", place="y" * 5000, title=None))
    assert len(wish.title) <= 200
    assert wish.place is not None
    assert len(wish.place) <= 200
    assert created(record(title="Meeting", party="Jonas")).title == "Meeting, Jonas"


def test_a_move_says_all_that_a_wish_says() -> None:
    wish = created(record(place="Marktplatz"))
    told = moved(wish)
    assert (told.event_id, told.title, told.start, told.end, told.place, told.timezone) == (
        wish.event_id, wish.title, wish.start, wish.end, wish.place, "Europe/Berlin",
    )  # fmt: skip


def test_an_event_at_another_time_differs_and_one_at_another_place_does_not() -> None:
    wish = created(record())
    there = CalendarEvent(event_id=str(ID), title="other words", start=wish.start, end=wish.end)
    assert not differs(there, wish)
    assert differs(there.model_copy(update={"start": wish.start + timedelta(hours=1)}), wish)  # type: ignore[operator]
    assert not differs(None, wish)


def test_pauses_grow_to_ten_minutes() -> None:
    assert [again_in_s(tries) for tries in (1, 2, 3, 8, 500)] == [5, 10, 20, 600, 600]
