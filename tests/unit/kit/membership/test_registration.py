"""A butler that keeps itself known to a Switchboard which comes, goes and forgets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_kit.mcp import ToolError
from butler_kit.membership import HEARTBEAT_S, IntroductionCard, Registration

CARD = IntroductionCard("keeps accounts", ("invoice",), ("records",), ("route.execute",))
Problem = Exception | None


class Switchboard:
    """Answers each call with the next of `problems`, and well when none is left."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = list(problems)
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def call(
        self, tool: str, args: dict[str, Any], *, timeout_s: float | None = None
    ) -> dict[str, Any]:
        self.calls.append((tool, args))
        problem = self.problems.pop(0) if self.problems else None
        if problem is not None:
            raise problem
        return {"eligibility_state": "active"}


async def rounds(switchboard: Switchboard, number: int, *, observe: Any = None) -> list[float]:
    """Run that many rounds; the pauses that were taken between them."""
    pauses: list[float] = []

    async def pause(stopping: asyncio.Event, seconds: float) -> bool:
        pauses.append(seconds)
        if len(pauses) == number:
            stopping.set()
        return stopping.is_set()

    async def depth() -> dict[str, Any]:
        return {"queue_depth": 3}

    keeper = Registration(switchboard, card=CARD, observe=observe or depth, pause=pause)
    await keeper.run(asyncio.Event())
    return pauses


async def test_it_introduces_itself_once_and_then_beats_every_thirty_seconds() -> None:
    switchboard = Switchboard()
    assert await rounds(switchboard, 3) == [HEARTBEAT_S] * 3 == [30.0] * 3
    assert [tool for tool, _ in switchboard.calls] == ["register_butler", *["butler.heartbeat"] * 3]
    assert switchboard.calls[0][1] == {
        "description": "keeps accounts",
        "triggers": ["invoice"],
        "capabilities": ["records"],
        "required_information": [],
        "tools": ["route.execute"],
        "route_contract": "route.v1",
    }
    assert switchboard.calls[1][1] == {"observed": {"queue_depth": 3}}


async def test_a_switchboard_that_does_not_know_it_any_more_gets_a_new_introduction() -> None:
    forgotten = ToolError("butler.heartbeat", "'finance' has not registered; call register_butler first")
    switchboard = Switchboard(None, None, forgotten)
    assert await rounds(switchboard, 3) == [30.0, 0.1, 30.0]
    tools = [tool for tool, _ in switchboard.calls]
    assert tools == [
        "register_butler",
        "butler.heartbeat",
        "butler.heartbeat",
        "register_butler",
        "butler.heartbeat",
    ]


@pytest.mark.parametrize(
    "absence", [ConnectionError("refused"), TargetUnavailable("no token yet"), ToolError("x", "busy")]
)
async def test_an_absent_switchboard_is_asked_again_with_growing_pauses(absence: Exception) -> None:
    switchboard = Switchboard(*[absence] * 10)
    growing = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 15.0, 15.0]
    assert await rounds(switchboard, 11) == [pytest.approx(pause) for pause in (*growing, 30.0)]


async def test_a_butler_that_cannot_see_its_own_queue_does_not_stop_beating() -> None:
    async def blind() -> dict[str, Any]:
        raise TargetUnavailable("database: no connection")

    assert await rounds(Switchboard(), 2, observe=blind) == [0.1, 0.2]
