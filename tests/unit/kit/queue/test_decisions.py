"""What follows from a handler's error."""

from __future__ import annotations

from butler_contracts.errors import TargetUnavailable
from butler_kit.queue import Defer, after_error


def test_errors_put_a_row_off_longer_each_time_up_to_five_minutes():
    decisions = [after_error(RuntimeError(), attempt) for attempt in range(1, 12)]
    assert decisions == [Defer(seconds) for seconds in (2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300)]


def test_an_error_that_says_when_to_come_back_is_believed():
    assert after_error(TargetUnavailable("later", retry_after_s=42), 1) == Defer(42)
