"""A calendar at a real CalDAV server: what people's own programs wrote, and the bad days (RFC 4791, RFC 5545)."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_kit.calendar.conflicts import in_the_way
from butler_kit.calendar.port import Span
from tests.integration.kit.calendar.conftest import BERLIN, caldav_of
from tests.integration.kit.calendar.test_port import DECEMBER, EVENT_ID, dentist
from tests.support.loopback import free_port
from tests.support.radicale import NEEDS_RADICALE, Radicale, radicale

pytestmark = NEEDS_RADICALE

OCTOBER = Span(datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC))
_ZONE = "TZID=Europe/Berlin"


async def test_a_recurring_event_is_there_each_time_at_its_hour_by_the_clock_on_the_wall(
    dav: Radicale,
) -> None:
    await dav.put(
        "choir",
        f"DTSTART;{_ZONE}:20261012T180000",
        f"DTEND;{_ZONE}:20261012T193000",
        "RRULE:FREQ=WEEKLY;COUNT=4",
        f"EXDATE;{_ZONE}:20261019T180000",
        "SUMMARY:Choir",
    )
    calendar = caldav_of(dav.url)
    found = sorted(event.start for event in await calendar.events(OCTOBER) if event.start)
    await calendar.aclose()
    # The clocks go back on 25 October: 18:00 is 16:00 UTC before and 17:00 UTC after.
    assert found == [datetime(2026, 10, 12, 16, tzinfo=UTC), datetime(2026, 10, 26, 17, tzinfo=UTC)]


async def test_a_birthday_every_year_is_a_whole_day_in_this_one(dav: Radicale) -> None:
    await dav.put(
        "birthday",
        "DTSTART;VALUE=DATE:20101210",
        "DTEND;VALUE=DATE:20101211",
        "RRULE:FREQ=YEARLY",
        "TRANSP:TRANSPARENT",
        "SUMMARY:Leo's birthday",
    )
    calendar = caldav_of(dav.url)
    (found,) = await calendar.events(DECEMBER)
    await calendar.aclose()
    assert (found.title, found.first_day, found.last_day, found.busy) == (
        "Leo's birthday", date(2026, 12, 10), date(2026, 12, 10), False,
    )  # fmt: skip


async def test_a_cancelled_event_is_none_and_one_without_an_end_has_its_duration(dav: Radicale) -> None:
    await dav.put("off", "DTSTART:20261208T090000Z", "STATUS:CANCELLED", "SUMMARY:Off")
    await dav.put("call", "DTSTART:20261208T100000Z", "DURATION:PT45M", "SUMMARY:Call")
    calendar = caldav_of(dav.url)
    (found,) = await calendar.events(DECEMBER)
    await calendar.aclose()
    assert found.end == datetime(2026, 12, 8, 10, 45, tzinfo=UTC)


async def test_an_hour_without_a_zone_is_the_households(dav: Radicale) -> None:
    await dav.put("float", "DTSTART:20261208T090000", "DTEND:20261208T100000", "SUMMARY:Somewhere")
    calendar = caldav_of(dav.url)
    (found,) = await calendar.events(DECEMBER)
    await calendar.aclose()
    assert found.start == datetime(2026, 12, 8, 8, tzinfo=UTC)


async def test_a_recurring_event_is_in_the_way_on_its_day(dav: Radicale) -> None:
    await dav.put(
        "standup",
        f"DTSTART;{_ZONE}:20260105T100000",
        f"DTEND;{_ZONE}:20260105T101500",
        "RRULE:FREQ=WEEKLY;BYDAY=TU",
        "SUMMARY:Stand-up",
    )
    calendar = caldav_of(dav.url)
    wanted = Span(datetime(2026, 12, 8, 9, tzinfo=UTC), datetime(2026, 12, 8, 10, tzinfo=UTC))
    met = in_the_way(wanted, await calendar.events(DECEMBER), BERLIN, but=EVENT_ID)
    await calendar.aclose()
    assert [event.title for event in met] == ["Stand-up"]


async def test_what_its_owner_put_into_an_event_stays_when_it_is_moved(dav: Radicale) -> None:
    calendar = caldav_of(dav.url)
    await calendar.create(dentist(9))
    _, text = await dav.ask("GET", f"{EVENT_ID}.ics")
    noted = text.replace("END:VEVENT", "DESCRIPTION:bring the card\r\nEND:VEVENT")
    await dav.ask("PUT", f"{EVENT_ID}.ics", noted, {"Content-Type": "text/calendar"})
    await calendar.move(dentist(14))
    _, text = await dav.ask("GET", f"{EVENT_ID}.ics")
    await calendar.aclose()
    assert "DESCRIPTION:bring the card" in text
    assert "DTSTART:20261208T140000Z" in text
    assert "SEQUENCE:1" in text


async def test_an_event_of_ours_that_was_called_off_is_restored_where_it_is_booked_again(
    dav: Radicale,
) -> None:
    await dav.put(
        EVENT_ID, "DTSTART:20261207T090000Z", "DURATION:PT1H", "SUMMARY:Dentist", "STATUS:CANCELLED"
    )
    calendar = caldav_of(dav.url)
    assert await calendar.find(EVENT_ID) is None
    assert await calendar.create(dentist()) == dentist()
    assert await calendar.find(EVENT_ID) == dentist()
    await calendar.aclose()


async def test_a_wrong_password_says_which_secret_to_correct(dav: Radicale) -> None:
    calendar = caldav_of(dav.url, password="wrong")
    with pytest.raises(TargetUnavailable, match="correct username and the secret of secretRef") as refusal:
        await calendar.events(DECEMBER)
    await calendar.aclose()
    assert "wrong" not in refusal.value.message
    assert refusal.value.retryable


@pytest.mark.parametrize("path", ["household/nowhere/", "household/", ""])
async def test_a_url_that_is_no_calendar_is_named_as_that(dav: Radicale, path: str) -> None:
    calendar = caldav_of(f"{dav.url.removesuffix('household/home/')}{path}")
    with pytest.raises(TargetUnavailable, match="no CalDAV calendar at the url"):
        await calendar.check()
    await calendar.aclose()


async def test_one_time_that_its_owner_moved_is_there_at_its_new_hour_alone(dav: Radicale) -> None:
    await dav.put(
        "choir",
        f"DTSTART;{_ZONE}:20261012T180000",
        f"DTEND;{_ZONE}:20261012T190000",
        "RRULE:FREQ=WEEKLY;UNTIL=20261027T000000Z",
        "SUMMARY:Choir",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "UID:choir",
        "DTSTAMP:20261101T000000Z",
        "RECURRENCE-ID:20261019T160000Z",
        f"DTSTART;{_ZONE}:20261020T200000",
        f"DTEND;{_ZONE}:20261020T210000",
        "SUMMARY:Late choir",
    )
    calendar = caldav_of(dav.url)
    found = sorted((event.start, event.title) for event in await calendar.events(OCTOBER) if event.start)
    await calendar.aclose()
    assert found == [
        (datetime(2026, 10, 12, 16, tzinfo=UTC), "Choir"),
        (datetime(2026, 10, 20, 18, tzinfo=UTC), "Late choir"),
        (datetime(2026, 10, 26, 17, tzinfo=UTC), "Choir"),
    ]


async def test_a_server_that_comes_back_is_used_again(tmp_path: Path) -> None:
    port = free_port()
    async with radicale(tmp_path, port=port) as server:
        calendar = caldav_of(server.url)
        await calendar.create(dentist())
    with pytest.raises(TargetUnavailable, match="cannot be reached"):
        await calendar.events(DECEMBER)
    async with radicale(tmp_path, port=port):
        assert list(await calendar.events(DECEMBER)) == [dentist()]
    await calendar.aclose()


async def test_an_event_of_an_invitation_is_found_by_its_id_wherever_it_stands(dav: Radicale) -> None:
    when = (f"DTSTART;{_ZONE}:20260105T100000", "DURATION:PT1H", "SUMMARY:Choir")
    await dav.put("choir-and-more", *when, "RRULE:FREQ=DAILY")
    await dav.put("choir", *when, "RRULE:FREQ=WEEKLY;BYDAY=MO")
    await dav.put("moved", f"DTSTART;{_ZONE}:20270105T100000", "DURATION:PT1H", "SUMMARY:Dentist")
    await dav.put("off", *when, "STATUS:CANCELLED")
    calendar = caldav_of(dav.url)
    choir, moved = await calendar.by_uid("choir", DECEMBER), await calendar.by_uid("moved", DECEMBER)
    off = await calendar.by_uid("off", DECEMBER)
    await calendar.aclose()
    assert choir is not None
    assert (choir.event_id, choir.start) == ("choir", datetime(2026, 12, 7, 9, tzinfo=UTC))
    assert moved is not None
    assert moved.start == datetime(2027, 1, 5, 9, tzinfo=UTC)
    assert off is None
