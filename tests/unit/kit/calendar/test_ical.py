"""When the events of a calendar object are (RFC 5545), whatever somebody's program wrote into it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.calendar import CalendarEvent
from butler_contracts.errors import TargetUnavailable
from butler_kit.calendar.ical import UnreadableCalendar, changed, events_in, first_in
from butler_kit.calendar.port import Span

BERLIN = ZoneInfo("Europe/Berlin")
AUTUMN = Span(datetime(2026, 10, 20, tzinfo=UTC), datetime(2026, 11, 4, tzinfo=UTC))


def calendar(*lines: str) -> str:
    return "\r\n".join(
        ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:a", "SUMMARY:A", *lines,
         "END:VEVENT", "END:VCALENDAR", "")
    )  # fmt: skip


def starts(*lines: str, span: Span = AUTUMN) -> list[str]:
    found = events_in(calendar(*lines), span, BERLIN)
    return [
        f"{one.start.astimezone(BERLIN):%d %H:%M}" if one.start else f"{one.first_day:%d}" for one in found
    ]


def test_an_hour_stays_that_hour_when_the_clocks_change() -> None:
    assert starts(
        "DTSTART;TZID=Europe/Berlin:20260106T100000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;BYDAY=TU"
    ) == ["20 10:00", "27 10:00", "03 10:00"]


def test_the_end_of_a_rule_may_be_a_day_or_a_moment() -> None:
    rule = ("DTSTART;TZID=Europe/Berlin:20261020T100000", "DURATION:PT1H")
    assert starts(*rule, "RRULE:FREQ=DAILY;UNTIL=20261021") == ["20 10:00", "21 10:00"]
    assert starts(*rule, "RRULE:FREQ=DAILY;UNTIL=20261021T080000Z") == ["20 10:00", "21 10:00"]
    assert starts(*rule, "RRULE:FREQ=DAILY;UNTIL=20261021T075959Z") == ["20 10:00"]


def test_times_that_were_added_and_left_out_are_so() -> None:
    assert starts(
        "DTSTART:20261020T100000Z",
        "DTEND:20261020T110000Z",
        "RRULE:FREQ=DAILY;COUNT=3",
        "EXDATE:20261021T100000Z",
        "RDATE:20261030T120000Z",
    ) == ["20 12:00", "22 12:00", "30 13:00"]


def test_one_time_that_its_owner_called_off_is_none() -> None:
    assert starts(
        "DTSTART;TZID=Europe/Berlin:20261020T180000",
        "DURATION:PT1H",
        "RRULE:FREQ=WEEKLY;COUNT=3",
        "END:VEVENT",
        "BEGIN:VEVENT",
        "UID:a",
        "RECURRENCE-ID:20261027T170000Z",
        "DTSTART;TZID=Europe/Berlin:20261027T180000",
        "STATUS:CANCELLED",
    ) == ["20 18:00", "03 18:00"]


def at_home(offset: str) -> str:
    """An event at ten by a zone that its own object defines."""
    zone = (
        "BEGIN:VTIMEZONE", "TZID:Home", "BEGIN:STANDARD", "DTSTART:19700101T000000", f"TZOFFSETFROM:{offset}",
        f"TZOFFSETTO:{offset}", "END:STANDARD", "END:VTIMEZONE", "BEGIN:VEVENT",
    )  # fmt: skip
    event = calendar("DTSTART;TZID=Home:20261024T100000", "DURATION:PT1H")
    return event.replace("BEGIN:VEVENT", "\r\n".join(zone), 1)


def test_a_zone_is_what_the_events_own_object_says_whatever_another_calls_by_its_name() -> None:
    east, west, again = (
        [one.start for one in events_in(at_home(offset), AUTUMN, BERLIN)]
        for offset in ("+0100", "-0500", "+0100")
    )
    assert east == again == [datetime(2026, 10, 24, 9, tzinfo=UTC)]
    assert west == [datetime(2026, 10, 24, 15, tzinfo=UTC)]


def test_a_week_away_that_began_before_the_period_is_in_it() -> None:
    (found,) = events_in(calendar("DTSTART;VALUE=DATE:20261015", "DTEND;VALUE=DATE:20261023"), AUTUMN, BERLIN)
    assert (found.first_day, found.last_day) == (date(2026, 10, 15), date(2026, 10, 22))


def test_an_event_that_ends_where_the_period_begins_is_not_in_it() -> None:
    assert starts("DTSTART:20261019T220000Z", "DTEND:20261020T000000Z") == []


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "FREQ=HOURLY",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=NEVER",
        "X",
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused_by_its_events_name(rule: str) -> None:
    with pytest.raises(TargetUnavailable, match="the event “A” in the calendar cannot be read"):
        starts("DTSTART:20100101T100000Z", f"RRULE:{rule}")


def test_a_rule_of_centuries_costs_no_more_than_it_may() -> None:
    with pytest.raises(TargetUnavailable, match="“A”"):
        starts("DTSTART:17000101T100000Z", "RRULE:FREQ=DAILY")


@pytest.mark.parametrize("text", ["", "hello", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n", "\x00"])
def test_what_is_no_calendar_is_said_to_be_none(text: str) -> None:
    with pytest.raises(UnreadableCalendar):
        list(events_in(text, AUTUMN, BERLIN))


@pytest.mark.parametrize("line", ["DTSTART:yesterday", "DTSTART:20261024T100000Z\r\nDURATION:long"])
def test_an_event_that_cannot_be_read_is_named_so_that_nothing_is_booked_over_it(line: str) -> None:
    with pytest.raises(TargetUnavailable, match="“A”"):
        starts(line)


@pytest.mark.parametrize("alarm", ["TRIGGER:soon", "TRIGGER:", "SUMMARY"])
def test_an_alarm_that_cannot_be_read_hides_no_event_and_is_no_fault(alarm: str) -> None:
    ringing = ("BEGIN:VALARM", "ACTION:DISPLAY", alarm, "END:VALARM")
    assert starts(*ringing, "DTSTART:20261024T100000Z", *ringing) == ["24 12:00"]


def test_an_object_that_cannot_be_read_is_named_by_its_event() -> None:
    broken = calendar("DTSTART:20261024T100000Z").replace(
        "VERSION:2.0", "BEGIN:VTODO\r\nDUE:soon\r\nEND:VTODO"
    )
    with pytest.raises(TargetUnavailable, match="the event “A” in the calendar cannot be read"):
        list(events_in(broken, AUTUMN, BERLIN))


def test_an_event_is_as_long_each_time() -> None:
    found = list(
        events_in(
            calendar(
                "DTSTART;TZID=Europe/Berlin:20261024T230000", "DURATION:PT5H", "RRULE:FREQ=DAILY;COUNT=2"
            ),
            AUTUMN,
            BERLIN,
        )
    )
    assert [one.end - one.start for one in found if one.start and one.end] == [timedelta(hours=5)] * 2


def test_an_event_that_was_called_off_stands_again_where_it_is_booked_again() -> None:
    off = calendar("DTSTART:20261024T100000Z", "DURATION:PT1H", "STATUS:CANCELLED", "DESCRIPTION:bring it")
    start = datetime(2026, 10, 26, 9, tzinfo=UTC)
    event = CalendarEvent(event_id="a", title="Dentist", start=start, end=start + timedelta(hours=1))
    again = changed(off, event, start).decode()
    assert first_in(off, BERLIN) is None
    assert first_in(again, BERLIN) == event
    assert "DESCRIPTION:bring it" in again


def test_what_its_owner_marked_as_tentative_stays_so_when_it_is_moved() -> None:
    start = datetime(2026, 10, 26, 9, tzinfo=UTC)
    event = CalendarEvent(event_id="a", title="Dentist", start=start, end=start + timedelta(hours=1))
    moved = changed(calendar("DTSTART:20261024T100000Z", "STATUS:TENTATIVE"), event, start)
    assert b"STATUS:TENTATIVE" in moved
