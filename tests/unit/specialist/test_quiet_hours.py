"""What nobody named an hour for is told when the quiet hours end, once; what has an hour comes at it."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.quiet_hours import QuietHours
from butler_specialist.remind.decide import Standing, Tell, Wait, next_telling
from butler_specialist.remind.rule import first_occurrence

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT, NAP = QuietHours(time(22), time(7)), QuietHours(time(13), time(15))
HOUR = timedelta(hours=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


def standing(
    due: str, *, rule: str | None = None, can_wait: bool = True, begun: datetime | None = None
) -> Standing:
    first = first_occurrence(at(due), BERLIN)
    return Standing(UUID(int=7), first, BERLIN, rule, HOUR, begun, NIGHT, can_wait)


@pytest.mark.parametrize(
    ("quiet", "due", "told"),
    [
        (NIGHT, "2027-02-09T21:59", "2027-02-09T21:59"),
        (NIGHT, "2027-02-09T22:00", "2027-02-10T07:00"),
        (NIGHT, "2027-02-10T03:00", "2027-02-10T07:00"),
        (NIGHT, "2027-02-10T07:00", "2027-02-10T07:00"),
        (NAP, "2027-02-10T13:30", "2027-02-10T15:00"),
        (NAP, "2027-02-10T15:00", "2027-02-10T15:00"),
        (NIGHT, "2027-03-27T23:00", "2027-03-28T07:00"),
        (NIGHT, "2027-10-30T23:00", "2027-10-31T07:00"),
        (QuietHours(time(22), time(2, 30)), "2027-03-27T23:00", "2027-03-28T03:30"),
    ],
)
def test_what_falls_into_quiet_hours_is_told_at_their_end_by_the_clock(
    quiet: QuietHours, due: str, told: str
) -> None:
    assert quiet.told_at(at(due), BERLIN) == at(told)


@given(moment=st.datetimes(datetime(2026, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC)))
def test_nothing_comes_early_nor_more_than_the_quiet_hours_later(moment: datetime) -> None:
    for quiet, longest in ((NIGHT, timedelta(hours=10)), (NAP, timedelta(hours=2))):
        told = quiet.told_at(moment, BERLIN)
        assert moment <= told <= moment + longest
        assert quiet.told_at(told, BERLIN) == told


def test_what_can_wait_waits_and_is_told_in_time_then() -> None:
    step = next_telling(standing("2027-02-10T03:00"), at("2027-02-10T03:00"))
    assert step == Wait(at("2027-02-10T07:00"))
    step = next_telling(standing("2027-02-10T03:00"), at("2027-02-10T07:30"))
    assert isinstance(step, Tell)
    assert (step.missed, step.due_at) == (False, at("2027-02-10T07:00"))


def test_an_hour_that_somebody_named_rings_in_the_night() -> None:
    step = next_telling(standing("2027-02-10T03:00", can_wait=False), at("2027-02-10T03:00"))
    assert isinstance(step, Tell)
    assert (step.missed, step.due_at) == (False, at("2027-02-10T03:00"))


def test_what_came_every_hour_of_the_night_is_one_telling_in_the_morning_and_missed_by_nobody() -> None:
    hourly = standing("2027-02-09T22:30", rule="FREQ=HOURLY")
    step = next_telling(hourly, at("2027-02-10T07:00"))
    assert isinstance(step, Tell)
    assert (step.missed, step.count, step.last.at) == (False, 1, at("2027-02-10T06:30"))
    assert step.upcoming is not None
    assert step.upcoming.at == at("2027-02-10T07:30")
    again = next_telling(
        standing("2027-02-09T22:30", rule="FREQ=HOURLY", begun=step.last.at), at("2027-02-10T09:00")
    )
    assert isinstance(again, Tell)
    assert (again.key, again.last, again.upcoming, again.count) == (step.key, step.last, step.upcoming, 1)


@pytest.mark.parametrize("can_wait", [True, False])
def test_that_something_was_missed_is_said_after_the_quiet_hours(can_wait: bool) -> None:
    missed = standing("2027-02-09T20:00", can_wait=can_wait)
    assert next_telling(missed, at("2027-02-10T02:00")) == Wait(at("2027-02-10T07:00"))
    step = next_telling(missed, at("2027-02-10T07:00"))
    assert isinstance(step, Tell)
    assert step.missed


def test_a_telling_that_was_begun_is_ended_also_at_night() -> None:
    begun = standing("2027-02-09T20:00", begun=at("2027-02-09T20:00"))
    assert isinstance(next_telling(begun, at("2027-02-10T02:00")), Tell)
