"""What holds for a calendar at whichever provider (MSR-01.2)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import UUID

from butler_contracts.calendar import CalendarEvent
from butler_kit.calendar.port import CalendarPort, Span

EVENT_ID = str(UUID("6f1d1a52-0000-4000-8000-00000000000a"))
OTHER_ID = str(UUID("6f1d1a52-0000-4000-8000-00000000000b"))
DECEMBER = Span(datetime(2026, 12, 1, tzinfo=UTC), datetime(2026, 12, 31, tzinfo=UTC))


def dentist(
    hour: int = 9, event_id: str = EVENT_ID, title: str = "Dentist; Dr. Wu, Hauptstraße"
) -> CalendarEvent:
    return CalendarEvent(
        event_id=event_id,
        title=title,
        start=datetime(2026, 12, 8, hour, tzinfo=UTC),
        end=datetime(2026, 12, 8, hour + 1, tzinfo=UTC),
        place="Marktplatz 1",
    )


async def test_what_was_created_is_listed_and_found_as_it_was_said(calendar: CalendarPort) -> None:
    assert await calendar.find(EVENT_ID) is None
    assert await calendar.create(dentist()) == dentist()
    assert list(await calendar.events(DECEMBER)) == [dentist()]
    assert await calendar.find(EVENT_ID) == dentist()


async def test_the_same_id_twice_is_one_event_which_stays_as_it_is(calendar: CalendarPort) -> None:
    await calendar.create(dentist(9))
    assert await calendar.create(dentist(15)) == dentist(9)
    assert list(await calendar.events(DECEMBER)) == [dentist(9)]


async def test_a_moved_event_is_at_its_new_time_alone_with_its_new_words(calendar: CalendarPort) -> None:
    await calendar.create(dentist(9))
    moved = dentist(14, title="Dentist, again")
    assert await calendar.move(moved) == moved
    assert list(await calendar.events(DECEMBER)) == [moved]


async def test_an_event_with_hours_becomes_one_of_a_whole_day_and_back(calendar: CalendarPort) -> None:
    await calendar.create(dentist(9))
    day = CalendarEvent(
        event_id=EVENT_ID,
        title="Dentist",
        first_day=date(2026, 12, 9),
        last_day=date(2026, 12, 9),
        busy=False,
    )
    await calendar.move(day)
    found = await calendar.find(EVENT_ID)
    assert found is not None
    assert (found.first_day, found.last_day, found.busy, found.start) == (
        date(2026, 12, 9), date(2026, 12, 9), False, None,
    )  # fmt: skip
    await calendar.move(dentist(10))
    assert await calendar.find(EVENT_ID) == dentist(10)


async def test_what_is_not_there_is_neither_moved_nor_deleted(calendar: CalendarPort) -> None:
    assert await calendar.move(dentist()) is None
    assert await calendar.delete(EVENT_ID) is False


async def test_a_deleted_event_is_gone_deleted_once_and_can_be_made_again(calendar: CalendarPort) -> None:
    await calendar.create(dentist(9))
    await calendar.create(dentist(11, OTHER_ID))
    assert await calendar.delete(EVENT_ID) is True
    assert await calendar.delete(EVENT_ID) is False
    assert await calendar.find(EVENT_ID) is None
    assert await calendar.move(dentist(12)) is None
    assert list(await calendar.events(DECEMBER)) == [dentist(11, OTHER_ID)]
    assert await calendar.create(dentist(15)) == dentist(15)
    assert await calendar.find(EVENT_ID) == dentist(15)


async def test_an_id_that_no_other_program_gave_finds_nothing(calendar: CalendarPort) -> None:
    await calendar.create(dentist())
    for uid in ("dentist@example.org", "</C:text-match>&", '"%'):
        assert await calendar.by_uid(uid, DECEMBER) is None


async def test_only_what_is_in_the_period_is_listed(calendar: CalendarPort) -> None:
    await calendar.create(dentist(9))
    await calendar.create(dentist(11, OTHER_ID))
    until_ten = Span(datetime(2026, 12, 8, tzinfo=UTC), datetime(2026, 12, 8, 11, tzinfo=UTC))
    assert list(await calendar.events(until_ten)) == [dentist(9)]
