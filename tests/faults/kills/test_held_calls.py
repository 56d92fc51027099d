"""A specialist killed between the steps of a call that waits for an approval: made at most once (ADR 0101)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from tests.faults.household import Armed
from tests.faults.kills.test_reminders import PATIENCE_S, PROGRAM
from tests.faults.ledger import LEDGER
from tests.integration.specialist.household import Place, household, request_context
from tests.integration.specialist.test_held_calls import APPROVED, ASKED, ended
from tests.integration.specialist.test_outside import SWITCH, TURN_ON, calls, home, tools
from tests.integration.specialist.thinking import KEY, VARIABLE, api, in_turn
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.model_api import ModelServer
from tests.support.tool_server import lamp_server

DONE, OPEN = "it was done", "It may have been done, or not"


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path, "home") as made:
        made.more_environment |= {VARIABLE: KEY, "BUTLERS_REPLICA": "home-0"}
        yield made


@pytest.mark.parametrize(
    ("point", "switched", "words"),
    [
        (points.OUTCOME_COMMITTED, 1, DONE),
        (points.VERDICT_KEPT, 1, DONE),
        (points.CALL_NOTED, 0, OPEN),
        (points.CALL_ANSWERED, 1, OPEN),
        (points.CALL_KEPT, 1, DONE),
        (points.CALL_TOLD, 1, DONE),
    ],
)
async def test_a_kill_between_any_two_steps_never_makes_the_call_twice(
    place: Place, point: str, switched: int, words: str
) -> None:
    armed = Armed(place.folder / "faults")
    armed.arm([point])
    place.more_environment[FAULTS_DIR] = str(armed.folder)
    place.switchboard.verdict = lambda _: APPROVED
    data = {**api(TURN_ON, butler="home"), "request_context": request_context("telegram")}
    async with ModelServer(in_turn(SWITCH, ASKED), key=KEY) as model, lamp_server() as lamps:
        manifest = home(model, tools(lamps.url, approval="always", timeoutSeconds=30))
        async with place.process(free_port(), program=PROGRAM, spec=manifest) as (child, specialist):
            await specialist.ready(child)
            await specialist.execute(data)
            async with asyncio.timeout(PATIENCE_S):
                assert await child.wait() < 0
        LEDGER.kills += 1
        async with place.process(free_port(), program=PROGRAM, spec=manifest):
            [row] = await ended(place)
    assert lamps.switched == [("kitchen", True)] * switched
    told = {one.delivery.idempotency_key: one.delivery.message for one in place.switchboard.notifies}
    assert words in str(told[f"held:{row['call_id']}"])
    assert len({one.call_id for one in place.switchboard.asked_calls}) == 1
    [kept] = await calls(place)
    assert kept["state"] == ("returned" if words == DONE else "begun")
