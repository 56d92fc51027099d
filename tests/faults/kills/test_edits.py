"""A process killed while a message is edited: the facts change once, and are said once."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from butler_kit.mcp import CachedMCPClient
from tests.faults.household import Armed
from tests.faults.kills.test_operations import switchboard
from tests.faults.ledger import LEDGER
from tests.integration.specialist import household as specialist_household
from tests.integration.specialist.household import envelope, id_of, request_context
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.switchboard import BOT, telegram
from tests.support.switchboard_service import Household, household, until

ALONE = (sys.executable, "-m", "butler_specialist")
SPENT, MENDED = "Spent 60 EUR on groceries", "Spent 66 EUR on groceries"


def edit_of(first: dict[str, Any]) -> dict[str, Any]:
    part = {"request_id": first["request_context"]["request_id"], "segment_id": "s1"}
    told = {"prompt": MENDED, "context": {"supersedes": {"parts": [part]}}}
    return envelope(MENDED, context=request_context("telegram"), input=told)


@pytest.mark.parametrize(
    "point",
    [
        points.SESSION_ENDED,
        pytest.param(points.WORK_STARTED, marks=pytest.mark.faults_full),
        pytest.param(points.OUTCOME_COMMITTED, marks=pytest.mark.faults_full),
        pytest.param(points.ANSWER_TOLD, marks=pytest.mark.faults_full),
    ],
)
async def test_a_butler_killed_over_an_edit_changes_the_fact_once(
    provisioned: Provision, tmp_path: Path, point: str
) -> None:
    armed, first = Armed(tmp_path / "faults"), envelope(SPENT)
    async with specialist_household.household(provisioned, tmp_path) as place:
        place.more_environment[FAULTS_DIR] = str(armed.folder)
        edit = edit_of(first)
        async with place.process(free_port(), program=ALONE) as (child, butler):
            await butler.done(first)
            armed.arm([point])
            await butler.execute(edit)
            assert await asyncio.wait_for(child.wait(), 60) != 0
        LEDGER.kills += 1
        await place.database.shift_clock(timedelta(seconds=60))  # the dead process's lease has run out
        async with place.process(free_port()):
            ended = await place.switchboard.completed(id_of(edit))
            await place.until_state(id_of(edit), "processed")
        assert ended.status == "ok"
        [row] = await place.records()
        assert (str(row["amount"]), row["version"], row["withdrawn_at"]) == ("66", 2, None)
        assert await place.pool.fetchval("SELECT count(*) FROM record_changes") == 1
        told = {
            (notify.delivery.idempotency_key, notify.delivery.message)
            for notify in place.switchboard.notifies
            if "Changed" in (notify.delivery.message or "")
        }
        assert len(told) == 1


async def submit(url: str, home: Household, message: IngestEnvelopeV1) -> None:
    """As the household's bot; the process may die over the answer."""
    token = home.keys.connector("telegram_bot", BOT)
    client = CachedMCPClient.for_service(f"{url}/sse", lambda: token, timeout_s=10)
    try:
        with suppress(ConnectionError, TimeoutError):
            await client.call("ingestion.ingest", {"envelope": message.to_wire()})
    finally:
        await client.aclose()


@pytest.mark.parametrize(
    "point",
    [
        points.PLAN_COMMITTED,
        pytest.param(points.ROUTE_DECIDED, marks=pytest.mark.faults_full),
        pytest.param(points.DISPATCH_COUNTED, marks=pytest.mark.faults_full),
        pytest.param(points.DISPATCH_ANSWERED, marks=pytest.mark.faults_full),
    ],
)
async def test_a_switchboard_killed_over_an_edit_tells_one_edit_of_one_message(
    provisioned: Provision, tmp_path: Path, point: str
) -> None:
    armed = Armed(tmp_path / "faults")
    async with household(provisioned, tmp_path, "finance", "general") as home:
        finance = home.butler("finance")
        async with home.run() as running:
            request = await running.accepted(telegram(1, SPENT, message_id="77"))
            await home.settled(request)
        armed.arm([f"{point}@finance" if "dispatch" in point else point])
        async with switchboard(home, tmp_path, armed) as one:
            await submit(one.url, home, telegram(2, MENDED, message_id="77", supersedes="77"))
            assert await asyncio.wait_for(one.process.wait(), 60) < 0
        LEDGER.kills += 1
        edit = await home.pool.fetchval("SELECT request_id FROM message_inbox WHERE supersedes = '77'")
        await home.database.shift_clock(timedelta(seconds=60))
        async with home.run():

            async def ended() -> bool:
                return (await home.row(edit))["final_state_at"] is not None

            await until(ended, what="the end of the edit")
    got = [one for one in finance.got if one.request_context.request_id == edit]
    assert len({one.subrequest.subrequest_id for one in got}) == 1
    assert {one.supersedes.parts[0].request_id for one in got if one.supersedes} == {request}
