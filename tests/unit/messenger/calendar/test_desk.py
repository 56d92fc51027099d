"""What Messenger does with the household's calendar: books nothing over, nothing twice, and says how it stands."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from pydantic import ValidationError

from butler_contracts.base import ContractModel
from butler_contracts.calendar import (
    CalendarCreate,
    CalendarDelete,
    CalendarEvent,
    CalendarMove,
    CalendarPeriod,
)
from butler_contracts.errors import TargetUnavailable
from butler_kit.calendar.conflicts import DayHours
from butler_kit.calendar.port import misconfigured, unreachable
from butler_kit.config import CalendarConfig
from butler_kit.time import ManualClock
from butler_messenger.calendar.desk import CalendarDesk
from tests.support.calendar_port import MemoryCalendar

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
ID = UUID("6f1d1a52-0000-5000-8000-00000000000a")
OTHER = UUID("6f1d1a52-0000-5000-8000-00000000000b")
NINE = datetime(2026, 12, 1, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def desk_of(port: MemoryCalendar | None, **more: str) -> CalendarDesk:
    return CalendarDesk(port, CalendarConfig(), DayHours(), ManualClock(NOW), **more)


def wish(start: datetime = NINE, event_id: UUID = ID, title: str = "Dentist") -> CalendarCreate:
    return CalendarCreate(
        event_id=event_id, title=title, start=start, end=start + HOUR, timezone="Europe/Berlin"
    )


def meeting(start: datetime = NINE, **more: bool) -> CalendarEvent:
    return CalendarEvent(event_id="m", title="Parents' evening", start=start, end=start + HOUR, **more)


@pytest.mark.spec("MSR-01.2")
async def test_nothing_is_booked_over_an_event_and_three_free_times_are_proposed() -> None:
    port = MemoryCalendar(meeting())
    answer = await desk_of(port).create(wish())
    assert (answer.status, [one.title for one in answer.conflicts]) == ("conflict", ["Parents' evening"])
    assert [one.start for one in answer.free] == [NINE + HOUR, NINE - HOUR, NINE + HOUR * 1.5]
    assert port.writes == []


async def test_the_same_wish_twice_is_one_event_also_where_the_first_answer_was_lost() -> None:
    port = MemoryCalendar()
    desk = desk_of(port)
    port.lost = unreachable("cut")
    with pytest.raises(TargetUnavailable):
        await desk.create(wish())
    assert (await desk.create(wish())).status == "booked"
    assert (await desk.create(wish(NINE + HOUR))).event == port.there[str(ID)]
    assert port.writes == [f"create {ID}"]


async def test_what_the_household_has_free_is_booked_over() -> None:
    assert (await desk_of(MemoryCalendar(meeting(busy=False))).create(wish())).status == "booked"


async def test_a_day_without_an_hour_takes_nobodys_time_and_meets_nothing() -> None:
    port = MemoryCalendar(meeting())
    day = CalendarCreate(event_id=ID, title="Plumber", day=date(2026, 12, 1))
    answer = await desk_of(port).create(day)
    assert answer.status == "booked"
    assert port.there[str(ID)].busy is False


async def test_two_wishes_at_once_for_one_hour_book_one() -> None:
    port = MemoryCalendar()
    desk = desk_of(port)
    first, second = await asyncio.gather(desk.create(wish()), desk.create(wish(event_id=OTHER)))
    assert sorted((first.status, second.status)) == ["booked", "conflict"]
    assert len(port.there) == 1


async def test_an_event_is_not_in_its_own_way_when_it_is_moved_by_half_an_hour() -> None:
    port = MemoryCalendar()
    desk = desk_of(port)
    await desk.create(wish())
    later = NINE + timedelta(minutes=30)
    answer = await desk.move(CalendarMove(event_id=ID, start=later, end=later + HOUR))
    assert answer.status == "booked"
    assert (port.there[str(ID)].title, port.there[str(ID)].start) == ("Dentist", later)


async def test_nothing_is_moved_over_an_event_and_new_words_alone_meet_nothing() -> None:
    port = MemoryCalendar()
    desk = desk_of(port)
    await desk.create(wish())
    port.there["m"] = meeting(NINE + HOUR)
    move = CalendarMove(event_id=ID, start=NINE + HOUR, end=NINE + 2 * HOUR)
    assert (await desk.move(move)).status == "conflict"
    port.there["n"] = meeting()  # somebody wrote over it by hand
    renamed = CalendarMove(event_id=ID, title="Dr. Wu", start=NINE, end=NINE + HOUR)
    assert (await desk.move(renamed)).status == "booked"
    assert port.there[str(ID)].title == "Dr. Wu"


@pytest.mark.parametrize("wish", [CalendarDelete, CalendarMove])
def test_an_event_that_somebody_elses_program_made_is_none_to_be_changed(wish: type[ContractModel]) -> None:
    times = {} if wish is CalendarDelete else {"start": NINE, "end": NINE + HOUR}
    with pytest.raises(ValidationError, match="UUID of version 4"):
        wish(event_id="6f1d1a52-0000-4000-8000-00000000000a", **times)


async def test_what_is_not_there_is_said_to_be_absent() -> None:
    desk = desk_of(MemoryCalendar())
    move = CalendarMove(event_id=ID, start=NINE, end=NINE + HOUR)
    assert (await desk.move(move)).status == "absent"
    assert (await desk.delete(CalendarDelete(event_id=ID))).status == "absent"


async def test_a_list_is_in_order_and_free_busy_says_no_words() -> None:
    whole = CalendarEvent(event_id="w", title="Leo's birthday", first_day=date(2026, 12, 1), busy=False)
    desk = desk_of(MemoryCalendar(meeting(NINE + 3 * HOUR), whole, meeting(NINE)))
    day = CalendarPeriod(start=datetime(2026, 12, 1, tzinfo=UTC), end=datetime(2026, 12, 2, tzinfo=UTC))
    assert [one.title for one in (await desk.list(day)).events] == ["Leo's birthday", "Parents' evening"]
    told = (await desk.freebusy(day)).to_wire()
    assert told["busy"][0] == {"start": "2026-12-01T09:00:00Z", "end": "2026-12-01T10:00:00Z"}
    assert "evening" not in str(told)


@pytest.mark.spec("MSR-01.2")
async def test_a_calendar_without_a_secret_is_off_in_words_and_nothing_breaks() -> None:
    desk = desk_of(None)
    assert desk.word().to_wire()["state"] == "off"
    assert "spec.modules.calendar" in desk.word().words
    day = CalendarPeriod(start=NINE, end=NINE + HOUR)
    move = CalendarMove(event_id=ID, start=NINE, end=NINE + HOUR)
    assert (await desk.create(wish())).status == (await desk.move(move)).status == "off"
    assert (await desk.delete(CalendarDelete(event_id=ID))).status == "off"
    assert (await desk.list(day)).off
    assert (await desk.freebusy(day)).off
    await desk.run(asyncio.Event())
    assert not desk.is_on


async def test_a_secret_that_cannot_be_right_is_a_state_in_words() -> None:
    desk = desk_of(None, wrong="the calendar's secret has to be …")
    assert (desk.word().state, desk.word().words) == ("amiss", "the calendar's secret has to be …")
    with pytest.raises(TargetUnavailable, match="the calendar's secret"):
        await desk.delete(CalendarDelete(event_id=ID))


async def test_how_it_stands_is_the_word_of_the_last_call_and_heals_by_itself() -> None:
    port = MemoryCalendar()
    desk = desk_of(port)
    assert desk.word().state == "unknown"
    port.fault = unreachable("calendar.example gave no answer in time")
    with pytest.raises(TargetUnavailable):
        await desk.create(wish())
    assert desk.word().state == "amiss"
    assert "no answer in time" in desk.word().words
    port.fault = None
    stopping = asyncio.Event()
    looking = asyncio.create_task(desk.run(stopping))
    while desk.word().state != "well":
        await asyncio.sleep(0)
    stopping.set()
    await looking
    assert desk.word().words == ""


async def test_a_calendar_with_an_event_that_nobody_can_read_is_not_booked_into() -> None:
    port = MemoryCalendar()
    desk = desk_of(port)
    port.fault = misconfigured("the event “x” in the calendar cannot be read; correct or delete it")
    with pytest.raises(TargetUnavailable) as unread:
        await desk.create(wish())
    assert unread.value.retryable, "it is booked as soon as that event is corrected"
    assert "“x”" in desk.word().words
    port.fault = None
    assert port.there == {}
