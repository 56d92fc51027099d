"""Runs a connector: inside the test's loop with its own shell, or as the process that a place starts."""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from butler_kit.service import ServiceApp
from tests.support.nursery import Child, fork

REPOSITORY = Path(__file__).parents[3]
RSS_MOST_MB = 90
"""What a connector alone may hold with its Switchboard at `/mcp`, beside the packages of development (adr/0028)."""


@asynccontextmanager
async def connector(env: Mapping[str, str]) -> AsyncIterator[ServiceApp]:
    """A connector that serves; ended in order at the end."""
    service: ServiceApp = importlib.import_module(
        f"butler_connectors.{env['CONNECTOR_TYPE']}.app"
    ).build_service(env)
    serving = asyncio.create_task(service.serve())
    started = asyncio.create_task(service.started.wait())
    await asyncio.wait({serving, started}, return_when=asyncio.FIRST_COMPLETED, timeout=90)
    if serving.done():
        serving.result()
    try:
        yield service
    finally:
        started.cancel()
        service.request_stop()
        async with asyncio.timeout(90):
            await serving


async def ready(service: ServiceApp) -> None:
    """Wait until the connector has found its place in the source."""
    async with asyncio.timeout(90):
        while not (await service.readiness()).ready:
            await asyncio.sleep(0.01)


async def page(service: ServiceApp, path: str) -> httpx.Response:
    """One of the health pages."""
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        return await client.get(f"http://127.0.0.1:{service.port}{path}")


async def health_until(service: ServiceApp, state: str) -> dict[str, Any]:
    """Wait until `/health` tells this state; return the page."""
    async with asyncio.timeout(90):
        while True:
            found: dict[str, Any] = (await page(service, "/health")).json()
            if found["status"] == state:
                return found
            await asyncio.sleep(0.02)


class ConnectorProcess:
    """`python -m butler_connectors` with an environment of its own."""

    def __init__(self, process: asyncio.subprocess.Process | Child) -> None:
        self.process = process

    @classmethod
    async def start(cls, env: Mapping[str, str], log: Path) -> ConnectorProcess:
        """Forked from one that has imported what it needs; its size says nothing."""
        with log.open("ab") as output:
            env = {"PATH": os.environ["PATH"], **env}
            return cls(await fork("butler_connectors", env=env, log=output, cwd=REPOSITORY))

    @classmethod
    async def start_alone(
        cls,
        env: Mapping[str, str],
        log: Path,
        *,
        command: Sequence[str] = (sys.executable, "-m", "butler_connectors"),
    ) -> ConnectorProcess:
        """With nothing in memory but what it imported itself."""
        with log.open("ab") as output:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=REPOSITORY,
                env={"PATH": os.environ["PATH"], **env},
                stdout=output,
                stderr=output,
            )
        return cls(process)

    async def kill(self) -> None:
        self.process.kill()
        await asyncio.wait_for(self.process.wait(), 90)

    async def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), 90)

    async def wait(self) -> int:
        return await asyncio.wait_for(self.process.wait(), 90)

    @property
    def rss_mb(self) -> float:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    @property
    def mapped_files(self) -> str:
        """The shared libraries that the process has loaded, among others."""
        return Path(f"/proc/{self.process.pid}/maps").read_text()
