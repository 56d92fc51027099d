"""A Switchboard killed at each step of a digest: the next one sends it under the same key, and nobody is left out."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from butler_kit.queue import LeasedQueue
from butler_kit.telemetry import BUFFER, SPAWNER, SWITCHBOARD, Metrics
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import Outcome, RecordDraft
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.records import Declaration
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.faults.household import Armed
from tests.faults.ledger import LEDGER
from tests.flow.household.test_digest import ENDED, YESTERDAY, digests
from tests.integration.specialist.household import CountingSwitchboard, Place, envelope, plan_for
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.switchboard_service import Household, config_text, household, until

PATIENCE_S = 120.0
BERLIN = ZoneInfo("Europe/Berlin")
REGISTERED = "SELECT tools <> '{}' FROM butler_registry WHERE name = 'health'"
MEMBERS = "SELECT count(*) FROM shared.contacts WHERE role IN ('owner', 'member')"
TODAY = datetime.now(BERLIN).date()
DENTIST = RecordDraft(kind="appointment", occurred_on=TODAY, text="dentist for Leo")


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path) as home:
        yield home


@asynccontextmanager
async def health_beside(
    home: Household, provisioned: Provision, folder: Path, url: str
) -> AsyncIterator[None]:
    """A real specialist that has something for today, and Messenger, as a Switchboard at `url` knows them."""
    database = await provisioned(plan_for("health"))
    pool = await database.pool("health")
    place = Place(folder, "health", database, pool, home.keys, CountingSwitchboard())
    await keep(place)
    metrics = Metrics((*SWITCHBOARD, *SPAWNER, *BUFFER))
    butlers = Butlers(
        pool=home.pool,
        store=ButlerStore(home.pool),
        audit=Audit(home.pool, metrics),
        events=SwitchboardMetrics(metrics),
    )
    place.switchboard.url = f"{url}/mcp"
    await butlers.declare("messenger", Declaration("messenger", home.messenger.url), actor="test")
    home.messenger.connect(f"{url}/sse")
    async with place.specialist() as client:
        await butlers.declare("health", Declaration("specialist", f"{client.base}/mcp"), actor="test")
        yield


async def keep(place: Place) -> None:
    """What a session that keeps the appointment comes to, and nothing else of it."""
    data = parse(RouteEnvelopeV1, envelope("Dentist for Leo"))
    inbox, queue = RouteInbox(place.pool, capacity=10), LeasedQueue(place.pool, "route_work")
    assert await inbox.accept(data, lane="default", thread_key=None, teller="telegram:1001")
    lease = await queue.claim(data.subrequest.subrequest_id)
    assert lease is not None
    work = await inbox.find(lease.item_id)
    assert work is not None
    assert await inbox.commit(lease, work, Outcome(result={}, records=(DENTIST,))) is not None
    await inbox.finish(lease)


@asynccontextmanager
async def switchboard(
    home: Household, folder: Path, armed: Armed, port: int
) -> AsyncIterator[asyncio.subprocess.Process]:
    config = folder / "switchboard.toml"
    digest = 'role = "switchboard"\ntimezone = "Europe/Berlin"\ndigest_at = "11:55"\n'
    config.write_text(config_text(port=port).replace('role = "switchboard"\n', digest))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "butler_switchboard", "--config", str(config)),
        env={**os.environ, **home.environment(), FAULTS_DIR: str(armed.folder)},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.parametrize(
    "point", [f"{points.SCHEDULE_CLAIMED}@digest", points.DIGEST_GATHERED, points.DIGEST_TOLD]
)
async def test_a_kill_at_any_step_doubles_nothing_and_loses_nothing(
    home: Household, provisioned: Provision, tmp_path: Path, point: str
) -> None:
    noon = datetime.now(BERLIN).replace(hour=12, minute=0, second=0, microsecond=0)
    await home.database.shift_clock(noon - datetime.now(BERLIN))
    armed, port = Armed(tmp_path / "faults"), free_port()
    armed.arm([point])
    async with health_beside(home, provisioned, tmp_path, f"http://127.0.0.1:{port}"):
        async with switchboard(home, tmp_path, armed, port) as killed:
            await until(lambda: home.pool.fetchval(REGISTERED), what="the specialist", deadline_s=PATIENCE_S)
            await home.pool.execute(YESTERDAY, noon - timedelta(days=1, minutes=5))
            async with asyncio.timeout(PATIENCE_S):
                assert await killed.wait() < 0
        LEDGER.kills += 1
        members = await home.pool.fetchval(MEMBERS)
        async with switchboard(home, tmp_path, armed, port):

            async def told() -> bool:
                ended: int = await home.pool.fetchval(ENDED)
                return bool(ended == members)

            await until(told, what="the digests", deadline_s=PATIENCE_S)
    keys = {one.delivery.idempotency_key for one in digests(home)}
    LEDGER.messages += members
    LEDGER.doubles += len(keys) - members
    assert len(keys) == members
    assert all("dentist for Leo" in (one.delivery.message or "") for one in digests(home))
