"""Appointments of invitations in the household's calendar: at the very moment, once, and over nothing (ADR 0105)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler_contracts.calendar import CREATE_TOOL, CalendarEvent
from butler_contracts.errors import ValidationFailed
from tests.integration.specialist.household import Place, envelope, request_context
from tests.integration.specialist.mailbox import DAY, SPEC, Mailbox, at, standing, when
from tests.support.calendar_port import MemoryCalendar
from tests.support.invitations import calendar, event

pytestmark = pytest.mark.parametrize("place", ["general"], indirect=True)


async def test_what_another_program_has_there_under_the_same_id_is_no_conflict_and_booked_once(
    place: Place, port: MemoryCalendar
) -> None:
    uid = "dentist@example.org"
    port.there[uid] = CalendarEvent(event_id=uid, title="Dentist", start=at(10), end=at(11))
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        assert (await mailbox.gets(calendar(*event(*when(10))))).endswith("It is in the calendar already.")
        told = await mailbox.gets(calendar(*event(*when(15), sequence=1)))
        assert "Another program has it in the calendar, on " in told
        assert told.endswith("that is left as it is.")
        off = await mailbox.gets(calendar(*event(*when(15), sequence=2), method="CANCEL"))
        assert "no longer in the calendar" not in off
    assert (list(port.there), [one for one in port.writes if one.startswith("create")]) == ([uid], [])


async def test_an_invitation_over_an_event_is_noted_not_booked_and_free_times_are_said(
    place: Place, port: MemoryCalendar
) -> None:
    port.there["theirs"] = CalendarEvent(
        event_id="theirs", title="Parents' evening", start=at(10), end=at(11)
    )
    async with place.specialist(spec=SPEC) as client:
        told = await Mailbox(place, client).gets(calendar(*event(*when(10, minutes=60))))
    assert "It is not in the calendar, for then there is “Parents' evening” (10:00–11:00)." in told
    assert "Free instead: 11:00, 09:00 and 11:30." in told
    assert (len(await place.records()), list(port.there)) == (1, ["theirs"])


async def test_of_a_series_one_time_is_noted_and_its_rule_is_said(place: Place, port: MemoryCalendar) -> None:
    code = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")[DAY.weekday()]
    weekly = (f"RRULE:FREQ=WEEKLY;BYDAY={code}",)
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        told = await mailbox.gets(calendar(*event(*when(10), *weekly)))
        assert f"It comes again every {DAY:%A}; only this time is noted." in told
        off = (f"RECURRENCE-ID:{at(10, days=7):%Y%m%dT%H%M%SZ}", *when(10, days=7))
        other = await mailbox.gets(calendar(*event(*off, sequence=1), method="CANCEL"))
        assert "A time of “Dentist” is called off that is not noted here; nothing is changed" in other
        moved = (f"RECURRENCE-ID:{at(10):%Y%m%dT%H%M%SZ}", *when(16))
        assert (await mailbox.gets(calendar(*event(*moved, sequence=1)))).startswith("Moved to ")
        [row] = await standing(place)
        assert f"{row['occurred_at']:%H:%M}" == "16:00"
        this = (f"RECURRENCE-ID:{at(10):%Y%m%dT%H%M%SZ}", *when(16))
        gone = await mailbox.gets(calendar(*event(*this, sequence=2), method="CANCEL"))
    assert "The later times of the series are not noted" in gone
    assert (await standing(place), len(await place.records()), port.there) == ([], 1, {})


async def test_whole_days_are_in_the_calendar_to_their_last_and_in_nobodys_way(
    place: Place, port: MemoryCalendar
) -> None:
    first, after = DAY.date(), DAY.date() + timedelta(days=3)
    days = (
        f"DTSTART;VALUE=DATE:{first:%Y%m%d}",
        f"DTEND;VALUE=DATE:{after:%Y%m%d}",
        "SUMMARY:Grandma visits",
    )
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        await mailbox.gets(calendar(*event(*days)))
        asked = request_context(received_at=datetime.now(UTC).isoformat())
        document = envelope(
            f"What is on {DAY + timedelta(days=1):%Y-%m-%d}?", butler="general", context=asked
        )
        await client.done(document)
    assert "Grandma visits" in str(place.switchboard.notifies[-1].delivery.message)
    [booked] = port.there.values()
    assert (booked.first_day, booked.last_day, booked.busy) == (first, after - timedelta(days=1), False)
    [row] = await place.records()
    assert row["details"]["until"] == (after - timedelta(days=1)).isoformat()


async def test_a_messenger_of_the_release_before_is_waited_for(place: Place, port: MemoryCalendar) -> None:
    async def before(tool: str, args: Mapping[str, Any]) -> None:
        if tool == CREATE_TOOL and "uid" in args:
            raise ValidationFailed("calendar_create: uid: is not a known field; expected no such field")

    place.switchboard.gate = before
    async with place.specialist(spec=SPEC) as client:
        told = await Mailbox(place, client).gets(calendar(*event(*when(10))))
    assert told.endswith("The calendar cannot be reached now; it goes in as soon as it can be.")
    assert await place.pool.fetchval("SELECT state FROM bookings") == "due"


async def test_what_was_over_before_it_was_read_is_noted_and_in_no_calendar(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        told = await mailbox.gets(calendar(*event(*when(10, days=-60))))
        begun = (DAY - timedelta(days=21)).date()
        away = (f"DTSTART;VALUE=DATE:{begun:%Y%m%d}", "DURATION:P4D", "SUMMARY:Away")
        await mailbox.gets(calendar(*event(*away, uid="away@example.org")))
    assert told.startswith("Noted for ")
    assert "calendar" not in told
    assert len(await place.records()) == 2
    assert [one.title for one in port.there.values()] == ["Away"]


async def test_an_hour_that_the_clock_shows_twice_is_booked_when_it_is(
    place: Place, port: MemoryCalendar
) -> None:
    """On 25 October 2037 half past two comes twice in Berlin; 01:30 UTC is the second time."""
    second = calendar(*event("DTSTART:20371025T013000Z", "DURATION:PT30M", "SUMMARY:Night shift"))
    async with place.specialist(spec=SPEC) as client:
        await Mailbox(place, client).gets(second)
    [booked] = port.there.values()
    assert booked.start == datetime(2037, 10, 25, 1, 30, tzinfo=UTC)
