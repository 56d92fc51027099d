"""When a candidate is certainly worse (SWB-36.1, ADR 0095)."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

from butler_rollups.drift import Share
from butler_switchboard.rollouts.judging import (
    Counts,
    Judgement,
    Signal,
    State,
    effect_of_threads,
    judged,
)

BOUNDS = {"minimum": 30, "significance": 0.001}


def counts(decisions: int, **signals: int) -> Counts:
    return Counts(decisions, {Signal(name): count for name, count in signals.items()})


def judge(usual: Counts, candidate: Counts, significance: float = 0.001) -> Judgement:
    return judged(usual, candidate, minimum=30, significance=significance)


def exactly(tried: tuple[int, int], known: tuple[int, int]) -> float:
    """The one-sided chance of Fisher's test, in whole numbers."""
    (count, of), (others, rest) = tried, known
    events, everything = count + others, of + rest
    ways = sum(comb(of, k) * comb(rest, events - k) for k in range(count, min(of, events) + 1))
    return float(Fraction(ways, comb(everything, events)))


@pytest.mark.spec("SWB-36.1")
@pytest.mark.parametrize("signal", list(Signal))
def test_each_signal_alone_rolls_back_a_candidate_of_which_it_is_certainly_more_often_true(
    signal: Signal,
) -> None:
    found = judge(counts(270, **{signal: 3}), counts(30, **{signal: 12}))
    assert found.state is State.WORSE
    assert found.worse is not None
    assert (found.worse.signal, found.worse.candidate, found.worse.usual) == (
        signal, Share(12, 30), Share(3, 270),
    )  # fmt: skip


@pytest.mark.spec("SWB-36.1")
@pytest.mark.parametrize(
    ("tried", "known"), [((12, 30), (3, 270)), ((30, 30), (0, 30)), ((20, 100), (40, 900))]
)
def test_the_chance_is_that_of_fishers_exact_test_times_the_four_signals_tested(
    tried: tuple[int, int], known: tuple[int, int]
) -> None:
    found = judge(counts(known[1], errors=known[0]), counts(tried[1], errors=tried[0]))
    assert found.worse is not None
    assert found.worse.p == pytest.approx(4 * exactly(tried, known), rel=1e-9)


def test_the_bound_holds_for_all_signals_together() -> None:
    """What one signal alone would show is not enough where four are looked at."""
    tried, known = (8, 40), (12, 360)
    alone = exactly(tried, known)
    usual, candidate = counts(360, errors=12), counts(40, errors=8)
    assert judge(usual, candidate, alone * 3.9).state is State.NO_WORSE
    assert judge(usual, candidate, alone * 4.1).state is State.WORSE


@pytest.mark.spec("SWB-36.1")
@pytest.mark.parametrize(("usual", "candidate"), [(270, 29), (29, 270), (0, 0)])
def test_nothing_is_concluded_before_either_arm_has_its_minimum(usual: int, candidate: int) -> None:
    assert judge(counts(usual), counts(candidate, errors=candidate)) == Judgement(State.COLLECTING)


def test_with_its_minimum_a_model_that_never_answers_is_rolled_back() -> None:
    assert judge(counts(30), counts(30, errors=30)).state is State.WORSE


def test_what_is_better_or_alike_stays() -> None:
    assert judge(counts(270, errors=200), counts(30)).state is State.NO_WORSE
    assert judge(counts(270, errors=27), counts(30, errors=3)).state is State.NO_WORSE


def test_a_certain_difference_that_hardly_matters_stays() -> None:
    usual, candidate = counts(1_000_000, fallbacks=10_000), counts(100_000, fallbacks=2_000)
    assert judge(usual, candidate).state is State.NO_WORSE


def test_few_cases_are_no_ground_whatever_the_usual_is() -> None:
    assert judge(counts(100_000), counts(30, errors=4), 0.05).state is State.NO_WORSE


def test_threads_that_differ_no_more_than_decisions_do_take_nothing_off() -> None:
    share = Share(20, 100)
    # Four threads of 25, each with its five.
    assert effect_of_threads(share, threads=4, squares=0.0) == 1.0


def test_a_thread_of_one_kind_tells_as_much_as_one_decision() -> None:
    """Ten threads of ten, two of them all of the kind: (10 - 2)² twice and (0 - 2)² eight times, by hand."""
    effect = effect_of_threads(Share(20, 100), threads=10, squares=2 * 64 + 8 * 4)
    assert effect == pytest.approx(10 / 9 * 10)


@pytest.mark.parametrize(("threads", "count"), [(1, 20), (4, 0), (4, 100)])
def test_where_nothing_differs_or_nothing_is_known_each_decision_stands_alone(
    threads: int, count: int
) -> None:
    assert effect_of_threads(Share(count, 100), threads=threads, squares=900.0) == 1.0


def test_the_less_independent_arm_says_how_much_both_tell() -> None:
    usual, candidate = counts(270, fallbacks=27), counts(60, fallbacks=22)
    assert judge(usual, candidate).state is State.WORSE
    for one in ("usual", "candidate"):
        arms = {"usual": usual, "candidate": candidate}
        arms[one] = replace(arms[one], effects={Signal.FALLBACKS: 6.0})
        assert judge(arms["usual"], arms["candidate"]).state is State.NO_WORSE


def test_a_model_that_never_answers_is_rolled_back_though_only_one_chat_has_it() -> None:
    tried = counts(30, errors=30)
    assert judge(counts(90), tried).state is State.WORSE


def rolled_back_by_chance(seed: int) -> bool:
    """One rollout in which both arms are alike, looked at after every decision of the candidate up to 500."""
    chance = random.Random(seed)
    rates = {Signal.FALLBACKS: 0.15, Signal.CORRECTED: 0.05, Signal.ERRORS: 0.02, Signal.INVALID: 0.03}
    sums = {arm: dict.fromkeys(Signal, 0) for arm in ("usual", "candidate")}
    for number in range(1, 501):
        for arm, more in (("usual", 9), ("candidate", 1)):
            for signal, rate in rates.items():
                sums[arm][signal] += sum(chance.random() < rate for _ in range(more))
        if number >= 30 and number % 2 == 0:
            usual, candidate = Counts(number * 9, sums["usual"]), Counts(number, sums["candidate"])
            if judge(usual, candidate).worse is not None:
                return True
    return False


def test_of_sixty_candidates_that_are_no_worse_hardly_one_is_rolled_back_though_each_is_looked_at_often() -> (
    None
):
    assert sum(rolled_back_by_chance(seed) for seed in range(60)) <= 2
