"""What each of several butlers that are asked the same is told of the others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from butler_switchboard.dispatch.model import FanoutMode
from butler_switchboard.dispatch.together import together_of
from butler_switchboard.routing.everybody import ASKED_OF_ALL
from butler_switchboard.routing.memory import ASKED_OF_MEMORIES, FORGOTTEN_BY_ALL
from butler_switchboard.routing.tellers import ASKED_OF_TELLERS
from tests.unit.switchboard.dispatch.build import branch, error, plan, request

TOGETHER = replace(plan("finance", "health", "general", fanout_mode=FanoutMode.ORDERED), reason=ASKED_OF_ALL)
TOLD = {"result": {"records": 0, "notified": {"status": "ok"}}}
SAID = {"result": {"records": 0, "reply": "the dentist"}}
SILENT = {"result": {"records": 0}}


@pytest.mark.parametrize(("response", "answered"), [(TOLD, 1), (SAID, 1), (SILENT, 0), (None, 0)])
def test_an_answer_counts_and_silence_does_not(response: dict[str, object] | None, answered: int) -> None:
    health = branch(2, "health")
    state = request(TOGETHER, branch(1, "finance", "ok", response=response), health, branch(3, "general"))
    told = together_of(state, TOGETHER, health)
    assert told is not None
    assert (told.answered, told.last) == (answered, False)


def test_the_last_one_knows_that_it_is_and_that_a_failure_is_no_answer() -> None:
    general = branch(3, "general")
    state = request(
        TOGETHER,
        branch(1, "finance", "error", error=error(), response=TOLD),
        branch(2, "health", "ok", response=SILENT),
        general,
    )
    told = together_of(state, TOGETHER, general)
    assert told is not None
    assert (told.answered, told.last) == (0, True)


def test_a_message_for_several_butlers_with_a_part_each_is_no_question_to_all() -> None:
    usual = plan("finance", "health")
    first = branch(1, "finance")
    assert together_of(request(usual, first, branch(2, "health")), usual, first) is None


def test_who_is_asked_for_what_was_told_knows_that_it_is_not_asked_for_all_that_comes() -> None:
    both = replace(plan("health", "general", fanout_mode=FanoutMode.ORDERED), reason=ASKED_OF_TELLERS)
    general = branch(2, "general")
    state = request(both, branch(1, "health", "ok", response=SILENT), general)
    told = together_of(state, both, general)
    assert told is not None
    assert (told.answered, told.last, told.of) == (0, True, "told")
    everybody = together_of(request(TOGETHER, branch(3, "general")), TOGETHER, branch(3, "general"))
    assert everybody is not None
    assert everybody.of is None


@pytest.mark.parametrize("reason", [ASKED_OF_MEMORIES, FORGOTTEN_BY_ALL])
def test_all_that_remember_know_that_it_is_their_memory_that_is_asked(reason: str) -> None:
    all_of = replace(plan("health", "general", fanout_mode=FanoutMode.ORDERED), reason=reason)
    general = branch(2, "general")
    told = together_of(request(all_of, branch(1, "health", "ok", response=SAID), general), all_of, general)
    assert told is not None
    assert (told.answered, told.last, told.of) == (1, True, "memory")
