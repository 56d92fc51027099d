"""A reminder whose person has another time zone now: the hour that was named stays, what elapses stays where it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_specialist.remind.moving import Kept, moved
from butler_specialist.remind.rule import first_occurrence, occurrences_after
from butler_specialist.understanding.reminders import ReminderAsked, reminders_of, wanted_in

BERLIN, NEW_YORK, KOLKATA = (ZoneInfo(name) for name in ("Europe/Berlin", "America/New_York", "Asia/Kolkata"))
ZONES = st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "UTC"]).map(
    ZoneInfo
)
MOMENTS = st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1)).map(lambda at: at.replace(tzinfo=UTC))


def kept(wall: str, *, rule: str | None = None, elapses: bool = False) -> Kept:
    at = datetime.fromisoformat(wall).replace(tzinfo=BERLIN).astimezone(UTC)
    return Kept(first_occurrence(at, BERLIN), rule, BERLIN, elapses)


@pytest.mark.parametrize("rule", [None, "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO"])
def test_an_hour_that_was_named_is_that_hour_by_the_new_clock(rule: str | None) -> None:
    there = moved(kept("2026-12-07T08:00", rule=rule), NEW_YORK)
    assert there.next.wall == datetime(2026, 12, 7, 8)
    assert there.next.at == datetime(2026, 12, 7, 13, tzinfo=UTC)
    assert (there.rule, there.zone) == (rule, NEW_YORK)


def test_an_hour_that_the_new_clock_leaves_out_is_as_much_later_and_the_days_after_do_not_move() -> None:
    there = moved(kept("2027-03-14T02:30", rule="FREQ=DAILY"), NEW_YORK)
    assert there.next.at == datetime(2027, 3, 14, 7, 30, tzinfo=UTC)
    after = next(occurrences_after(there.rule, there.next, NEW_YORK))
    assert after.at == datetime(2027, 3, 15, 6, 30, tzinfo=UTC)


@pytest.mark.parametrize(("rule", "elapses"), [(None, True), ("FREQ=HOURLY;INTERVAL=8", False)])
def test_what_elapses_comes_at_the_moment_that_it_was_to(rule: str | None, elapses: bool) -> None:
    before = kept("2026-12-07T08:00", rule=rule, elapses=elapses)
    there = moved(before, KOLKATA)
    assert there.next.at == before.next.at
    assert there.next.wall == datetime(2026, 12, 7, 12, 30)


def test_what_elapses_ends_at_the_moment_that_it_was_to() -> None:
    before = kept("2026-12-07T08:00", rule="FREQ=HOURLY;INTERVAL=8;UNTIL=20261209T080000")
    there = moved(before, NEW_YORK)
    assert [one.at for one in occurrences_after(before.rule, before.next, BERLIN)] == [
        one.at for one in occurrences_after(there.rule, there.next, NEW_YORK)
    ]


@given(at=MOMENTS, zone=ZONES, there=ZONES, elapses=st.booleans())
def test_who_comes_back_has_the_reminder_that_they_had(
    at: datetime, zone: ZoneInfo, there: ZoneInfo, elapses: bool
) -> None:
    before = Kept(first_occurrence(at, zone), None, zone, elapses)
    again = moved(moved(before, there), zone)
    if elapses:
        assert again == before
    assert again.next.wall == before.next.wall
    assert abs(again.next.at - before.next.at) <= timedelta(hours=1), (
        "an hour that there is twice is its first"
    )


@pytest.mark.parametrize(
    ("text", "elapses"),
    [
        ("remind me in ten minutes to check the oven", True),
        ("remind me tomorrow at 8 to check the oven", False),
    ],
)
def test_in_ten_minutes_elapses_and_an_hour_of_a_clock_does_not(text: str, elapses: bool) -> None:
    now = datetime(2026, 11, 22, 12, tzinfo=BERLIN)
    wanted = wanted_in(text, now.date())
    assert wanted is not None
    [asked] = reminders_of(wanted, now)
    assert isinstance(asked, ReminderAsked)
    assert asked.elapses is elapses
