"""How fast history is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_connectors.base.pace import Pace


@pytest.mark.spec("CNX-08.1")
@given(per_hour=st.integers(1, 100_000), pauses=st.lists(st.floats(0, 60), max_size=200))
def test_no_more_than_the_limit_is_ever_taken(per_hour: int, pauses: list[float]) -> None:
    now, taken = 1000.0, 0
    pace = Pace(per_hour, now=now)
    for pause_s in pauses:
        now += pause_s
        if pace.wait_s(now) == 0:
            pace.took(pace.batch)
            taken += pace.batch
    assert taken <= 1 + per_hour * (now - 1000.0) / 3600 + 1e-6


@given(per_hour=st.integers(1, 100_000))
def test_whoever_waits_as_long_as_told_may_take_a_batch(per_hour: int) -> None:
    pace = Pace(per_hour, now=0.0)
    pace.took(1)
    wait_s = pace.wait_s(0.0)
    assert pace.wait_s(wait_s + 1e-6) < 1e-3
    assert wait_s <= max(3600 / per_hour, 3600 / 180) + 1e-6


def test_a_slow_job_takes_its_first_message_at_once_and_then_one_by_one() -> None:
    pace = Pace(100, now=0.0)
    assert (pace.batch, pace.wait_s(0.0)) == (1, 0.0)
    pace.took(1)
    assert pace.wait_s(0.0) == 36.0
