"""What a session's output counts: each answer once, the sum at the end, and the end of a budget (SWB-33.1)."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_contracts.budgets import Bound
from butler_kit.runtime import SessionJob, ToolBelt
from butler_kit.runtime.budget import Account, Price, SessionBudget, Terms, Tokens
from butler_kit.runtime.commandline import COMMAND_LINES
from butler_kit.runtime.commandline.output import Output, Tally
from butler_kit.runtime.commandline.told import Took
from butler_kit.runtime.transcript import UNRECORDED

tokens = st.builds(Tokens, st.integers(0, 50_000), st.integers(0, 4_096))


@given(answers=st.lists(st.lists(tokens, min_size=1, max_size=4), max_size=5))
def test_the_lines_of_an_answer_count_once_with_their_largest_figures(answers: list[list[Tokens]]) -> None:
    tally = Tally()
    for number, lines in enumerate(answers):
        for line in lines:
            tally.took(Took(line, answer=str(number)))
    assert tally.used == Tokens(
        sum(max(line.input for line in lines) for lines in answers),
        sum(max(line.output for line in lines) for lines in answers),
    )


@given(before=st.lists(tokens, max_size=4), last=tokens)
def test_a_sum_replaces_what_was_reported_of_answers_unless_it_is_of_nothing(
    before: list[Tokens], last: Tokens
) -> None:
    tally = Tally()
    for one in before:
        tally.took(Took(one))
    known = tally.used
    tally.summed(last)
    assert tally.used == (last if last.total else known)


def output(family: str, budget: SessionBudget, turns: int = 9) -> Output:
    job = SessionJob(uuid4(), "route", "You route.", "hello", ToolBelt(), None, "1", 20.0)
    account = Account(job, Terms(session=budget, price=Price(100, 1_000), priced=True), None)
    account.meter.program(100, most=4_096, worst_microcents=0)
    return Output(COMMAND_LINES[family], turns, asyncio.Event(), UNRECORDED, account)


async def hears(heard: Output, *lines: dict[str, Any]) -> None:
    for line in lines:
        await heard.line(json.dumps(line))


def step(read: int, wrote: int, reason: str = "tool-calls") -> dict[str, Any]:
    return {"type": "step_finish", "part": {"reason": reason, "tokens": {"input": read, "output": wrote}}}


def part_of(answer: str, read: int, wrote: int, call: str) -> dict[str, Any]:
    message = {
        "id": answer,
        "model": "m",
        "content": [{"type": "tool_use", "id": call, "name": "say", "input": {}}],
        "usage": {"input_tokens": read, "output_tokens": wrote},
    }
    return {"type": "assistant", "message": message}


def done(call: str) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": call, "content": "recorded"}
    return {"type": "user", "message": {"content": [result]}}


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    ("budget", "bound"),
    [
        (SessionBudget(tokens=5_000), Bound.SESSION_TOKENS),
        (SessionBudget(microcents=500_000), Bound.SESSION_CENTS),
    ],
)
async def test_opencode_is_ended_after_the_step_that_used_a_budget_up(
    budget: SessionBudget, bound: Bound
) -> None:
    heard = output("opencode", budget)
    await hears(heard, step(2_400, 50))
    assert not heard.over.is_set()
    await hears(heard, step(2_500, 60))
    assert (heard.over.is_set(), heard.used_up) == (True, bound)
    assert heard.account.meter.used == Tokens(4_900, 110)


@pytest.mark.spec("SWB-33.1")
async def test_claude_code_is_ended_when_all_calls_of_an_answer_were_carried_out_and_it_would_ask_again() -> (
    None
):
    heard = output("claude-code", SessionBudget(tokens=5_000))
    await hears(heard, part_of("a", 2_400, 1, "1"), part_of("a", 2_400, 50, "2"), done("1"), done("2"))
    assert not heard.over.is_set()
    await hears(heard, part_of("b", 2_600, 1, "3"), part_of("b", 2_600, 1, "4"), done("3"))
    assert not heard.over.is_set()
    await hears(heard, done("4"))
    assert (heard.over.is_set(), heard.used_up) == (True, Bound.SESSION_TOKENS)


@pytest.mark.spec("SWB-33.1")
@pytest.mark.parametrize(
    ("family", "last"),
    [
        ("opencode", step(9_000, 50, "stop")),
        ("claude-code", {"type": "result", "usage": {"input_tokens": 9_000, "output_tokens": 50}}),
        ("codex", {"type": "turn.completed", "usage": {"input_tokens": 9_000, "output_tokens": 50}}),
    ],
)
async def test_a_program_that_is_done_is_not_ended_and_what_it_exceeded_is_counted(
    family: str, last: dict[str, Any]
) -> None:
    heard = output(family, SessionBudget(tokens=5_000))
    await hears(heard, last)
    assert (heard.over.is_set(), heard.used_up) == (False, None)
    assert heard.account.meter.used == Tokens(9_000, 50)


async def test_lines_that_are_no_objects_say_nothing() -> None:
    heard = output("codex", SessionBudget())
    for line in ("", "[1]", '{"type": ', "plain words"):
        await heard.line(line)
    assert heard.account.meter.used == Tokens()
