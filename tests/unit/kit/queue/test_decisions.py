"""What follows from a handler's error."""

from __future__ import annotations

import asyncpg
import pytest

from butler_contracts.errors import InternalFailure, OverloadRejected, TargetUnavailable, TimedOut
from butler_contracts.stored import Unreadable
from butler_kit.queue import Defer, after_error, is_outage
from butler_kit.queue.decisions import Exhausted, Failed, after_failure, after_outage


def test_errors_put_a_row_off_longer_each_time_up_to_five_minutes():
    decisions = [after_error(RuntimeError(), attempt) for attempt in range(1, 12)]
    assert decisions == [Defer(seconds) for seconds in (2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300)]


def test_an_error_that_says_when_to_come_back_is_believed():
    assert after_error(TargetUnavailable("later", retry_after_s=42), 1) == Defer(42)


def test_what_is_away_is_asked_again_within_half_a_minute_however_often_the_row_was_put_off_before():
    decisions = [after_outage(TargetUnavailable("away"), attempt) for attempt in (1, 2, 4, 5, 13, 500)]
    assert decisions == [Defer(seconds) for seconds in (2, 4, 16, 32, 32, 32)]
    assert after_outage(OverloadRejected("full", retry_after_s=7), 13) == Defer(7)
    assert after_outage(TargetUnavailable("later", retry_after_s=900), 1) == Defer(900)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TargetUnavailable("away"), True),
        (TimedOut("slow"), True),
        (OverloadRejected("full"), True),
        (ConnectionResetError(), True),
        (TimeoutError(), True),
        (asyncpg.AdminShutdownError("x"), True),
        (
            ExceptionGroup(
                "branches", [TimedOut("slow"), ExceptionGroup("more", [TargetUnavailable("away")])]
            ),
            True,
        ),
        (ExceptionGroup("branches", [TimedOut("slow"), KeyError("x")]), False),
        (InternalFailure("a defect"), False),
        (Unreadable("newer"), False),
        (KeyError("x"), False),
        (asyncpg.UndefinedColumnError("x"), False),
    ],
)
def test_only_what_waiting_helps_is_an_outage(error, expected):
    assert is_outage(error) is expected


def test_a_defect_is_tried_again_a_few_times_and_then_the_row_ends():
    decisions = [after_failure(KeyError("x"), failures=failures, max_attempts=4) for failures in range(5)]
    assert decisions == [Failed(2.0), Failed(4.0), Failed(8.0), Exhausted(), Exhausted()]


def test_a_row_that_cannot_be_read_lets_its_thread_go_on_at_once():
    assert after_failure(Unreadable("newer"), failures=0, max_attempts=4) == Failed(2.0, releases_thread=True)
    assert after_failure(Unreadable("newer"), failures=3, max_attempts=4) == Exhausted()
