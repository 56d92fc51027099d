"""Which moments of a schedule are run, which are reported, and that none is both or neither."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from butler_kit.time import uuid7_timestamp
from butler_kit.time.due import due_between
from butler_specialist.schedules.decide import MOST_COUNTED, REPORTED, Due, Entry, Missed, due_now, pause_s
from butler_specialist.schedules.work import queued

BERLIN = ZoneInfo("Europe/Berlin")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DAILY = Entry("bills", "0 7 * * *", BERLIN, "What is due?", None, HOUR)
SEVEN = datetime(2026, 11, 23, 6, 0, tzinfo=UTC)
"""07:00 in Berlin, in winter."""


def at(**later: float) -> datetime:
    return SEVEN + timedelta(**later)


def test_a_moment_is_run_when_it_comes_and_not_before_and_not_again() -> None:
    assert due_now(DAILY, through=at(days=-1), now=at(seconds=-1)) is None
    assert due_now(DAILY, through=at(days=-1), now=SEVEN) == Due(SEVEN, None)
    assert due_now(DAILY, through=SEVEN, now=at(hours=1)) is None


def test_what_was_missed_within_the_grace_is_run_once_and_beyond_it_reported() -> None:
    assert due_now(DAILY, through=at(days=-1), now=at(minutes=60)) == Due(SEVEN, None)
    assert due_now(DAILY, through=at(days=-1), now=at(minutes=61)) == Due(None, Missed(1, SEVEN))


def test_three_days_away_are_one_report_and_the_run_that_is_still_in_time() -> None:
    due = due_now(DAILY, through=at(days=-4), now=at(minutes=30))
    assert due == Due(SEVEN, Missed(3, SEVEN - DAY))
    assert due is not None
    assert due.through == SEVEN


def test_of_a_frequent_schedule_a_short_absence_is_one_run_and_no_report() -> None:
    often = replace(DAILY, cron="*/5 * * * *")
    assert due_now(often, through=at(minutes=-20), now=at(minutes=2)) == Due(SEVEN, None)


def test_of_a_long_absence_no_more_is_counted_than_anybody_reads() -> None:
    often = replace(DAILY, cron="* * * * *")
    due = due_now(often, through=at(days=-300), now=SEVEN)
    assert due == Due(SEVEN, Missed(MOST_COUNTED, at(minutes=-61)))
    rarely = replace(DAILY, cron="0 7 1 1 *")
    assert due_now(rarely, through=at(days=-900), now=at()) is None
    assert timedelta(days=31) == REPORTED


def test_an_hour_that_autumn_has_twice_is_run_once_and_one_that_spring_leaves_out_at_its_end() -> None:
    night = replace(DAILY, cron="30 2 * * *")
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert due_now(night, through=first - DAY, now=first) == Due(first, None)
    assert [due_now(night, through=first, now=first + n * timedelta(minutes=10)) for n in range(130)] == [
        None
    ] * 130
    left_out = datetime(2027, 3, 28, 1, 0, tzinfo=UTC)
    assert due_now(night, through=left_out - HOUR, now=left_out - timedelta(seconds=1)) is None
    assert due_now(night, through=left_out - HOUR, now=left_out) == Due(left_out, None)


def test_a_clock_that_was_ahead_silences_nothing_and_reports_nothing() -> None:
    assert due_now(DAILY, through=at(days=400), now=at(minutes=5)) == Due(SEVEN, None)
    assert due_now(DAILY, through=at(days=400), now=at(hours=5)) is None


def test_the_same_moment_has_the_same_ids_whoever_queues_it_and_no_other_has_them() -> None:
    def ids(own_name: str, entry: Entry, due: Due) -> set[object]:
        return {run.subrequest.subrequest_id for run, _ in queued(own_name, entry, due, session_s=60)}

    due = Due(SEVEN, Missed(2, SEVEN - DAY))
    assert ids("finance", DAILY, due) == ids("finance", replace(DAILY, prompt="Another one"), due)
    others = ids("home", DAILY, due) | ids("finance", replace(DAILY, name="other"), due)
    assert len(ids("finance", DAILY, due) | others) == 6
    [report, run] = queued("finance", DAILY, due, session_s=60)
    assert uuid7_timestamp(run[0].request_context.request_id) == SEVEN
    assert (report[1].count, report[1].until < SEVEN) == (2, True)
    assert (run[1].count, run[1].until, run[1].to) == (1, SEVEN + HOUR, None)


def test_it_is_looked_at_each_moment_and_at_least_twice_a_minute() -> None:
    assert pause_s((DAILY,), at(seconds=-3)) == 3.0
    assert pause_s((DAILY, replace(DAILY, cron="* * * * *")), at(seconds=1)) == 30.0


@settings(max_examples=150)
@given(
    st.sampled_from(["*/5 * * * *", "0 * * * *", "30 2 * * *", "0 7 * * 1", "15 3 1 * *"]),
    st.sampled_from(["Europe/Berlin", "America/St_Johns", "Pacific/Chatham"]),
    st.datetimes(datetime(2025, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),
    st.lists(st.integers(1, 3 * 86_400), min_size=2, max_size=8),
    st.sampled_from([60, 3600, 86_400]),
)
def test_however_a_butler_comes_and_goes_each_moment_is_run_or_reported_once_or_one_run_stands_for_it(
    cron: str, zone: str, begin: datetime, looks: list[int], grace_s: int
) -> None:
    entry = Entry("a", cron, ZoneInfo(zone), "x", None, timedelta(seconds=grace_s))
    through, now = begin, begin
    for seconds in looks:
        now += timedelta(seconds=seconds)
        due = due_now(entry, through=through, now=now)
        if due is None:
            continue
        settled = list(due_between(cron, after=through, until=now, zone=entry.zone))
        late = [moment for moment in settled if moment < now - entry.grace]
        assert due.run == next((moment for moment in settled if moment not in late), None)
        assert due.missed == (Missed(len(late), late[0]) if late else None)
        assert due.through == settled[0]
        through = due.through
        assert due_now(entry, through=through, now=now) is None
