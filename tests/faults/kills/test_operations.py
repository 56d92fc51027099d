"""A Switchboard killed between an operator's act and its answer: asked again with the same key, it was done once."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.flow.switchboard.test_overrides import under_way
from tests.support.butlers import accepts, answers, error_of, in_turn
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

    async def act(self, request_id: UUID, verb: str, **more: str) -> httpx.Response | None:
        """Order it; None when the process died over it."""
        headers = {
            "Authorization": f"Bearer {self.home.keys.operator()}",
            "Idempotency-Key": KEY,
        }
        async with httpx.AsyncClient(timeout=30) as client:
            try:
                path = f"{self.url}/ops/v1/requests/{request_id}/{verb}"
                return await client.post(path, json={"reason": "mended", **more}, headers=headers)
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


@dataclass(frozen=True)
class Deed:
    """What is ordered of a request that stands as `before`, and how it ends."""

    verb: str
    before: str
    ends: str
    more: Mapping[str, str] = field(default_factory=dict)


MOVED = {"butler": "finance", "to": "health"}
DEEDS = (
    Deed("replay", "errored", "parsed"),
    Deed("cancel", "accepted", "cancelled"),
    Deed("complete", "accepted", "force_completed"),
    Deed("reroute", "parsed", "parsed", MOVED),
    Deed("correct", "parsed", "parsed", MOVED),
)


async def standing(home: Household, deed: Deed) -> UUID:
    """A request that stands as the deed wants it, with no Switchboard running."""
    behaviours = {
        "errored": in_turn(answers(error=error_of()), answers()),
        "accepted": accepts(),
        "parsed": answers(),
    }
    home.butler("finance").behaviour = behaviours[deed.before]
    home.butler("health").behaviour = answers()
    async with home.run() as running:
        if deed.before == "accepted":
            return await under_way(home, running)
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert row["lifecycle_state"] == deed.before
    return UUID(str(row["request_id"]))


@pytest.mark.spec("SWB-32.2", "SWB-38.1")
@pytest.mark.parametrize("deed", DEEDS, ids=[deed.verb for deed in DEEDS])
async def test_an_act_is_done_once_though_its_process_died_before_and_after_it(
    provisioned: Provision, tmp_path: Path, deed: Deed
) -> None:
    armed = Armed(tmp_path / "faults")
    async with household(provisioned, tmp_path, "finance", "general", "health") as home:
        request_id = await standing(home, deed)
        action = f"request.{deed.verb}"
        for point, done in ((points.OPERATION_BEFORE_COMMIT, 0), (points.OPERATION_COMMITTED, 1)):
            armed.arm([f"{point}@{action}"])
            async with switchboard(home, tmp_path, armed) as one:
                assert await one.act(request_id, deed.verb, **deed.more) is None
                async with asyncio.timeout(STARTED_S):
                    assert await one.process.wait() < 0
            LEDGER.kills += 1
            assert await home.pool.fetchval("SELECT count(*) FROM operation WHERE state = 'done'") == done
            assert (
                await home.pool.fetchval(
                    "SELECT count(*) FROM dashboard_audit_log WHERE operation = $1", action
                )
                == done
            )

        async with switchboard(home, tmp_path, armed) as one:
            answer = await one.act(request_id, deed.verb, **deed.more)
            assert answer is not None
            assert answer.json()["repeated"] is True
            row = await home.settled(request_id)
        labels = await home.pool.fetchval("SELECT count(*) FROM correction")
    finance, health = home.butler("finance"), home.butler("health")
    assert row["lifecycle_state"] == deed.ends
    attempts = [envelope.subrequest.attempt for envelope in finance.got]
    assert attempts == ([1, 2] if deed.verb == "replay" else [1, 1] if deed.verb == "correct" else [1])
    assert len(health.got) == (1 if deed.more else 0)
    assert labels == (1 if deed.verb == "correct" else 0)
    assert len(set(finance.recalled)) == (1 if deed.before == "accepted" else 0)


@pytest.mark.spec("SWB-38.1")
async def test_a_kill_between_telling_the_butlers_and_withdrawing_what_waits_tells_of_the_end_once(
    provisioned: Provision, tmp_path: Path
) -> None:
    armed = Armed(tmp_path / "faults")
    async with household(provisioned, tmp_path, "finance", "general", "health") as home:
        request_id = await standing(home, Deed("cancel", "accepted", "cancelled"))
        armed.arm([points.END_RECALLED])
        async with switchboard(home, tmp_path, armed) as one:
            await one.act(request_id, "cancel")
            async with asyncio.timeout(STARTED_S):
                assert await one.process.wait() < 0
        LEDGER.kills += 1
        assert home.messenger.withdrawn == []
        async with switchboard(home, tmp_path, armed):
            row = await home.settled(request_id)
    assert row["lifecycle_state"] == "cancelled"
    assert len(set(home.butler("finance").recalled)) == 1
    assert set(home.messenger.withdrawn) == {request_id}
    [told] = home.messenger.replies()
    assert "operator stopped this" in str(told.delivery.message)
