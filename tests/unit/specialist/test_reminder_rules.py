"""When a recurring reminder comes again: by the wall of its zone, over changes of the clocks, within bounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.errors import ValidationFailed
from butler_specialist.remind.rule import canonical_rule, first_occurrence, occurrences_after
from tests.support.cost import costs_less_than

BERLIN = ZoneInfo("Europe/Berlin")


def coming(rule: str, local: datetime, count: int = 3, zone: ZoneInfo = BERLIN) -> list[str]:
    """The wall times after the first one, as the person's clock shows the moment."""
    first = first_occurrence(local.replace(tzinfo=zone), zone)
    kept = canonical_rule(rule, first, zone)
    found = islice(occurrences_after(kept, first, zone), count)
    return [f"{one.at.astimezone(zone):%Y-%m-%d %H:%M}" for one in found]


def test_eight_o_clock_stays_eight_o_clock_when_the_clocks_change() -> None:
    assert coming("FREQ=DAILY", datetime(2026, 3, 28, 8)) == [
        "2026-03-29 08:00",
        "2026-03-30 08:00",
        "2026-03-31 08:00",
    ]
    first = first_occurrence(datetime(2026, 10, 24, 8, tzinfo=BERLIN), BERLIN)
    [after] = islice(occurrences_after("FREQ=DAILY", first, BERLIN), 1)
    assert after.at - first.at == timedelta(hours=25)


def test_a_time_that_does_not_exist_comes_an_hour_later_that_day_and_not_from_then_on() -> None:
    assert coming("FREQ=DAILY", datetime(2026, 3, 28, 2, 30), 2) == ["2026-03-29 03:30", "2026-03-30 02:30"]


def test_the_days_after_are_counted_from_the_wall_time_that_was_meant() -> None:
    first = first_occurrence(datetime(2026, 3, 28, 2, 30, tzinfo=BERLIN), BERLIN)
    [gap] = islice(occurrences_after("FREQ=DAILY", first, BERLIN), 1)
    [after] = islice(occurrences_after("FREQ=DAILY", gap, BERLIN), 1)
    assert after.wall == datetime(2026, 3, 30, 2, 30)


def test_a_time_that_exists_twice_comes_once() -> None:
    first = first_occurrence(datetime(2026, 10, 24, 2, 30, tzinfo=BERLIN), BERLIN)
    twice, after = islice(occurrences_after("FREQ=DAILY", first, BERLIN), 2)
    assert twice.at == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert after.at == datetime(2026, 10, 26, 1, 30, tzinfo=UTC)


def test_two_times_that_are_one_moment_come_once() -> None:
    """02:30 does not exist that day: it would be told at 03:30, together with half past three."""
    rule = "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=30"
    assert coming(rule, datetime(2026, 3, 28, 3, 30), 3) == [
        "2026-03-29 03:30",
        "2026-03-30 02:30",
        "2026-03-30 03:30",
    ]


def test_hours_are_elapsed_time() -> None:
    first = first_occurrence(datetime(2026, 10, 24, 22, tzinfo=BERLIN), BERLIN)
    found = [first, *islice(occurrences_after("FREQ=HOURLY;INTERVAL=4", first, BERLIN), 10)]
    assert {later.at - one.at for one, later in pairwise(found)} == {timedelta(hours=4)}


