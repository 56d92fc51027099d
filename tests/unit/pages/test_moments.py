"""Moments, spans and counts as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from butler_dashboard.pages import moments

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 22, 10, 40, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("back", "shown"),
    [
        (timedelta(seconds=3), "11:40:09"),
        (timedelta(hours=11, minutes=41), "Sat 23:59"),
        (timedelta(days=20), "2 Nov 11:40"),
        (timedelta(days=40), "13 Oct 12:40"),
        (timedelta(days=400), "18 Oct 2025"),
    ],
)
def test_a_moment_is_as_exact_as_it_is_near_in_the_household_s_zone(back, shown):
    assert moments.when(NOW - back, BERLIN, NOW) == shown


def test_utc_says_so():
    assert moments.utc(NOW.astimezone(BERLIN)) == "2026-11-22 10:40:12 UTC"
    assert moments.utc_iso(NOW.astimezone(BERLIN)) == "2026-11-22T10:40:12.000Z"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.08, "80 ms"),
        (1.8, "1.8 s"),
        (45, "45 s"),
        (59.4, "59 s"),
        (150, "2 min"),
        (7_300, "2 h"),
        (400_000, "4 d"),
    ],
)
def test_a_span_is_in_its_largest_unit(seconds, shown):
    assert moments.span(seconds) == shown


def test_an_age_is_never_negative_and_in_whole_units():
    assert moments.ago(NOW + timedelta(seconds=5), NOW) == "0 s ago"
    assert moments.ago(NOW - timedelta(seconds=119), NOW) == "1 min ago"


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "–"), (100, "100 %"), (99.97, "99.9 %"), (97.2, "97.2 %"), (0, "0 %")]
)
def test_a_share_is_never_rounded_up_to_a_hundred(value, shown):
    assert moments.percent(value) == shown
