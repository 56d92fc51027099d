"""The in-memory lanes: priority, the starvation guard, fairness, bounds."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from butler_kit.queue.buffer import LANES, TierBuffer

HIGH, INTERACTIVE, DEFAULT = "high_priority", "interactive", "default"


def fill(buffer, lane, count, *, source="s", start=0):
    for number in range(start, start + count):
        assert buffer.put((lane, source, number), lane, source).accepted


def lanes_taken(buffer, count, worker=0):
    return [buffer.take(worker).lane for _ in range(count)]


@pytest.mark.spec("SWB-07.1", "CNX-02.8")
def test_workers_take_by_priority_and_each_lane_has_its_own_capacity():
    buffer: Any = TierBuffer(capacity=3)
    for lane in reversed(LANES):
        fill(buffer, lane, 3)
    for lane in LANES:
        assert not buffer.put("one more", lane, "s").accepted
        assert buffer.depth(lane) == 3
    assert lanes_taken(buffer, 9) == [HIGH] * 3 + [INTERACTIVE] * 3 + [DEFAULT] * 3
    assert buffer.take() is None


@pytest.mark.spec("SWB-07.2")
def test_after_ten_in_a_row_the_next_is_forced_from_the_highest_lower_lane_and_counting_starts_over():
    buffer: Any = TierBuffer(capacity=100)
    fill(buffer, HIGH, 40)
    fill(buffer, INTERACTIVE, 1)
    fill(buffer, DEFAULT, 2)
    taken = [buffer.take() for _ in range(33)]
    expected = [HIGH] * 10 + [INTERACTIVE] + [HIGH] * 10 + [DEFAULT] + [HIGH] * 10 + [DEFAULT]
    assert [one.lane for one in taken] == expected
    assert [one.starvation_override for one in taken] == [lane != HIGH for lane in expected]


@pytest.mark.spec("SWB-07.2")
def test_the_guard_looks_below_the_streak_s_lane_even_while_a_higher_one_waits():
    buffer: Any = TierBuffer(max_consecutive=2)
    fill(buffer, INTERACTIVE, 3)
    fill(buffer, DEFAULT, 1)
    assert lanes_taken(buffer, 2) == [INTERACTIVE] * 2
    fill(buffer, HIGH, 1)
    assert lanes_taken(buffer, 3) == [DEFAULT, HIGH, INTERACTIVE]


@pytest.mark.spec("SWB-07.2")
def test_the_guard_does_nothing_while_no_lower_lane_waits_and_then_acts_at_once():
    buffer: Any = TierBuffer(max_consecutive=2)
    fill(buffer, HIGH, 8)
    assert lanes_taken(buffer, 5) == [HIGH] * 5
    fill(buffer, DEFAULT, 1)
    assert lanes_taken(buffer, 2) == [DEFAULT, HIGH]


@pytest.mark.spec("SWB-07.2")
def test_the_streak_is_counted_for_each_worker():
    buffer: Any = TierBuffer(max_consecutive=2)
    fill(buffer, HIGH, 8)
    fill(buffer, DEFAULT, 2)
    assert lanes_taken(buffer, 2, worker=1) == [HIGH] * 2
    assert lanes_taken(buffer, 1, worker=2) == [HIGH]
    assert lanes_taken(buffer, 1, worker=1) == [DEFAULT]
    assert lanes_taken(buffer, 2, worker=2) == [HIGH, DEFAULT]


def test_an_unknown_lane_is_the_default_one_with_a_warning(caplog):
    buffer: Any = TierBuffer()
    with caplog.at_level(logging.WARNING):
        assert buffer.put(1, "urgent", "s").lane == DEFAULT
    assert "urgent" in caplog.text
    assert buffer.take().lane == DEFAULT


@pytest.mark.spec("SWB-14.2", "SWB-06.5")
def test_sources_of_a_lane_take_turns():
    buffer: Any = TierBuffer()
    fill(buffer, DEFAULT, 5, source="telegram")
    fill(buffer, DEFAULT, 2, source="email")
    fill(buffer, DEFAULT, 1, source="api")
    sources = [buffer.take().ref[1] for _ in range(8)]
    assert sources == ["telegram", "email", "api", "telegram", "email", "telegram", "telegram", "telegram"]


@pytest.mark.spec("SWB-14.2", "SWB-06.5")
def test_a_source_that_fills_a_lane_makes_room_for_another():
    buffer: Any = TierBuffer(capacity=4)
    fill(buffer, DEFAULT, 4, source="telegram")
    put = buffer.put("mail", DEFAULT, "email")
    assert put.accepted
    assert put.evicted == (DEFAULT, "telegram", 3)
    assert put.evicted not in buffer
    assert not buffer.put("more", DEFAULT, "telegram").accepted
    assert buffer.put("second mail", DEFAULT, "email").accepted
    assert not buffer.put("third mail", DEFAULT, "email").accepted
    assert len(buffer) == 4


def test_what_waits_already_is_not_added_again():
    buffer: Any = TierBuffer()
    assert buffer.put(1, HIGH, "s").accepted
    assert buffer.put(1, HIGH, "s").accepted
    assert buffer.take().ref == 1
    assert buffer.take() is None


@pytest.mark.parametrize(
    "wrong", [{"capacity": 0}, {"max_consecutive": 0}, {"lanes": ()}, {"lanes": ("a", "a")}]
)
def test_a_buffer_that_could_not_work_is_refused(wrong):
    with pytest.raises(ValueError, match="buffer"):
        TierBuffer(**wrong)
