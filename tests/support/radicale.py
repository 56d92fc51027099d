"""A real CalDAV server for tests: Radicale, in an environment and a process of its own.

Radicale is under the GPL: nothing of it is imported, and the project does not depend on it (docs/adr/0098).
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp
import pytest

from tests.support.loopback import HOST, free_port

__all__ = ["NEEDS_RADICALE", "PASSWORD", "USER", "Radicale", "radicale"]

INSTALLED: Final = Path(os.environ.get("BUTLERS_TEST_RADICALE", Path(sys.prefix) / "radicale"))
"""Where `make radicale` puts it."""
USER: Final = "household"
PASSWORD: Final = "kept-for-tests"
_START_S: Final = 60.0
_PYTHON: Final = INSTALLED / "bin" / "python"

NEEDS_RADICALE: Final = pytest.mark.skipif(
    not _PYTHON.exists(), reason="Radicale is not installed: make radicale"
)


@dataclass(frozen=True)
class Radicale:
    """`url` is that of the household's calendar."""

    url: str

    async def ask(
        self,
        method: str,
        path: str = "",
        body: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, str]:
        """What a person's own calendar program would do."""
        told = {"Authorization": aiohttp.encode_basic_auth(USER, PASSWORD), **(headers or {})}
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, f"{self.url}{path}", data=body, headers=told) as answer,
        ):
            return answer.status, await answer.text()

    async def put(self, uid: str, *lines: str) -> None:
        """An event as a person's program writes it; `lines` are what is between BEGIN and END of the VEVENT."""
        text = "\r\n".join(
            (
                "BEGIN:VCALENDAR",
                "VERSION:2.0",
                "PRODID:-//Test//EN",
                "BEGIN:VEVENT",
                f"UID:{uid}",
                "DTSTAMP:20261101T000000Z",
                *lines,
                "END:VEVENT",
                "END:VCALENDAR",
                "",
            )
        )
        status, said = await self.ask("PUT", f"{uid}.ics", text, {"Content-Type": "text/calendar"})
        assert status == 201, said

    async def resources(self) -> list[str]:
        """The resources of the calendar, by name."""
        body = '<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/></D:prop></D:propfind>'
        _, text = await self.ask("PROPFIND", "", body, {"Depth": "1"})
        return sorted(part.split("<")[0].rsplit("/", 1)[1] for part in text.split("href>") if ".ics<" in part)


@asynccontextmanager
async def radicale(folder: Path, *, port: int | None = None) -> AsyncIterator[Radicale]:
    """One that runs, with an empty calendar of `USER`; what `folder` has from a run before is still there."""
    port = port if port is not None else free_port()
    (folder / "users").write_text(f"{USER}:{PASSWORD}\n")
    server = await asyncio.create_subprocess_exec(
        str(_PYTHON), "-m", "radicale", "--config", "",
        "--server-hosts", f"{HOST}:{port}", "--storage-filesystem-folder", str(folder / "collections"),
        "--auth-type", "htpasswd", "--auth-htpasswd-filename", str(folder / "users"),
        "--auth-htpasswd-encryption", "plain", "--auth-delay", "0", "--web-type", "none",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    found = Radicale(f"http://{HOST}:{port}/{USER}/home/")
    try:
        await _answers(server, found)
        await found.ask("MKCALENDAR")
        yield found
    finally:
        if server.returncode is None:
            server.kill()
        await server.wait()


async def _answers(server: asyncio.subprocess.Process, found: Radicale) -> None:
    async with asyncio.timeout(_START_S):
        while True:
            assert server.returncode is None, "Radicale ended while starting"
            try:
                await found.ask("OPTIONS")
                return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.1)
