"""A Switchboard killed between an operator's act and its answer: asked again with the same key, it was done once."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.support.butlers import answers, error_of, in_turn
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, config_text, household, until

STARTED_S = 60.0
BILL = "I paid the gas bill of 40 euro"
KEY = "3f0e2f6e-0000-4000-8000-000000000001"


class Process:
    """One life of a Switchboard, and a way to ask it."""

    def __init__(self, home: Household, port: int, process: asyncio.subprocess.Process) -> None:
        self.home = home
        self.url = f"http://127.0.0.1:{port}"
        self.process = process

    async def replay(self, request_id: UUID) -> httpx.Response | None:
        """Ask for the replay; None when the process died over it."""
        headers = {
            "Authorization": f"Bearer {self.home.keys.operator()}",
            "Idempotency-Key": KEY,
        }
        async with httpx.AsyncClient(timeout=30) as client:
            try:
                path = f"{self.url}/ops/v1/requests/{request_id}/replay"
                return await client.post(path, json={"reason": "mended"}, headers=headers)
            except httpx.TransportError:
                return None

    async def serves(self) -> bool:
        async with httpx.AsyncClient(timeout=5) as client:
            try:
                return (await client.get(f"{self.url}/readyz")).status_code == 200
            except httpx.TransportError:
                return False


@asynccontextmanager
async def switchboard(home: Household, folder: Path, armed: Armed) -> AsyncIterator[Process]:
    port = free_port()
    config = folder / "butler.toml"
    config.write_text(config_text(port=port))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "butler_switchboard", "--config", str(config)),
        env={**os.environ, **home.environment(), FAULTS_DIR: str(armed.folder)},
    )
    one = Process(home, port, process)
    try:
        await until(one.serves, what="Switchboard serves", deadline_s=STARTED_S)
        yield one
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.spec("SWB-32.2")
async def test_an_act_is_done_once_though_its_process_died_before_and_after_it(
    provisioned: Provision, tmp_path: Path
) -> None:
    armed = Armed(tmp_path / "faults")
    async with household(provisioned, tmp_path, "finance", "general") as home:
        finance = home.butler("finance")
        finance.behaviour = in_turn(answers(error=error_of()), answers())
        async with home.run() as running:
            request_id = (await home.settled(await running.accepted(telegram(1, BILL))))["request_id"]

        for point, done in ((points.OPERATION_BEFORE_COMMIT, 0), (points.OPERATION_COMMITTED, 1)):
            armed.arm([point])
            async with switchboard(home, tmp_path, armed) as one:
                assert await one.replay(request_id) is None
                async with asyncio.timeout(STARTED_S):
                    assert await one.process.wait() < 0
            LEDGER.kills += 1
            assert await home.pool.fetchval("SELECT count(*) FROM operation WHERE state = 'done'") == done
            assert (
                await home.pool.fetchval(
                    "SELECT count(*) FROM dashboard_audit_log WHERE operation = 'request.replay'"
                )
                == done
            )

        async with switchboard(home, tmp_path, armed) as one:
            answer = await one.replay(request_id)
            assert answer is not None
            assert answer.json()["repeated"] is True
            row = await home.settled(request_id)
    assert row["lifecycle_state"] == "parsed"
    assert [envelope.subrequest.attempt for envelope in finance.got] == [1, 2]
