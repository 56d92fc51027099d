"""A whole Switchboard in the test's own loop: real database, port, tokens and butlers; what people see is asked for.

`Household` holds what outlives a Switchboard (database, keys, butlers); `run` starts one, and another beside it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx

from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.config import parse_config
from butler_kit.db import Pool
from butler_kit.mcp import CachedMCPClient
from butler_kit.service import ServiceApp
from butler_kit.time import Clock, SystemClock
from butler_switchboard.app import service_of
from butler_switchboard.dispatch.breaker import BreakerPolicy
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.registry.records import Declaration
from butler_switchboard.settings import SwitchboardConfig
from butler_switchboard.wiring import Switchboard
from tests.support.butlers import FakeButler, FakeMessenger
from tests.support.database import Database, Provision
from tests.support.keys import HouseholdKeys
from tests.support.manifests import merged, toml_of
from tests.support.switchboard import BOT, switchboard_database

__all__ = ["Household", "Running", "household", "until"]

DEADLINE_S = 90.0
QUICK = RetryPolicy(base_delay_s=0.02, max_delay_s=0.05)

Check = Callable[[], Awaitable[Any]]


async def until(check: Check, *, what: str, deadline_s: float = DEADLINE_S) -> Any:
    """Wait until `check` gives something; its value."""
    try:
        async with asyncio.timeout(deadline_s):
            while True:
                value = await check()
                if value:
                    return value
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"never happened within {deadline_s} s: {what}") from None


@dataclass
class Running:
    """One Switchboard that serves."""

    switchboard: Switchboard
    service: ServiceApp
    household: Household
    _client: CachedMCPClient

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.service.port}"

    async def ingest(self, envelope: IngestEnvelopeV1 | dict[str, Any]) -> dict[str, Any]:
        """Submit as the connector of the household's bot."""
        wire = envelope.to_wire() if isinstance(envelope, IngestEnvelopeV1) else envelope
        return await self._client.call("ingestion.ingest", {"envelope": wire})

    async def accepted(self, envelope: IngestEnvelopeV1) -> UUID:
        return UUID((await self.ingest(envelope))["request_id"])

    async def call(self, token: str, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        """Call a tool with a token of one's choice."""
        client = CachedMCPClient.for_service(f"{self.url}/sse", lambda: token, timeout_s=10)
        try:
            return await client.call(tool, args)
        finally:
            await client.aclose()

    async def metrics(self) -> str:
        async with httpx.AsyncClient(timeout=60) as client:
            return (await client.get(f"{self.url}/metrics")).text


@dataclass
class Household:
    """What outlives a Switchboard; `messenger` and `butlers` are declared and registered at each start."""

    database: Database
    keys: HouseholdKeys
    pool: Pool
    messenger: FakeMessenger
    butlers: dict[str, FakeButler] = field(default_factory=dict)
    more_environment: dict[str, str] = field(default_factory=dict)

    def butler(self, name: str) -> FakeButler:
        return self.butlers[name]

    def environment(self) -> dict[str, str]:
        return {
            "BUTLERS_DATABASE_URL": self.database.dsn("switchboard"),
            "BUTLERS_JWKS_FILE": str(self.keys.jwks),
            "BUTLERS_SIGNING_KEY_FILE": str(self.keys.switchboard_key),
            **self.more_environment,
        }

    @asynccontextmanager
    async def run(
        self,
        toml: str = "",
        *,
        spec: Mapping[str, Any] | None = None,
        retry: RetryPolicy | None = QUICK,
        breaker: BreakerPolicy | None = None,
        clock: Clock | None = None,
        prepare: Callable[[Switchboard], None] = lambda _: None,
    ) -> AsyncIterator[Running]:
        """Serve with this configuration until the block ends, then drain.

        With `spec` the configuration is that of a manifest, retries included; `retry` None: as it is shipped.
        """
        text = config_text(toml) if spec is None else rendered(spec)
        switchboard = Switchboard(
            parse_config(text, "butler.toml", SwitchboardConfig, self.environment()),
            self.environment(),
            clock=clock or SystemClock(),
            retry=retry if spec is None else None,
            breaker=breaker,
        )
        prepare(switchboard)
        service = service_of(switchboard)
        serving = asyncio.create_task(service.serve())
        started = asyncio.create_task(service.started.wait())
        await asyncio.wait({serving, started}, return_when=asyncio.FIRST_COMPLETED, timeout=DEADLINE_S)
        started.cancel()
        if serving.done():
            raise AssertionError(f"Switchboard ended with {serving.result()}")
        url = f"http://127.0.0.1:{service.port}/sse"
        token = self.keys.connector("telegram_bot", BOT)
        client = CachedMCPClient.for_service(url, lambda: token, timeout_s=10)
        running = Running(switchboard, service, self, client)
        try:
            await self.introduce(running)
            yield running
        finally:
            await client.aclose()
            service.request_stop()
            await asyncio.wait({serving}, timeout=DEADLINE_S)
            assert serving.done(), "Switchboard did not drain"

    async def introduce(self, running: Running) -> None:
        """Declare every butler and let it register."""
        for one in (self.messenger, *self.butlers.values()):
            await running.switchboard.parts.butlers.declare(
                one.name, Declaration(role=one.role, endpoint_url=one.url), actor="test"
            )
            one.connect(f"{running.url}/sse")
            await one.register()
        await running.switchboard.parts.registry.refresh()

    async def row(self, request_id: UUID) -> Mapping[str, Any]:
        record = await self.pool.fetchrow("SELECT * FROM message_inbox WHERE request_id = $1", request_id)
        assert record is not None, f"{request_id} is not in the inbox"
        return dict(record)

    async def finished(self, request_id: UUID) -> Mapping[str, Any]:
        """Wait for the end of a request: its row, once it has a final state."""

        async def check() -> Mapping[str, Any] | None:
            row = await self.row(request_id)
            return row if row["final_state_at"] is not None else None

        found: Mapping[str, Any] = await until(check, what=f"the end of {request_id}")
        return found

    async def settled(self, request_id: UUID) -> Mapping[str, Any]:
        """Wait until nothing is left to do for a request, its announcements included."""

        async def gone() -> bool:
            return await self.pool.fetchval("SELECT 1 FROM inbox_work WHERE item_id = $1", request_id) is None

        await until(gone, what=f"{request_id} leaving the queue")
        return await self.row(request_id)

    async def idle(self, *, deadline_s: float = 90.0) -> None:
        async def empty() -> bool:
            return bool(await self.pool.fetchval("SELECT count(*) = 0 FROM inbox_work"))

        await until(empty, what="an empty queue", deadline_s=deadline_s)

    async def subroutes(self, request_id: UUID) -> list[dict[str, Any]]:
        rows = await self.pool.fetch(
            "SELECT * FROM subroute WHERE request_id = $1 ORDER BY position, attempt", request_id
        )
        return [dict(row) for row in rows]

    async def plan(self, request_id: UUID) -> dict[str, Any]:
        record = await self.pool.fetchrow("SELECT * FROM route_plan WHERE request_id = $1", request_id)
        assert record is not None, f"{request_id} has no plan"
        return dict(record)


def config_text(toml: str = "", *, port: int = 0) -> str:
    """A `butler.toml` of a Switchboard whose scanner is quick and who trusts `mx.example.org`; `toml` adds sections."""
    buffer = "" if "[buffer]" in toml else "[buffer]\nscanner_interval_s = 0.5\nscanner_grace_s = 0.2\n"
    trusted = '[routing]\ntrusted_authserv_ids = ["mx.example.org"]\n'
    routing = toml.replace("[routing]\n", trusted) if "[routing]\n" in toml else f"{trusted}\n{toml}"
    return f'[butler]\nrole = "switchboard"\nport = {port}\n\n{buffer}\n{routing}\n'


def rendered(spec: Mapping[str, Any]) -> str:
    """The `butler.toml` of a manifest whose scanner is quick, `spec` laid over it."""
    buffer = {"scannerIntervalSeconds": 0.5, "scannerGraceSeconds": 0.2}
    return toml_of(merged({"role": "switchboard", "buffer": buffer}, spec))


@asynccontextmanager
async def household(provisioned: Provision, folder: Path, *names: str) -> AsyncIterator[Household]:
    """A database, keys, a Messenger and the named butlers, all listening."""
    keys = HouseholdKeys(folder / "keys")
    database = await switchboard_database(provisioned)
    pool = await database.pool("switchboard")
    home = Household(database, keys, pool, FakeMessenger(keys), {n: FakeButler(n, keys) for n in names})
    everyone = (home.messenger, *home.butlers.values())
    try:
        for one in everyone:
            await one.start()
        yield home
    finally:
        for one in everyone:
            await one.aclose()