@pytest.mark.parametrize(
    ("rule", "local", "expected"),
    [
        ("FREQ=WEEKLY;BYDAY=MO", datetime(2026, 11, 23, 9), ["2026-11-30 09:00", "2026-12-07 09:00"]),
        ("FREQ=WEEKLY;INTERVAL=2", datetime(2026, 11, 23, 9), ["2026-12-07 09:00", "2026-12-21 09:00"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", datetime(2027, 1, 31, 9), ["2027-02-28 09:00", "2027-03-31 09:00"]),
        ("FREQ=MONTHLY", datetime(2027, 1, 31, 9), ["2027-03-31 09:00", "2027-05-31 09:00"]),
        ("FREQ=YEARLY", datetime(2024, 2, 29, 9), ["2028-02-29 09:00", "2032-02-29 09:00"]),
        ("FREQ=DAILY;COUNT=3", datetime(2026, 3, 28, 9), ["2026-03-29 09:00", "2026-03-30 09:00"]),
        ("FREQ=HOURLY;COUNT=2", datetime(2026, 3, 28, 9), ["2026-03-28 10:00"]),
        ("FREQ=DAILY;UNTIL=20260330", datetime(2026, 3, 28, 9), ["2026-03-29 09:00", "2026-03-30 09:00"]),
        ("FREQ=DAILY;UNTIL=20260330T070000Z", datetime(2026, 3, 28, 9), ["2026-03-29 09:00", "2026-03-30 09:00"]),
        ("FREQ=DAILY;UNTIL=20260330T065959Z", datetime(2026, 3, 28, 9), ["2026-03-29 09:00"]),
    ],
)  # fmt: skip
def test_a_rule_means_what_rfc_5545_says(rule: str, local: datetime, expected: list[str]) -> None:
    assert coming(rule, local, 3)[: len(expected)] == expected
    if "COUNT" in rule or "UNTIL" in rule:
        assert coming(rule, local, 3) == expected


@pytest.mark.parametrize("rule", ["FREQ=DAILY;COUNT=1", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"])
def test_a_rule_that_comes_only_once_is_none(rule: str) -> None:
    first = first_occurrence(datetime(2026, 3, 28, 9, tzinfo=BERLIN), BERLIN)
    assert canonical_rule(rule, first, BERLIN) is None


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "daily",
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "FREQ=MINUTELY;INTERVAL=4",
        "FREQ=HOURLY;BYHOUR=8",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;INTERVAL=1001",
        "FREQ=DAILY;COUNT=1001",
        "FREQ=DAILY;COUNT=3;UNTIL=20270101",
        "FREQ=DAILY;UNTIL=20270199",
        "FREQ=DAILY;UNTIL=SOON",
        "FREQ=DAILY;BYSECOND=1",
        "FREQ=DAILY;BYEASTER=0",
        "FREQ=DAILY;BYHOUR=25",
        "FREQ=DAILY;BYHOUR=8,9,10,11,12;BYMINUTE=0,5,10,15,20,25,30,35,40,45",
        "FREQ=DAILY\nDTSTART:20260101T000000",
        "FREQ=DAILY;" * 4_000,
        "=" * 60_000,
    ],
)
def test_what_is_no_rule_of_ours_is_refused(rule: str) -> None:
    first = first_occurrence(datetime(2026, 3, 28, 9, tzinfo=BERLIN), BERLIN)
    with pytest.raises(ValidationFailed):
        canonical_rule(rule, first, BERLIN)


def test_a_rule_that_never_matches_costs_little() -> None:
    first = first_occurrence(datetime(2026, 3, 28, 9, tzinfo=BERLIN), BERLIN)
    rules = (
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=DAILY;BYMONTH=4,6,13;BYMONTHDAY=31,-31",
    )

    def read() -> None:
        for rule in rules:
            assert canonical_rule(rule, first, BERLIN) is None

    assert costs_less_than(1, read)


FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY", "MINUTELY;INTERVAL=5")


@given(
    frequency=st.sampled_from(FREQUENCIES),
    zone=st.sampled_from(["Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu"]),
    local=st.datetimes(datetime(2024, 1, 1), datetime(2030, 1, 1)),
)
def test_moments_increase_and_do_not_depend_on_where_the_count_began(
    frequency: str, zone: str, local: datetime
) -> None:
    where = ZoneInfo(zone)
    first = first_occurrence(local.replace(microsecond=0, tzinfo=where), where)
    rule = canonical_rule(f"FREQ={frequency}", first, where)
    found = list(islice(occurrences_after(rule, first, where), 6))
    assert all(one.at < later.at for one, later in pairwise([first, *found]))
    for number, one in enumerate(found[:-1]):
        assert next(occurrences_after(rule, one, where)) == found[number + 1]
