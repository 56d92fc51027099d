"""The buffer's last edge: what is cancelled while it waits in memory is never worked on (CON-4.1)."""

from __future__ import annotations

import asyncio

import pytest

from tests.flow.switchboard.test_overrides import BILL, WHY, operator
from tests.flow.switchboard.test_routing import classifier
from tests.flow.switchboard.test_serving import held
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household

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
