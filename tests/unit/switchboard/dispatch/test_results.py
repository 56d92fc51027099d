"""What a part that waited for others is told of what they came to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from butler_contracts.route import ANSWER_MAX, PartResultV1
from butler_switchboard.dispatch.model import FanoutMode
from butler_switchboard.dispatch.results import parts_before, results_of
from butler_switchboard.routing.everybody import ASKED_OF_ALL
from tests.unit.switchboard.dispatch.build import branch, error, plan, request

PAID = {"result": {"reply": "Paid 40 EUR."}}
ORDERED = plan("finance", "health", "general", fanout_mode=FanoutMode.ORDERED)


def test_each_part_before_it_is_told_with_its_end_and_answer_in_the_order_of_the_plan() -> None:
    parts = (
        branch(1, "finance", "ok", response=PAID),
        branch(2, "health", "error", error=error(), response={"result": {"reply": "half a word"}}),
    )
    general = branch(3, "general")
    before = parts_before(request(ORDERED, *parts, general), ORDERED, general)
    assert results_of(before, {}) == (
        PartResultV1(butler="finance", ended="ok", answer="Paid 40 EUR."),
        PartResultV1(butler="health", ended="error"),
    )


def test_the_newest_attempt_of_a_part_counts_and_what_was_told_elsewhere_is_its_answer() -> None:
    first, again = branch(1, "finance", "error", error=error()), branch(1, "finance", "ok", attempt=2)
    health = branch(2, "health")
    before = parts_before(request(ORDERED, first, again, health), ORDERED, health)
    told = {"finance": "Noted.", "health": "not this one's"}
    assert results_of(before, told) == (PartResultV1(butler="finance", ended="ok", answer="Noted."),)


def test_a_long_answer_is_cut_and_an_empty_one_is_none() -> None:
    long = branch(1, "finance", "ok", response={"result": {"reply": "x" * 16_000}})
    [result] = results_of((long,), {})
    assert result.answer is not None
    assert (len(result.answer), result.answer[-1]) == (ANSWER_MAX, "…")
    empty = branch(1, "finance", "ok", response={"result": {"reply": "  "}})
    assert results_of((empty,), {}) == (PartResultV1(butler="finance", ended="ok"),)


@pytest.mark.parametrize(
    "made",
    [
        replace(ORDERED, fanout_mode=FanoutMode.PARALLEL),
        replace(ORDERED, reason=ASKED_OF_ALL),
    ],
)
def test_parts_that_do_not_depend_on_each_other_are_told_nothing(made) -> None:
    health = branch(2, "health")
    assert parts_before(request(made, branch(1, "finance", "ok", response=PAID), health), made, health) == ()


def test_who_takes_back_what_was_noted_is_told_nothing_of_others() -> None:
    taking_back = replace(branch(1, "general"), segment_id="s1-withdrawn", position=1001)
    state = request(ORDERED, branch(1, "finance", "ok", response=PAID), taking_back)
    assert parts_before(state, ORDERED, taking_back) == ()
    first, second, third = ORDERED.targets
    leaving = replace(third, supersedes={"parts": [], "moved_to": ["finance"]})
    edited, last = replace(ORDERED, targets=(first, second, leaving)), branch(3, "general")
    assert parts_before(request(edited, branch(1, "finance", "ok", response=PAID), last), edited, last) == ()
