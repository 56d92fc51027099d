"""Which thread gets a candidate, and which rollout it is (SWB-36.1)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from butler_switchboard.rollouts.trial import Arm, Rollout, Version, arm_of, mark_of

ROLLOUT = Rollout(Version("stub", "p-1"), Version("next", "p-1"), "", 10, 30, 0.001)
THREADS = [f"bot\0{number}" for number in range(10_000)]


def tried(percent: int, rollout: Rollout = ROLLOUT) -> set[str]:
    """The threads of the candidate."""
    now = replace(rollout, percent=percent)
    return {thread for thread in THREADS if arm_of(now, mark_of(now, thread)) is Arm.CANDIDATE}


@pytest.mark.spec("SWB-36.1")
@pytest.mark.parametrize("percent", [1, 5, 10, 20, 50, 90])
def test_the_share_of_ten_thousand_threads_is_what_the_manifest_says(percent: int) -> None:
    # Six standard deviations of a share of so many.
    share = percent / 100
    assert abs(len(tried(percent)) / 10_000 - share) < 6 * (share * (1 - share) / 10_000) ** 0.5


@pytest.mark.spec("SWB-36.1")
def test_a_share_that_rises_takes_threads_and_gives_none_back() -> None:
    shares = [tried(percent) for percent in range(1, 91)]
    assert all(less < more for less, more in pairwise(shares))


@pytest.mark.spec("SWB-36.1")
def test_the_arm_of_a_thread_is_the_same_in_every_process_and_release() -> None:
    assert ROLLOUT.key == "468c40c0ebee38f8"
    half = replace(ROLLOUT, percent=50)
    arms = [arm_of(half, mark_of(half, f"bot\0{number}")).value for number in range(6)]
    assert arms == ["candidate", "usual", "usual", "candidate", "candidate", "usual"]


def test_another_rollout_tries_other_threads() -> None:
    other = replace(ROLLOUT, candidate=Version("third", "p-1"))
    assert len(tried(50) & tried(50, other)) < 0.6 * len(tried(50))


@pytest.mark.parametrize(
    "change",
    [
        {"candidate": Version("third", "p-1")},
        {"candidate": Version("next", "p-2")},
        {"usual": Version("stub", "p-2")},
        {"attempt": 2},
    ],
)
def test_another_version_of_either_and_another_attempt_are_another_rollout(
    change: dict[str, object],
) -> None:
    assert replace(ROLLOUT, **change).key != ROLLOUT.key  # type: ignore[arg-type]


@pytest.mark.spec("SWB-36.1")
def test_a_family_that_is_tried_is_part_of_what_the_rollout_is() -> None:
    rules, codex = Version("rules-7", "p-1", "rules"), Version("m", "p-1", "codex")
    apart = replace(ROLLOUT, usual=rules, candidate=codex, apart=True)
    other = replace(apart, candidate=replace(codex, family="opencode"))
    assert apart.key != other.key
    assert (rules.asked, codex.asked) == (None, "m")
    assert (apart.label(rules), apart.label(codex)) == ("rules-7", "codex m")
    # A rollout of one runtime has the key and the name that it always had.
    assert replace(ROLLOUT, usual=replace(ROLLOUT.usual, family="codex")).key == ROLLOUT.key
    assert ROLLOUT.label(ROLLOUT.candidate) == "next"


def test_share_and_bounds_may_change_within_a_rollout() -> None:
    assert replace(ROLLOUT, percent=50, minimum=100, significance=0.01).key == ROLLOUT.key
