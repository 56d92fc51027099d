"""When a cron line is due: each moment once, and of missed ones the latest."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from butler_kit.time.due import CATCH_UP, due_between, latest_due, next_due

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
CRONS = st.sampled_from(["*/5 * * * *", "5 * * * *", "15 0 * * *", "30 1 * * *", "0 */6 * * *", "0 4 * * 1"])
MOMENTS = st.datetimes(datetime(2024, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC))


def test_a_run_is_due_at_its_very_moment_and_only_until_it_was_made():
    assert latest_due("*/5 * * * *", now=NOON, after=NOON - timedelta(minutes=5)) == NOON
    assert latest_due("*/5 * * * *", now=NOON, after=NOON) is None


def test_of_the_runs_missed_in_an_hour_only_the_latest_is_due():
    now = NOON + timedelta(minutes=63)
    assert latest_due("*/5 * * * *", now=now, after=NOON) == NOON + timedelta(minutes=60)


def test_a_run_missed_for_more_than_two_days_is_not_caught_up():
    monday = "0 4 * * 1"  # 1 March 2026 is a Sunday
    assert latest_due(monday, now=NOON, after=None) is None


def test_a_morning_is_the_household_s_in_winter_and_in_summer():
    winter, summer = datetime(2026, 1, 15, tzinfo=UTC), datetime(2026, 7, 15, tzinfo=UTC)
    assert next_due("0 8 * * *", winter, BERLIN) == datetime(2026, 1, 15, 7, tzinfo=UTC)
    assert next_due("0 8 * * *", summer, BERLIN) == datetime(2026, 7, 15, 6, tzinfo=UTC)
    assert latest_due("0 8 * * *", now=summer, after=None, zone=BERLIN) == datetime(
        2026, 7, 14, 6, tzinfo=UTC
    )


def test_an_hour_that_spring_leaves_out_is_due_at_its_end_and_one_that_autumn_has_twice_is_due_once():
    spring, autumn = datetime(2026, 3, 28, 22, tzinfo=UTC), datetime(2026, 10, 24, 22, tzinfo=UTC)
    assert next_due("30 2 * * *", spring, BERLIN) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    once = next_due("30 2 * * *", autumn, BERLIN)
    assert once == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert next_due("30 2 * * *", once, BERLIN) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


def test_in_the_second_of_an_hour_that_autumn_has_twice_what_was_due_in_the_first_is_not_to_come_again():
    twice = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)  # 02:10 for the second time
    assert next_due("30 2 * * *", twice, BERLIN) == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)
    once = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    later = twice + timedelta(hours=4)
    assert list(due_between("30 2 * * *", after=once, until=later, zone=BERLIN)) == []


def test_what_was_due_of_an_absence_is_told_the_last_first():
    found = due_between("0 8 * * *", after=NOON - timedelta(days=3), until=NOON, zone=BERLIN)
    assert [due.day for due in found] == [1, 28, 27]


@given(CRONS, MOMENTS, st.sampled_from([BERLIN, ZoneInfo("America/St_Johns"), ZoneInfo("Pacific/Chatham")]))
def test_in_any_zone_the_next_moment_becomes_due_exactly_when_it_comes(cron, now, zone):
    due = next_due(cron, now, zone)
    assert due > now
    assert latest_due(cron, now=due, after=now, zone=zone) == due
    assert latest_due(cron, now=due - timedelta(seconds=1), after=now, zone=zone) is None


@given(CRONS, MOMENTS)
def test_the_next_moment_becomes_due_exactly_when_it_comes(cron, now):
    due = next_due(cron, now)
    assert due > now
    assert latest_due(cron, now=due, after=now) == due
    assert latest_due(cron, now=due - timedelta(seconds=1), after=now) is None


@given(CRONS, MOMENTS)
def test_what_is_due_is_never_ahead_and_never_too_old(cron, now):
    due = latest_due(cron, now=now, after=None)
    assert due is None or now - CATCH_UP < due <= now
