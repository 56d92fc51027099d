"""What a wanted time meets, and which free times are proposed instead (MSR-01.2: conflicts policy suggest)."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.calendar import CalendarEvent
from butler_kit.calendar.conflicts import (
    MOST_PROPOSED,
    DayHours,
    around,
    busy_in,
    free_times,
    in_the_way,
    span_of,
)
from butler_kit.calendar.port import Span

BERLIN = ZoneInfo("Europe/Berlin")
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
HOURS = DayHours()


def at(text: str, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


def span(start: str, end: str) -> Span:
    return Span(at(start), at(end))


def event(start: str, end: str, name: str = "other", *, busy: bool = True) -> CalendarEvent:
    return CalendarEvent(event_id=name, title=name, start=at(start), end=at(end), busy=busy)


def proposed(wanted: Span, *events: CalendarEvent, now: datetime = LONG_AGO, but: str = "") -> list[str]:
    found = free_times(wanted, events, zone=BERLIN, hours=HOURS, now=now, but=but)
    return [f"{one.start.astimezone(BERLIN):%a %H:%M}-{one.end.astimezone(BERLIN):%H:%M}" for one in found]


def test_the_three_nearest_free_times_are_proposed_the_later_of_two_first() -> None:
    wanted = span("2026-12-01T10:00", "2026-12-01T11:00")
    assert proposed(wanted, event("2026-12-01T10:00", "2026-12-01T11:00")) == [
        "Tue 11:00-12:00", "Tue 09:00-10:00", "Tue 11:30-12:30",
    ]  # fmt: skip


def test_a_proposal_may_begin_where_another_event_ends() -> None:
    wanted = span("2026-12-01T10:00", "2026-12-01T10:30")
    assert proposed(wanted, event("2026-12-01T09:45", "2026-12-01T10:20"))[0] == "Tue 10:20-10:50"


def test_what_touches_is_not_in_the_way() -> None:
    wanted = span("2026-12-01T10:00", "2026-12-01T11:00")
    before, after = (
        event("2026-12-01T09:00", "2026-12-01T10:00"),
        event("2026-12-01T11:00", "2026-12-01T12:00"),
    )
    assert in_the_way(wanted, [before, after], BERLIN, but="") == ()


def test_what_is_marked_free_and_the_event_itself_are_in_nobodys_way() -> None:
    wanted = span("2026-12-01T10:00", "2026-12-01T11:00")
    free, own, busy = (
        event("2026-12-01T10:00", "2026-12-01T11:00", "free", busy=False),
        event("2026-12-01T10:00", "2026-12-01T11:00", "own"),
        event("2026-12-01T10:30", "2026-12-01T11:30", "busy"),
    )
    assert in_the_way(wanted, [free, own, busy], BERLIN, but="own") == (busy,)


def test_an_event_of_whole_days_is_there_from_midnight_to_midnight_of_who_asks() -> None:
    away = CalendarEvent(
        event_id="away", title="Away", first_day=date(2026, 12, 1), last_day=date(2026, 12, 2)
    )
    assert span_of(away, BERLIN) == Span(at("2026-12-01T00:00"), at("2026-12-03T00:00"))
    wanted = span("2026-12-02T10:00", "2026-12-02T11:00")
    assert in_the_way(wanted, [away], BERLIN, but="") == (away,)
    assert proposed(wanted, away) == ["Thu 08:00-09:00", "Thu 08:30-09:30", "Thu 09:00-10:00"]


def test_a_whole_day_that_changes_the_clocks_is_as_long_as_it_is() -> None:
    for day, hours in ((date(2026, 3, 29), 23), (date(2026, 10, 25), 25)):
        whole = span_of(CalendarEvent(event_id="x", title="x", first_day=day, last_day=day), BERLIN)
        assert whole is not None
        assert whole.end - whole.start == timedelta(hours=hours)


def test_nothing_is_proposed_in_the_hour_that_the_clocks_leave_out() -> None:
    night = DayHours(time(0), time(6))
    wanted = span("2026-03-29T01:00", "2026-03-29T01:30")
    found = free_times(
        wanted, [event("2026-03-29T01:00", "2026-03-29T01:30")], zone=BERLIN, hours=night, now=LONG_AGO
    )
    shown = [one.start.astimezone(BERLIN).strftime("%H:%M") for one in found]
    assert shown == ["01:30", "00:30", "03:00"]
    assert found[2].start - found[0].start == timedelta(minutes=30)


def test_an_appointment_keeps_its_length_across_the_change_of_the_clocks() -> None:
    wanted = Span(at("2026-10-25T01:00"), at("2026-10-25T01:00") + timedelta(hours=3))
    found = free_times(
        wanted,
        [event("2026-10-25T01:00", "2026-10-25T01:30")],
        zone=BERLIN,
        hours=DayHours(time(0), time(8)),
        now=LONG_AGO,
    )
    assert all(one.end - one.start == timedelta(hours=3) for one in found)
    assert len(found) == MOST_PROPOSED


def test_nothing_is_proposed_in_the_past() -> None:
    wanted = span("2026-12-01T10:00", "2026-12-01T11:00")
    blocked = event("2026-12-01T10:00", "2026-12-01T11:00")
    assert proposed(wanted, blocked, now=at("2026-12-01T10:45"))[:2] == ["Tue 11:00-12:00", "Tue 11:30-12:30"]


def test_an_hour_that_somebody_chose_outside_of_the_day_widens_it() -> None:
    dinner = span("2026-12-01T21:00", "2026-12-01T22:30")
    taken = event("2026-12-01T21:00", "2026-12-01T22:30")
    assert proposed(dinner, taken) == ["Tue 19:30-21:00", "Tue 19:00-20:30", "Tue 18:30-20:00"]


def test_what_runs_past_midnight_may_be_at_any_hour() -> None:
    party = span("2026-12-01T23:00", "2026-12-02T01:00")
    assert proposed(party, event("2026-12-01T23:00", "2026-12-02T01:00"))[0] == "Wed 01:00-03:00"


def test_a_week_without_a_free_hour_is_said_by_proposing_nothing() -> None:
    full = CalendarEvent(event_id="x", title="x", first_day=date(2026, 11, 1), last_day=date(2026, 12, 31))
    assert proposed(span("2026-12-01T10:00", "2026-12-01T11:00"), full) == []


def test_busy_times_that_touch_are_one_and_are_cut_to_what_was_asked() -> None:
    asked = span("2026-12-01T09:00", "2026-12-01T12:00")
    found = busy_in(
        asked,
        [
            event("2026-12-01T10:00", "2026-12-01T11:00"),
            event("2026-12-01T08:00", "2026-12-01T10:00"),
            event("2026-12-01T11:30", "2026-12-01T13:00"),
            event("2026-12-01T11:00", "2026-12-01T11:30", busy=False),
        ],
        BERLIN,
    )
    assert found == (
        span("2026-12-01T09:00", "2026-12-01T11:00"), span("2026-12-01T11:30", "2026-12-01T12:00"),
    )  # fmt: skip


_ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago")


@st.composite
def _days(draw: st.DrawFn) -> tuple[ZoneInfo, Span, list[CalendarEvent], datetime]:
    zone = ZoneInfo(draw(st.sampled_from(_ZONES)))
    # Around the days on which clocks change, there or elsewhere.
    base = draw(st.sampled_from((datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC),
                                 datetime(2026, 4, 5, tzinfo=UTC), datetime(2026, 6, 15, tzinfo=UTC))))  # fmt: skip
    minutes = st.integers(-3 * 1440, 3 * 1440)
    start = base + timedelta(minutes=draw(minutes))
    wanted = Span(start, start + timedelta(minutes=draw(st.integers(5, 600))))
    events = []
    for number in range(draw(st.integers(0, 12))):
        first = base + timedelta(minutes=draw(minutes))
        last = first + timedelta(minutes=draw(st.integers(1, 900)))
        name = f"event-{number}"
        events.append(
            CalendarEvent(event_id=name, title=name, start=first, end=last, busy=draw(st.booleans()))
        )
    return zone, wanted, events, base + timedelta(minutes=draw(minutes))


@pytest.mark.hypothesis
@given(_days())
def test_what_is_proposed_is_free_to_come_and_as_long_as_wanted_in_every_zone(
    given: tuple[ZoneInfo, Span, list[CalendarEvent], datetime],
) -> None:
    zone, wanted, events, now = given
    found = free_times(wanted, events, zone=zone, hours=HOURS, now=now)
    assert len(set(found)) == len(found) <= MOST_PROPOSED
    looked_at = around(wanted, zone)
    for one in found:
        assert one.end - one.start == wanted.end - wanted.start
        assert one.start >= now
        assert in_the_way(one, events, zone, but="") == ()
        assert looked_at.start <= one.start < one.end <= looked_at.end
    distances = [abs(one.start - wanted.start) for one in found]
    assert distances == sorted(distances)
