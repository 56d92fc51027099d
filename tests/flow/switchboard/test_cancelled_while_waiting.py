"""What is cancelled while it waits in memory is never worked on, and a session under way is ended (CON-4.1)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from butler_kit.queue.hands import Hands
from butler_kit.runtime.commandline import COMMAND_LINES
from tests.flow.switchboard.test_overrides import BILL, WHY, operator
from tests.flow.switchboard.test_routing import classifier
from tests.flow.switchboard.test_serving import held
from tests.support.command_lines import pids_in, starts_another, until_over
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household
from tests.support.thinking import KEY, VARIABLE

ONE_WORKER = "[buffer]\nworker_count = 1\n"


@pytest.mark.spec("CON-4.1", "SWB-38.1")
async def test_what_is_cancelled_while_it_waits_in_memory_is_skipped_when_its_turn_comes(home: Household):
    gate = asyncio.Event()
    async with (
        home.run(ONE_WORKER, prepare=classifier(lambda job: held(job, gate))) as running,
        operator(running) as ops,
    ):
        first = await running.accepted(telegram(1, BILL, chat="1"))
        waiting = await running.accepted(telegram(2, BILL, chat="2"))
        assert (await home.row(waiting))["lifecycle_state"] == "accepted"
        assert waiting in running.switchboard.parts.queue.buffer.refs()
        assert (await ops.post(f"/requests/{waiting}/cancel", json=WHY)).status_code == 200
        gate.set()
        ends = [(await home.settled(one))["lifecycle_state"] for one in (first, waiting)]
    assert ends == ["parsed", "cancelled"]
    assert home.butler("general").requests() == [first]
    assert await home.pool.fetch("SELECT request_id FROM route_plan WHERE request_id = $1", waiting) == []
    assert await home.pool.fetchval("SELECT count(*) FROM sessions WHERE request_id = $1", waiting) == 0


async def never(_: Hands, __: float) -> None:
    await asyncio.Event().wait()


@pytest.mark.spec("CON-4.1", "SWB-38.1")
async def test_a_cancel_ends_the_program_that_routes_and_what_that_started_at_once(
    home: Household, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Not at the next renewal of leases, which never comes here."""
    monkeypatch.setitem(COMMAND_LINES, "codex", starts_another(tmp_path / "pids"))
    monkeypatch.setattr(Hands, "keep_renewing", never)
    home.more_environment[VARIABLE] = KEY
    runtime = {
        "family": "codex",
        "baseUrl": "http://127.0.0.1:9/v1",
        "apiKeySecretRef": {"name": "model", "key": "api-key"},
        "model": "stub",
    }
    spec = {"runtime": runtime, "routing": {"sessionTimeoutSeconds": 120}}
    async with home.run(spec=spec) as running, operator(running) as ops:
        request = await running.accepted(telegram(1, BILL))
        pids = await pids_in(tmp_path / "pids")
        assert (await ops.post(f"/requests/{request}/cancel", json=WHY)).status_code == 200
        await until_over(pids)
        row = await home.settled(request)
    assert row["lifecycle_state"] == "cancelled"
    assert all(butler.got == [] for butler in home.butlers.values())
