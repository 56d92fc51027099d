"""A specialist killed around a call of a tool outside: it is called once at most, and the person hears of it (D61)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from tests.faults.household import Armed
from tests.faults.kills.test_reminders import PATIENCE_S, PROGRAM
from tests.faults.ledger import LEDGER
from tests.integration.specialist.household import Place, household, id_of, request_context
from tests.integration.specialist.test_outside import DONE, SWITCH, TURN_ON, home, tools
from tests.integration.specialist.thinking import KEY, VARIABLE, api, in_turn
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.model_api import Call, ModelServer
from tests.support.tool_server import LampServer, lamp_server

READ = Call.of("lamps_list")
CALLED = (points.CALL_ANSWERED, points.CALL_KEPT, points.SESSION_ENDED)


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path, "home") as made:
        made.more_environment |= {VARIABLE: KEY, "BUTLERS_REPLICA": "home-0"}
        yield made


async def killed_at(
    place: Place, point: str, model: ModelServer, lamps: LampServer, data: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How the work stands after a kill there and another start, and every call that was kept."""
    armed = Armed(place.folder / "faults")
    armed.arm([point])
    place.more_environment[FAULTS_DIR] = str(armed.folder)
    manifest = home(model, tools(lamps.url, timeoutSeconds=30))
    async with place.process(free_port(), program=PROGRAM, spec=manifest) as (child, specialist):
        await specialist.ready(child)
        await specialist.execute(data)
        async with asyncio.timeout(PATIENCE_S):
            assert await child.wait() < 0
    LEDGER.kills += 1
    async with place.process(free_port(), program=PROGRAM, spec=manifest):
        row = await place.until_state(id_of(data), "processed", "errored")
    kept = await place.pool.fetch("SELECT tool, state FROM external_calls ORDER BY begun_at")
    return row, [dict(one) for one in kept]


@pytest.mark.parametrize("point", [points.CALL_NOTED, *CALLED])
async def test_a_kill_around_a_call_never_makes_it_twice_and_the_person_is_told(
    place: Place, point: str
) -> None:
    async with ModelServer(in_turn(SWITCH, DONE), key=KEY) as model, lamp_server() as lamps:
        row, kept = await killed_at(place, point, model, lamps, api(TURN_ON, butler="home"))
    assert lamps.switched == ([] if point == points.CALL_NOTED else [("kitchen", True)])
    assert (row["lifecycle_state"], row["error"]["original_class"]) == ("errored", "uncertain")
    assert row["error"]["retryable"] is False
    assert "uncertain" in row["tags"]
    surely = point in (points.CALL_KEPT, points.SESSION_ENDED)
    words = "This was done" if surely else "This may have been done, or not"
    assert f"{words}: lamps.switch (room: kitchen, on: true)." in row["error"]["message"]
    assert kept == [{"tool": "switch", "state": "returned" if surely else "begun"}]
    [completion] = {one.subrequest_id: one for one in place.switchboard.completions}.values()
    assert completion.error is not None
    assert completion.error.original_class == "uncertain"


@pytest.mark.parametrize("point", [points.WORK_STARTED, points.OUTCOME_COMMITTED])
async def test_a_kill_before_a_session_or_after_its_outcome_costs_nothing(place: Place, point: str) -> None:
    async with ModelServer(in_turn(SWITCH, DONE), key=KEY) as model, lamp_server() as lamps:
        row, kept = await killed_at(place, point, model, lamps, api(TURN_ON, butler="home"))
    assert lamps.switched == [("kitchen", True)]
    assert (row["lifecycle_state"], row["result"]["reply"]) == ("processed", "The kitchen lamp is on.")
    assert [one["state"] for one in kept] == ["returned"]


@pytest.mark.parametrize("point", [points.CALL_NOTED, points.CALL_ANSWERED])
async def test_calls_that_only_read_do_not_keep_a_session_from_running_again(
    place: Place, point: str
) -> None:
    async with ModelServer(in_turn(READ, SWITCH, DONE), key=KEY) as model, lamp_server() as lamps:
        row, kept = await killed_at(place, point, model, lamps, api(TURN_ON, butler="home"))
    assert (row["lifecycle_state"], lamps.switched) == ("processed", [("kitchen", True)])
    assert [one["tool"] for one in kept] == ["list", "list", "switch"]


async def test_whoever_was_told_that_it_was_over_hears_what_may_have_been_done(place: Place) -> None:
    """Switchboard's clock of the run ended while the specialist was down."""
    async with ModelServer(in_turn(SWITCH, DONE), key=KEY) as model, lamp_server() as lamps:
        armed = Armed(place.folder / "faults")
        armed.arm([points.CALL_ANSWERED])
        place.more_environment[FAULTS_DIR] = str(armed.folder)
        manifest = home(model, tools(lamps.url, timeoutSeconds=30))
        chat = request_context("telegram")
        data = {**api(TURN_ON, butler="home"), "request_context": chat}
        async with place.process(free_port(), program=PROGRAM, spec=manifest) as (child, specialist):
            await specialist.ready(child)
            await specialist.execute(data)
            async with asyncio.timeout(PATIENCE_S):
                assert await child.wait() < 0
        place.switchboard.start_answer = "ended"
        async with place.process(free_port(), program=PROGRAM, spec=manifest):
            row = await place.until_state(id_of(data), "errored")
    [notify] = place.switchboard.notifies
    assert "This may have been done, or not: lamps.switch" in (notify.delivery.message or "")
    assert row["error"]["original_class"] == "uncertain"
    assert lamps.switched == [("kitchen", True)]
