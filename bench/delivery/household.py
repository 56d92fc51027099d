"""A household of real processes for a bench: Switchboard, specialists, Messenger, PostgreSQL and an instant provider.

Messages are submitted as a Telegram connector submits them, over MCP with its token; no connector runs, because the
measured path begins at admission.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import asyncpg
import httpx

from bench.delivery.processes import Reading, read_processes
from butler_cli.local.keys import TokenGrant, sign_token
from butler_cli.local.providers import ProviderAddresses, write_retargeted
from butler_cli.local.state import StateDir
from butler_connectors.telegram_bot.normalize import TelegramSource, envelope_of
from butler_contracts.ingest import IngestEnvelopeV1
from butler_kit.auth.signer import connector_claims
from butler_kit.mcp import CachedMCPClient
from examples.demo.household import Household, running_household

__all__ = ["Bench", "Receipt", "running_bench", "running_provider"]

ENDPOINT = "telegram:bot:household"
ADA = {"id": 1001, "is_bot": False, "first_name": "Ada"}
DEMO = Path(__file__).parents[2] / "examples" / "demo"
_TEXTS = (
    "Paid {n}.50 EUR for groceries",
    "My weight this morning was 7{d}.4 kg",
    "Flight to Porto on 2027-04-0{d} at 09:30, booking code QX{n}",
    "My friend Jonas has his birthday on {d} May 2027, he is turning {d}0",
    "Paid the electricity bill, {n} EUR, due on 2027-03-1{d}",
)


@dataclass(frozen=True)
class Receipt:
    """One call that the provider accepted; `at` is this machine's monotonic clock."""

    at: float
    method: str
    chat: int
    text: str


@dataclass
class Bench:
    """The running household, and what a benchmark does with it."""

    household: Household
    provider_url: str
    provider_pid: int
    client: CachedMCPClient
    http: httpx.AsyncClient
    receipts: list[Receipt] = field(default_factory=list)

    async def submit(self, number: int, chats: int) -> UUID:
        """Submit message `number` in one of `chats` conversations; return its request id."""
        answer = await self.client.call(
            "ingestion.ingest", {"envelope": message(number, chats).to_wire()}, timeout_s=30
        )
        return UUID(answer["request_id"])

    async def taken(self) -> list[Receipt]:
        """Return the calls that the provider accepted since the last call of this method."""
        answer = await self.http.get(f"{self.provider_url}/log")
        fresh = [
            Receipt(float(at), str(kind), int(chat), str(text)) for at, kind, chat, text in answer.json()
        ]
        self.receipts += fresh
        return fresh

    def processes(self) -> dict[str, Reading]:
        """Return the cost of each process so far."""
        return read_processes(self.household.pid, {"provider": self.provider_pid})

    async def metrics(self, service: str) -> dict[str, float]:
        """Return every sample of a service's metrics, by name and labels as printed."""
        address = urlsplit(self.household.endpoints["butlers"][service]["ops"])
        answer = await self.http.get(f"{address.scheme}://{address.netloc}/metrics")
        lines = (line for line in answer.text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}

    async def rows(self, query: str) -> list[dict[str, Any]]:
        connection = await asyncpg.connect(self.household.endpoints["database"]["dsn"], timeout=10)
        try:
            return [dict(row) for row in await connection.fetch(query)]
        finally:
            await connection.close(timeout=5)


def message(number: int, chats: int) -> IngestEnvelopeV1:
    """Return message `number` as the Telegram connector builds it."""
    text = _TEXTS[number % len(_TEXTS)].format(n=number, d=number % 9 + 1)
    chat = {"id": -(1000 + number % chats), "type": "group", "title": f"chat {number % chats}"}
    update = {
        "update_id": number,
        "message": {
            "message_id": number,
            "from": ADA,
            "chat": chat,
            "date": int(datetime.now(UTC).timestamp()),
            "text": text,
        },
    }
    made = envelope_of(update, TelegramSource(ENDPOINT), now=datetime.now(UTC))
    if not isinstance(made, IngestEnvelopeV1):
        raise TypeError(f"message {number} was not understood: {made}")
    return made


@asynccontextmanager
async def running_provider() -> AsyncIterator[tuple[str, int]]:
    """Run the instant provider; yield its URL and process id."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.delivery.provider", stdout=asyncio.subprocess.PIPE
    )
    try:
        if process.stdout is None:
            raise RuntimeError("the provider has no output to read its port from")
        port = int(await process.stdout.readline())
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def running_bench(root: Path) -> AsyncIterator[Bench]:
    """Start everything in `root`, which is emptied first; stop it in order at the end."""
    shutil.rmtree(root, ignore_errors=True)
    manifests, state = root / "manifests", root / "state"
    manifests.mkdir(parents=True, mode=0o700)
    async with running_provider() as (url, pid):
        write_retargeted(DEMO, manifests, ProviderAddresses(telegram_api=url))
        (manifests / "connectors.yaml").unlink()
        async with (
            running_household(manifests, state, lambda line: None) as household,
            httpx.AsyncClient(timeout=15, trust_env=False) as http,
        ):
            token = _connector_token(StateDir.at(state))
            client = CachedMCPClient.for_url(
                household.endpoints["butlers"]["switchboard"]["mcp"], lambda: token
            )
            try:
                yield Bench(household, url, pid, client, http)
            finally:
                await client.aclose()


def _connector_token(state: StateDir) -> str:
    grant = TokenGrant("telegram", connector_claims("telegram_bot", ENDPOINT, "interactive"))
    return sign_token(state, grant, audience="switchboard", ttl_s=3600)
