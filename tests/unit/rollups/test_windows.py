"""Which windows a run takes: from what is published, whole hours and days of UTC, none twice and none left out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given as of
from hypothesis import strategies as st

from butler_rollups.errors import BadArguments
from butler_rollups.models import STEP, Job, Window
from butler_rollups.windows import (
    GRACE,
    Published,
    automatic,
    buckets,
    check_begun,
    closed_until,
    floor,
    given,
    lag_s,
    spans,
    watermark,
)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2032, 1, 1), timezones=st.just(UTC))
ZONES = st.sampled_from(
    [ZoneInfo("Asia/Kolkata"), ZoneInfo("America/New_York"), ZoneInfo("Europe/Berlin"), UTC]
)


@of(moment=MOMENTS, zone=ZONES, step=st.sampled_from([HOUR, DAY]))
def test_a_bucket_is_the_same_in_every_time_zone(moment: datetime, zone: ZoneInfo, step: timedelta):
    start = floor(moment.astimezone(zone), step)
    assert start == floor(moment, step)
    assert start <= moment < start + step
    assert (start.tzinfo, start.minute) == (UTC, 0)
    assert start.hour == 0 or step == HOUR


def test_a_day_has_24_hours_where_clocks_change_and_a_leap_day_is_one():
    for day in ((2026, 3, 29), (2026, 10, 25), (2026, 3, 8), (2026, 11, 1), (2028, 2, 29), (2026, 12, 31)):
        start = datetime(*day, tzinfo=UTC)
        window = given(Job.DAILY, start, start + DAY)
        assert len(buckets(Job.HOURLY, window)) == 24


def test_a_window_is_closed_a_grace_after_its_end():
    assert closed_until(Job.HOURLY, NOON + GRACE) == NOON
    assert closed_until(Job.HOURLY, NOON + GRACE - timedelta(microseconds=1)) == NOON - HOUR
    assert closed_until(Job.DAILY, NOON) == NOON.replace(hour=0)


def test_without_a_source_there_is_nothing_to_do():
    assert watermark(Job.HOURLY, Published()) is None
    assert automatic(Job.HOURLY, mark=None, until=NOON, since=None) == ()
    assert lag_s(Job.HOURLY, mark=None, now=NOON) == 0


def test_the_watermark_is_the_end_of_what_is_published_without_a_hole():
    assert watermark(Job.HOURLY, Published(NOON - 9 * HOUR, NOON - 4 * HOUR)) == NOON - 4 * HOUR
    first_beat = NOON - 11.5 * HOUR
    assert watermark(Job.HOURLY, Published(None, None, first_beat)) == NOON - 12 * HOUR
    assert watermark(Job.HOURLY, Published(NOON - 9 * HOUR, NOON, first_beat)) == NOON - 12 * HOUR


def test_a_run_takes_what_is_due_and_the_two_windows_before_again():
    windows = automatic(Job.HOURLY, mark=NOON - 3 * HOUR, until=NOON, since=NOON - 9 * HOUR)
    assert [window.start for window in windows] == [NOON - n * HOUR for n in (5, 4, 3, 2, 1)]


def test_nothing_is_due_after_an_idle_run_but_the_two_windows_again():
    windows = automatic(Job.DAILY, mark=NOON.replace(hour=0), until=NOON.replace(hour=0), since=None)
    assert len(windows) == 2


def test_a_long_outage_is_caught_up_in_portions():
    mark, most = NOON - 1000 * HOUR, 100
    until = NOON
    runs = 0
    while mark < until:
        windows = automatic(Job.HOURLY, mark=mark, until=until, since=None, most=most)
        assert len(windows) <= most + 2
        mark = windows[-1].end
        runs += 1
    assert (runs, mark) == (10, until)


def test_pruned_windows_and_windows_still_open_are_left_out():
    dirty = [NOON - 100 * HOUR, NOON - 7.5 * HOUR, NOON + HOUR]
    windows = automatic(Job.HOURLY, mark=NOON, until=NOON, since=NOON - HOUR * 10, trailing=0, dirty=dirty)
    assert windows == (Window(NOON - 8 * HOUR, NOON - 7 * HOUR),)
    assert automatic(Job.HOURLY, mark=NOON - HOUR, until=NOON, since=NOON - HOUR)[0].start == NOON - HOUR


@of(starts=st.lists(st.integers(0, 60), unique=True, max_size=40), most=st.integers(1, 30))
def test_spans_hold_the_same_windows_and_no_hole(starts: list[int], most: int):
    windows = [Window(NOON + n * HOUR, NOON + (n + 1) * HOUR) for n in starts]
    joined = list(spans(windows, most=most * HOUR))
    assert [one for span in joined for one in buckets(Job.HOURLY, span)] == sorted(windows)
    assert all(span.end - span.start <= most * HOUR for span in joined)


@of(lengths=st.lists(st.integers(1, 400), min_size=1, max_size=5), most=st.integers(1, 30))
def test_a_long_window_is_cut_where_an_engine_can_take_no_more(lengths: list[int], most: int):
    starts = [500 * number for number in range(len(lengths))]
    windows = [
        Window(NOON + start * HOUR, NOON + (start + length) * HOUR)
        for start, length in zip(starts, lengths, strict=True)
    ]
    cut = list(spans(windows, most=most * HOUR))
    hours = [hour for window in windows for hour in buckets(Job.HOURLY, window)]
    assert [hour for span in cut for hour in buckets(Job.HOURLY, span)] == hours
    assert all(span.end - span.start <= most * HOUR for span in cut)


def test_a_window_may_reach_to_the_end_of_the_bucket_of_now_and_no_further():
    now = NOON + HOUR / 2
    check_begun(Job.HOURLY, Window(NOON - HOUR, NOON + HOUR), now)
    with pytest.raises(
        BadArguments, match="14:00:00Z lies ahead; the hour of now ends at 2026-03-29T13:00:00Z"
    ):
        check_begun(Job.HOURLY, Window(NOON, NOON + 2 * HOUR), now)
    with pytest.raises(BadArguments, match="the day of now ends at 2026-03-30T00:00:00Z"):
        check_begun(Job.DAILY, Window(NOON.replace(hour=0), NOON.replace(hour=0) + 2 * DAY), now)


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        (NOON, NOON, "is not after"),
        (NOON, NOON - HOUR, "is not after"),
        (
            NOON + timedelta(minutes=30),
            NOON + HOUR,
            "not a whole hour of UTC; the one before is 2026-03-29T12:00:00Z",
        ),
        (NOON.replace(tzinfo=None), NOON, "has no offset"),
        (NOON.replace(tzinfo=timezone(timedelta(hours=5, minutes=30))), NOON, "not a whole hour"),
    ],
)
def test_a_window_that_is_none_is_refused_in_words(start: datetime, end: datetime, said: str):
    with pytest.raises(BadArguments, match=said):
        given(Job.HOURLY, start, end)


def test_a_window_given_in_another_time_zone_is_the_same_window():
    berlin = ZoneInfo("Europe/Berlin")
    assert given(Job.HOURLY, NOON.astimezone(berlin), (NOON + HOUR).astimezone(berlin)) == Window(
        NOON, NOON + HOUR
    )
    with pytest.raises(BadArguments, match="not a whole day of UTC"):
        given(Job.DAILY, datetime(2026, 3, 29, tzinfo=berlin), datetime(2026, 3, 30, tzinfo=berlin))


def test_the_lag_counts_closed_windows_that_wait():
    assert lag_s(Job.HOURLY, mark=NOON, now=NOON + GRACE) == 0
    assert lag_s(Job.HOURLY, mark=NOON - 3 * HOUR, now=NOON + 2 * GRACE) == 3 * 3600
    assert lag_s(Job.HOURLY, mark=NOON + HOUR, now=NOON) == 0
    assert STEP[Job.FANOUT] == DAY
