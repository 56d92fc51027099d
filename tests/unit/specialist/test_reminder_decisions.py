"""What is told of a reminder at which moment: due, late within its grace, or missed, and never the same twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from butler_specialist.remind.decide import Standing, Tell, Wait, next_telling
from butler_specialist.remind.rule import first_occurrence

BERLIN = ZoneInfo("Europe/Berlin")
DUE = datetime(2026, 11, 23, 7, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def standing(rule: str | None = None, grace: timedelta = HOUR, begun: datetime | None = None) -> Standing:
    return Standing(UUID(int=7), first_occurrence(DUE, BERLIN), BERLIN, rule, grace, begun)


def told(now: datetime, given: Standing) -> Tell:
    step = next_telling(given, now)
    assert isinstance(step, Tell)
    return step


def test_before_its_moment_it_waits() -> None:
    assert next_telling(standing(), DUE - timedelta(milliseconds=1)) == Wait(DUE)


def test_at_its_moment_and_within_its_grace_it_is_told() -> None:
    for late in (timedelta(0), HOUR - timedelta(seconds=1)):
        assert not told(DUE + late, standing()).missed


def test_after_its_grace_it_is_reported_missed_and_is_over() -> None:
    step = told(DUE + HOUR, standing())
    assert (step.missed, step.count, step.upcoming) == (True, 1, None)
    assert not told(DUE + HOUR, standing(grace=timedelta(hours=24))).missed


def test_a_long_absence_is_one_telling() -> None:
    step = told(DUE + timedelta(days=30, minutes=5), standing("FREQ=DAILY"))
    assert (step.missed, step.count) == (True, 30)
    assert step.upcoming is not None
    assert step.upcoming.at == DUE + timedelta(days=30)


def test_what_is_still_within_its_grace_after_an_absence_is_told_itself() -> None:
    step = told(DUE + timedelta(days=3, minutes=30), standing("FREQ=DAILY"))
    assert step.upcoming is not None
    after = told(DUE + timedelta(days=3, minutes=30), replace(standing("FREQ=DAILY"), first=step.upcoming))
    assert (step.count, after.missed, after.first.at) == (3, False, DUE + timedelta(days=3))


def test_a_frequent_one_comes_once_after_a_pause_not_many_times_at_once() -> None:
    now = DUE + timedelta(minutes=52)
    step = told(now, standing("FREQ=MINUTELY;INTERVAL=10"))
    assert (step.missed, step.count) == (True, 5)
    assert step.upcoming is not None
    assert not told(now, replace(standing("FREQ=MINUTELY;INTERVAL=10"), first=step.upcoming)).missed


def test_a_telling_that_was_begun_keeps_its_occurrences_and_its_key() -> None:
    rule = "FREQ=DAILY"
    for absence in (timedelta(minutes=1), timedelta(days=3, minutes=5)):
        first = told(DUE + absence, standing(rule))
        for later in (timedelta(0), timedelta(days=9), -timedelta(days=4)):
            again = told(DUE + absence + later, standing(rule, begun=first.last.at))
            assert (again.key, again.last, again.upcoming) == (first.key, first.last, first.upcoming)


def test_the_two_hours_that_are_called_the_same_have_keys_of_their_own() -> None:
    first = first_occurrence(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), BERLIN)
    one = told(first.at, replace(standing("FREQ=HOURLY"), first=first))
    assert one.upcoming is not None
    other = told(one.upcoming.at, replace(standing("FREQ=HOURLY"), first=one.upcoming))
    assert one.upcoming.wall == first.wall
    assert one.key != other.key


@given(
    rule=st.sampled_from([None, "FREQ=DAILY", "FREQ=HOURLY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,TH"]),
    moves=st.lists(st.integers(-400_000, 900_000), min_size=1, max_size=12),
)
def test_however_the_clock_jumps_every_occurrence_is_in_one_telling(
    rule: str | None, moves: list[int]
) -> None:
    """Each is told or reported once, in order and without a hole between them."""
    now, given_, covered = DUE, standing(rule), DUE
    for seconds in moves:
        now += timedelta(seconds=seconds)
        for _ in range(50):
            step = next_telling(given_, now)
            if isinstance(step, Wait):
                break
            assert step.first.at == covered
            assert step.count == 1 or step.missed
            if step.upcoming is None:
                return
            assert step.upcoming.at > step.last.at
            covered = step.upcoming.at
            given_ = replace(given_, first=step.upcoming)
