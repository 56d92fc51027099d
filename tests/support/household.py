"""The whole demo household for tests: its providers in this loop, `butlers up` in processes of its own.

A `Place` is one state directory. `up` starts the household on it, as often as a test likes; the providers stay.
Invariant: every wait has a deadline, and leaving the context stops what was started.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from butler_cli.local.keys import operator_token
from butler_cli.local.state import StateDir
from butler_cli.local.status import PlaceStatus, read_status
from butler_kit.faults.binding import FAULTS_DIR
from examples.demo.household import DemoFailed, Household, executed, running_household
from examples.demo.providers import Providers, running_providers, webhook_token, write_manifests
from tests.support.forked_butlers import begin_butlers, run_butlers

__all__ = ["Place", "RunningPlace", "Verb", "is_alive", "place", "until"]

DEADLINE_S = 90.0
POLL_S = 0.1


@dataclass(frozen=True)
class Verb:
    """How one call of `butlers` ended."""

    code: int
    stdout: str
    stderr: str


@dataclass
class Place:
    """A state directory with its providers; `lines` is what `butlers up` printed, over all its runs."""

    root: Path
    providers: Providers
    lines: list[str] = field(default_factory=list)

    @property
    def state(self) -> StateDir:
        return StateDir.at(self.root / "state")

    @property
    def manifests(self) -> Path:
        return self.root / "manifests"

    @asynccontextmanager
    async def up(self) -> AsyncIterator[RunningPlace]:
        """Start the household; stops it in order at the end, unless a test killed it before."""
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(httpx.AsyncClient(timeout=15, trust_env=False))
            # Faults are bound by what imports first, which the nursery has done before they were armed.
            begin = executed if FAULTS_DIR in os.environ else begin_butlers
            starting = running_household(self.manifests, self.state.root, self.lines.append, begin=begin)
            try:
                household = await stack.enter_async_context(starting)
            except DemoFailed as failed:
                failed.add_note("\n".join(self.lines))
                raise
            yield RunningPlace(self, household, client)

    async def verb(self, *arguments: str) -> Verb:
        """Run `butlers …` on this state directory."""
        words = (*arguments, "--state", str(self.state.root))
        return Verb(*await run_butlers(words, deadline_s=DEADLINE_S))


class RunningPlace:
    """A household that is up."""

    def __init__(self, place: Place, household: Household, client: httpx.AsyncClient) -> None:
        self.place = place
        self.household = household
        self._client = client

    @property
    def providers(self) -> Providers:
        return self.place.providers

    async def status(self) -> dict[str, Any]:
        """The document of `butlers status --json`."""
        document: dict[str, Any] = json.loads((await self.place.verb("status", "--json")).stdout)
        return document

    def account(self) -> PlaceStatus | None:
        """What `butlers status` reads, without a process for each look; None while no supervisor is there."""
        state = self.place.state
        return None if state.supervisor_pid() is None else read_status(state)

    def ready(self) -> bool:
        """Whether the supervisor says that every process can serve."""
        told = self.account()
        return told is not None and told.phase == "ready" and all(one.ready for one in told.processes)

    def pids(self) -> dict[str, int]:
        """The processes that run now, by name."""
        told = self.account()
        return {one.name: one.pid for one in (told.processes if told else ()) if one.pid is not None}

    async def kill(self, *processes: str) -> dict[str, int]:
        """`kill -9` of processes of the household, as `butlers status` names them; their former pids.

        Another process may be between two lives meanwhile, so only the named ones must have a pid.
        """
        found = self.pids()
        former = {process: found[process] for process in processes}
        for pid in former.values():
            os.kill(pid, signal.SIGKILL)
        return former

    async def kill_supervisor(self) -> None:
        os.kill(self.household.pid, signal.SIGKILL)
        await self.household.ended()

    async def back(self, former: dict[str, int]) -> None:
        """Wait until everything is ready again, what was killed under other pids."""

        async def ready() -> bool:
            found = self.pids()
            return self.ready() and all(found.get(name) not in (None, pid) for name, pid in former.items())

        await until(ready, what=f"{', '.join(former)} ready again")

    async def ask(self, service: str, path: str, **query: str) -> Any:
        """A page of the ops API as the operator sees it; None while the service does not answer or does not know."""
        token = operator_token(self.place.state, audience=service)
        url = f"{self.household.endpoints[service]['ops']}/{path}"
        try:
            answer = await self._client.get(url, params=query, headers={"Authorization": f"Bearer {token}"})
        except httpx.TransportError:
            return None
        if answer.status_code >= 500 or answer.status_code == 404:
            return None
        answer.raise_for_status()
        return answer.json()

    async def post(self, key: str, body: dict[str, Any]) -> httpx.Response | None:
        """One post to the webhook; None when nobody listens."""
        headers = {"Authorization": f"Bearer {webhook_token()}", "Idempotency-Key": key}
        url = f"{self.household.endpoints['webhook']}/v1/messages"
        try:
            return await self._client.post(url, json=body, headers=headers)
        except httpx.TransportError:
            return None

    async def rows(self, query: str) -> list[dict[str, Any]]:
        """Rows of the database as its superuser sees them."""
        connection = await asyncpg.connect(self.household.endpoints["database"]["dsn"], timeout=10)
        try:
            return [dict(row) for row in await connection.fetch(query)]
        finally:
            await connection.close(timeout=5)


@asynccontextmanager
async def place(root: Path) -> AsyncIterator[Place]:
    """Providers running, manifests written that point at them; nothing of the household started yet."""
    (root / "providers").mkdir(parents=True, mode=0o700)
    async with running_providers(root / "providers") as providers:
        made = Place(root, providers)
        write_manifests(providers, made.manifests)
        yield made


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until(reached: Callable[[], Awaitable[bool]], *, what: str, deadline_s: float = DEADLINE_S) -> None:
    """Ask until it is so; AssertionError naming `what` when it is not within `deadline_s`."""
    try:
        async with asyncio.timeout(deadline_s):
            while not await reached():
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise AssertionError(f"not within {deadline_s:g} s: {what}") from None
