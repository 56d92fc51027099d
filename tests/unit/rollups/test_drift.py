"""Drift of routing: what is found is true and matters, and where nothing changes nobody is alarmed (SWB-37.1)."""

from __future__ import annotations

import math
import random
from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_rollups.drift import ALPHA, Share, at_least, drifts_of, first_day, holm
from butler_rollups.quality import ALL, Dimension, Measure, QualityDay

UNTIL = date(2026, 3, 29)
DAYS = [first_day(UNTIL) + timedelta(days=at) for at in range(35)]
RECENT = DAYS[-7:]
WORSE = [measure for measure in Measure if measure is not Measure.DIVIDED]


def row(
    day: date, decisions: int, *, source="telegram", target=ALL, model="small", prompt="p1", **counts: int
):
    known = {measure.value: 0 for measure in Measure} | counts
    return QualityDay(day, source, target, model, prompt, decisions, decisions, **known)


def found(rows: list[QualityDay]) -> set[tuple[str, str, str]]:
    return {(one.where.dimension, one.where.name, one.measure.value) for one in drifts_of(rows, UNTIL).drifts}


counts = st.integers(0, 40)


@given(counts, counts, counts, counts)
def test_the_chance_is_the_exact_one_of_fisher(hit: int, missed: int, hit_before: int, missed_before: int):
    now, before = Share(hit, hit + missed), Share(hit_before, hit_before + missed_before)
    events, everything = hit + hit_before, now.of + before.of
    ways = sum(
        math.comb(events, count) * math.comb(everything - events, now.of - count)
        for count in range(hit, min(events, now.of) + 1)
    )
    exact = float(Fraction(ways, math.comb(everything, now.of)))
    assert math.isclose(at_least(now, before), exact, rel_tol=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.lists(st.floats(0, 1), max_size=10))
def test_more_tests_make_nothing_more_certain_and_none_is_surer_than_alone(
    chances: list[float], more: list[float]
):
    adjusted = holm(chances)
    assert all(chance <= one <= 1 for chance, one in zip(chances, adjusted, strict=True))
    assert min(adjusted) == min(1.0, len(chances) * min(chances))
    assert sorted(range(len(chances)), key=chances.__getitem__) == sorted(
        range(len(chances)), key=lambda at: (adjusted[at], chances[at])
    )
    assert all(now <= then for now, then in zip(adjusted, holm([*chances, *more]), strict=False))


@pytest.mark.spec("SWB-37.1")
@pytest.mark.parametrize("measure", WORSE)
def test_each_measure_that_becomes_worse_is_found_where_it_became_worse(measure: Measure):
    rows = [row(day, 10, source="email", **{measure.value: 1 if day.day % 5 == 0 else 0}) for day in DAYS]
    rows += [row(day, 10, **{measure.value: 5 if day in RECENT else 0}) for day in DAYS]
    rows += [row(day, 10, target="finance", **{measure.value: 5 if day in RECENT else 0}) for day in DAYS]
    rows += [row(day, 10, target="health") for day in DAYS]
    assert found(rows) == {
        ("household", ALL, measure.value),
        ("source", "telegram", measure.value),
        ("target", "finance", measure.value),
    }


@pytest.mark.spec("SWB-37.1")
@pytest.mark.parametrize(("before", "now"), [(1, 6), (6, 1)])
def test_messages_that_are_divided_more_or_less_than_before_are_found(before: int, now: int):
    rows = [row(day, 10, divided=now if day in RECENT else before) for day in DAYS]
    assert found(rows) == {("household", ALL, "divided")}


@pytest.mark.spec("SWB-37.1")
def test_a_model_and_a_prompt_version_that_become_worse_are_told_apart():
    rows = [
        row(day, 10, model=model, prompt=prompt)
        for day in DAYS
        for model in ("big", "small")
        for prompt in ("p1", "p2")
    ]
    assert found(rows) == set()
    worse = [
        row(one.day, 10, model=one.model_version, prompt=one.prompt_version, fallbacks=4)
        if (one.model_version, one.prompt_version) == ("small", "p2") and one.day in RECENT
        else one
        for one in rows
    ]
    assert found(worse) == {
        (Dimension.HOUSEHOLD, ALL, "fallbacks"),
        (Dimension.MODEL, "small", "fallbacks"),
        (Dimension.PROMPT, "p2", "fallbacks"),
    }


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([row(day, 4, total_failures=4 if day in RECENT else 0) for day in DAYS], id="few messages"),
        pytest.param([row(day, 30, total_failures=30 if day == RECENT[3] else 0) for day in DAYS], id="one outage"),
        pytest.param([row(day, 3000, corrected=60 if day in RECENT else 15) for day in DAYS], id="a small change"),
        pytest.param([row(day, 10, corrected=0 if day in RECENT else 5) for day in DAYS], id="better than before"),
        pytest.param([row(day, 10, corrected=5) for day in RECENT], id="nothing before"),
        pytest.param(
            [*(row(UNTIL + day * timedelta(1), 500, corrected=500) for day in (0, 1)), *(row(day, 10) for day in DAYS)],
            id="days that are not over",
        ),
        pytest.param([], id="no message"),
    ],
)  # fmt: skip
def test_what_concludes_nothing_alarms_nobody(rows: list[QualityDay]):
    assert found(rows) == set()


def test_a_dimension_of_one_name_says_the_same_as_the_household_and_is_not_tested_again():
    rows = [row(day, 10) for day in DAYS]
    assert drifts_of(rows, UNTIL).tested == len(Measure)
    both = [*rows, *(row(day, 10, source="email") for day in DAYS)]
    assert drifts_of(both, UNTIL).tested == 3 * len(Measure)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(0, 2**32), st.integers(4, 25), st.floats(0.01, 0.4))
def test_a_household_in_which_nothing_changes_is_left_in_peace(seed: int, a_day: int, rate: float):
    rng = random.Random(seed)

    def some() -> int:
        return sum(rng.random() < rate for _ in range(a_day))

    rows = [
        row(day, a_day, source=source, target=target, **{measure.value: some() for measure in Measure})
        for day in DAYS
        for source in ("telegram", "email")
        for target in (ALL, "finance", "general")
    ]
    report = drifts_of(rows, UNTIL)
    assert report.drifts == ()


@given(st.lists(st.tuples(st.integers(0, 34), st.integers(0, 60), st.integers(0, 60)), max_size=60))
def test_whatever_is_found_is_certain_enough_large_enough_and_worse(given_rows: list[tuple[int, int, int]]):
    rows = [row(DAYS[at], max(some, of), corrected=min(some, of)) for at, some, of in given_rows]
    for one in drifts_of(rows, UNTIL).drifts:
        assert one.p <= ALPHA
        assert one.recent.rate >= one.before.rate + 0.03
        assert min(one.recent.of, one.before.of) >= 30
        assert one.recent.count >= 5
