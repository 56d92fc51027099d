"""Pauses between restarts grow, are capped and jittered; frequent endings are a crash loop."""

from hypothesis import given
from hypothesis import strategies as st

from butler_cli.local.backoff import RestartPolicy

POLICY = RestartPolicy(first_s=0.5, cap_s=30, steady_s=60, loop_endings=3, loop_window_s=120)


@given(endings=st.integers(1, 10_000), chance=st.floats(0, 1, exclude_max=True))
def test_a_pause_is_never_zero_and_never_above_the_cap(endings: int, chance: float) -> None:
    assert 0.25 <= POLICY.delay_s(endings_in_a_row=endings, chance=chance) <= 30


def test_pauses_double_until_the_cap() -> None:
    pauses = [POLICY.delay_s(endings_in_a_row=number, chance=1.0) for number in range(1, 9)]
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30]


def test_chance_spreads_a_pause_over_its_second_half() -> None:
    assert POLICY.delay_s(endings_in_a_row=3, chance=0.0) == 1
    assert POLICY.delay_s(endings_in_a_row=3, chance=0.5) == 1.5


def test_a_steady_run_forgets_earlier_endings() -> None:
    assert POLICY.in_a_row(before=5, ran_s=3) == 6
    assert POLICY.in_a_row(before=5, ran_s=60) == 1


def test_three_endings_within_two_minutes_are_a_crash_loop_until_they_are_old() -> None:
    assert not POLICY.is_crash_loop([0, 10], now=10)
    assert POLICY.is_crash_loop([0, 10, 20], now=120)
    assert not POLICY.is_crash_loop([0, 10, 20], now=121)
