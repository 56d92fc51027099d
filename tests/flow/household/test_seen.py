"""The 139 messages of the review, said to a household under `butlers up`, are answered as a person would accept.

`make bench-useful` prints the same by theme. A rule that breaks many of them does not pass unseen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
import pytest_asyncio

from bench.useful.loading import EXAMPLES, load_set
from bench.useful.playing import played_set
from bench.useful.results import Result, verbatim

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("seen")]

DEADLINE_S = 600.0
SEEN = load_set(EXAMPLES / "seen")
USEFUL = 0.8
"""The goal; see docs/benchmarks.md."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def results(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Result]:
    async with asyncio.timeout(DEADLINE_S):
        return await played_set(SEEN, tmp_path_factory.mktemp("seen"))


def of(results: Sequence[Result], verdict: str) -> list[str]:
    return [verbatim(one) for one in results if one.verdict == verdict]


async def test_every_message_of_the_review_is_judged(results: Sequence[Result]) -> None:
    assert len(results) == SEEN.messages == 139


async def test_no_wrong_fact_is_confirmed(results: Sequence[Result]) -> None:
    assert not of(results, "wrong_fact"), "\n".join(of(results, "wrong_fact"))


async def test_nothing_is_lost_without_a_word(results: Sequence[Result]) -> None:
    assert not of(results, "silent_loss"), "\n".join(of(results, "silent_loss"))


async def test_four_of_five_answers_are_useful(results: Sequence[Result]) -> None:
    others = [verbatim(one) for one in results if one.verdict != "useful"]
    assert len(of(results, "useful")) >= USEFUL * len(results), "\n".join(others)
