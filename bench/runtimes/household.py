"""A Switchboard process of one runtime family, butlers that accept what it routes, and a model in its own process."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import asyncpg
import httpx

from bench.ingest.doors import served
from bench.ingest.place import Place
from bench.runtimes.served import CONFIG, PACE
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.mcp import CachedMCPClient
from butler_kit.runtime.commandline import COMMAND_LINES
from tests.support.butlers import FakeButler, FakeMessenger, accepts_then_answers
from tests.support.command_lines import path_with_programs
from tests.support.keys import HouseholdKeys
from tests.support.manifests import toml_of
from tests.support.switchboard import BOT, telegram

__all__ = ["SESSIONS", "WORKERS", "Family", "Household", "families", "running"]

SESSIONS: Final = 8
WORKERS: Final = 2 * SESSIONS
"""Enough that no session stays idle while other messages are prepared or recorded."""
TEXT: Final = "Paid 40.50 EUR for the electricity bill"
_KEY: Final = "sk-bench"
_VARIABLE: Final = "BUTLER_MODEL_API_KEY"
_MODULE: Final = "bench.runtimes.served"
_SESSION_S: Final = 120
"""More than the shipped default: eight programs at once on two cores are slow, and must be measured."""
_PATIENCE_S: Final = 150.0


@dataclass(frozen=True)
class Family:
    """What is measured: `name` in the tables, `runtime` for the manifest's `runtime` with a model at that address."""

    name: str
    family: str
    provider: str | None = None

    def runtime(self, model_url: str) -> dict[str, Any]:
        bounds = {"maxConcurrentSessions": SESSIONS}
        if self.provider is None:
            return {"family": self.family, **bounds}
        base = model_url if self.provider == "anthropic" else f"{model_url}/v1"
        provider = {"provider": self.provider} if self.family == "api" else {}
        key = {"apiKeySecretRef": {"name": "model", "key": "api-key"}}
        return {"family": self.family, "model": "stub", "baseUrl": base, **provider, **key, **bounds}


def families() -> list[Family]:
    """Return the families of this machine: a command line only if its program is installed."""
    path = path_with_programs(os.environ.get("PATH", os.defpath))
    lines = [
        Family(name, name, line.provider)
        for name, line in COMMAND_LINES.items()
        if any(os.access(Path(folder) / line.program, os.X_OK) for folder in path.split(os.pathsep))
    ]
    api = [Family(f"api, {provider}", "api", provider) for provider in ("openai", "anthropic")]
    return [Family("rules", "rules"), *api, *lines]


@dataclass(frozen=True)
class Household:
    """The running processes; `pid` is Switchboard's."""

    family: Family
    pid: int
    model: httpx.AsyncClient
    database: asyncpg.Connection
    client: CachedMCPClient
    taken: dict[UUID, asyncio.Event]
    numbers: Callable[[], int]

    async def pace(self, pause_s: float) -> list[float]:
        """Let the model answer after `pause_s`; return when it was asked since the last call."""
        answer = await self.model.post(PACE, params={"s": pause_s})
        return [float(at) for at in answer.json()]

    async def route(self) -> UUID:
        """Submit one message in a new chat, and wait until a butler has accepted it."""
        number = self.numbers()
        envelope = telegram(number, TEXT, sender="1", chat=str(10_000 + number))
        said = await self.client.call("ingestion.ingest", {"envelope": envelope.to_wire()}, timeout_s=30)
        request = UUID(said["request_id"])
        async with asyncio.timeout(_PATIENCE_S):
            await self.taken.setdefault(request, asyncio.Event()).wait()
        return request


@asynccontextmanager
async def running(place: Place, family: Family) -> AsyncIterator[Household]:
    """Run a fresh database and processes; every butler is declared and registered."""
    name = "of_" + "".join(letter for letter in family.name if letter.isalnum())
    await place.make_database(name)
    keys = HouseholdKeys(place.folder / f"{name}-keys")
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        _, model_port = await enter(served(place, "model", name, _MODULE))
        model_url = f"http://127.0.0.1:{model_port}"
        more = _environment(place.folder / f"{name}.toml", family, model_url, keys)
        pid, port = await enter(served(place, "switchboard", name, _MODULE, more))
        model = await enter(httpx.AsyncClient(base_url=model_url, timeout=30, trust_env=False))
        database = await asyncpg.connect(place.dsn(name), server_settings={"search_path": "switchboard"})
        stack.push_async_callback(database.close)
        client = CachedMCPClient.for_service(
            f"http://127.0.0.1:{port}/sse", lambda: keys.connector("telegram_bot", BOT), timeout_s=30
        )
        stack.push_async_callback(client.aclose)
        taken: dict[UUID, asyncio.Event] = {}
        await _introduced(stack, keys, f"http://127.0.0.1:{port}", taken)
        numbers = itertools.count(1)
        yield Household(family, pid, model, database, client, taken, lambda: next(numbers))


def _environment(file: Path, family: Family, model_url: str, keys: HouseholdKeys) -> dict[str, str]:
    spec = {
        "role": "switchboard",
        "runtime": family.runtime(model_url),
        "routing": {"sessionTimeoutSeconds": _SESSION_S},
        "buffer": {"workerCount": WORKERS},
    }
    file.write_text(toml_of(spec), "utf-8")
    return {
        CONFIG: str(file),
        "BUTLERS_JWKS_FILE": str(keys.jwks),
        "BUTLERS_SIGNING_KEY_FILE": str(keys.switchboard_key),
        "PATH": path_with_programs(os.environ.get("PATH", os.defpath)),
        _VARIABLE: _KEY,
    }


async def _introduced(
    stack: AsyncExitStack, keys: HouseholdKeys, url: str, taken: dict[UUID, asyncio.Event]
) -> None:
    """Start Messenger and two butlers, which record what they accept."""
    answers = accepts_then_answers()

    async def takes(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        taken.setdefault(envelope.request_context.request_id, asyncio.Event()).set()
        return await answers(butler, envelope)

    butlers = [FakeMessenger(keys), *(FakeButler(name, keys, takes) for name in ("finance", "general"))]
    bearer = {"Authorization": f"Bearer {keys.operator()}"}
    async with httpx.AsyncClient(base_url=f"{url}/ops/v1", headers=bearer, trust_env=False) as ops:
        for one in butlers:
            await one.start()
            stack.push_async_callback(one.aclose)
            body = {"role": one.role, "endpoint": one.url, "liveness_ttl_s": 3_600}
            (await ops.put(f"/butlers/{one.name}", json=body)).raise_for_status()
            one.connect(f"{url}/sse")
            await one.register()
