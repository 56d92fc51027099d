"""A screenshot of the dashboard at the end of the demo, taken with this machine's Chromium, if there is one.

The browser is controlled over its debugging port: `--screenshot` waits for a page to become idle, and a page that
listens to events never does.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import aiohttp

from examples.demo.household import Household
from examples.demo.link import link_of
from tests.support.chromium import ARGUMENTS, find_chromium

__all__ = ["picture_of", "take_picture"]

DEADLINE_S: Final = 120.0
END_S: Final = 10.0
WIDTH: Final = 1280
_LISTENING: Final = re.compile(r"DevTools listening on ws://([^/]+)/")
_DRAWN: Final = """
location.pathname === "/today" && document.readyState === "complete" && document.fonts.status === "loaded"
"""


async def picture_of(household: Household) -> str:
    """Save the page of the day beside the demo's summary; return a line with the result."""
    link = await link_of(household)
    if link is None:
        return "no picture of the dashboard: it is not part of this household"
    return await take_picture(link, household.state / "today.png")


async def take_picture(link: str, file: Path) -> str:
    """Save the whole page that `link` opens to `file`; return a line with the result. Browser errors do not raise."""
    program = find_chromium()
    if program is None:
        return "no picture of the dashboard: no chromium here (or set CHROMIUM)"
    folder = file.with_suffix(".browser")
    try:
        async with asyncio.timeout(DEADLINE_S), _browser(program, folder) as page:
            await asyncio.to_thread(file.write_bytes, await _photographed(page, link))
    except (OSError, aiohttp.ClientError, KeyError, ValueError) as error:
        return f"no picture of the dashboard: the browser failed ({type(error).__name__})"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return f"the dashboard as it was: {file}"


class _Page:
    """One tab, over the debugging protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = count(1)

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            answer: dict[str, Any] = await self._socket.receive_json()
            if answer.get("id") == number:
                return dict(answer["result"])


async def _photographed(page: _Page, link: str) -> bytes:
    await page.call(
        "Emulation.setDeviceMetricsOverride", width=WIDTH, height=900, deviceScaleFactor=1, mobile=False
    )
    await page.call("Page.navigate", url=link)
    while not (await page.call("Runtime.evaluate", expression=_DRAWN))["result"].get("value"):  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    size = (await page.call("Page.getLayoutMetrics"))["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": size["height"], "scale": 1}
    taken = await page.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    return base64.b64decode(taken["data"])


@asynccontextmanager
async def _browser(program: str, folder: Path) -> AsyncIterator[_Page]:
    """Run a browser with its own profile, and end it."""
    process = await asyncio.create_subprocess_exec(
        program,
        *ARGUMENTS,
        "--headless",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        host = await _address(process)
        async with aiohttp.ClientSession(trust_env=False) as session:
            async with session.get(f"http://{host}/json/list") as answer:
                tabs = await answer.json()
            address = {tab["type"]: tab["webSocketDebuggerUrl"] for tab in tabs}["page"]
            async with session.ws_connect(address, max_msg_size=0) as socket:
                yield _Page(socket)
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End it in order, or by force if that takes long; the rest of its output is read, so that it can end.

    Signals go to the whole group: a distribution's browser may be a script that waits for the real one.
    """
    _signal(process, signal.SIGTERM)
    try:
        async with asyncio.timeout(END_S):
            await process.communicate()
    except TimeoutError:
        _signal(process, signal.SIGKILL)
        await process.communicate()


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


async def _address(process: asyncio.subprocess.Process) -> str:
    """Return the address on which the browser listens."""
    while process.stderr is not None and (line := await process.stderr.readline()):
        if found := _LISTENING.search(line.decode("utf-8", "replace")):
            return found[1]
    raise OSError("the browser ended at once")
