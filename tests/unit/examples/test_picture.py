"""The browser of the demo ends with the picture, also where it is a script that waits for the program."""

import asyncio
from pathlib import Path

import pytest

from examples.demo import picture
from tests.support.household import is_alive


async def test_a_browser_that_is_started_by_a_script_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, pid = tmp_path / "browser", tmp_path / "pid"
    script.write_text(
        f"#!/bin/sh\nsleep 300 &\necho $! > {pid}\necho 'DevTools listening on ws://127.0.0.1:1/x' >&2\nwait\n"
    )
    script.chmod(0o700)
    monkeypatch.setattr(picture, "find_chromium", lambda: str(script))
    told = await picture.take_picture("http://127.0.0.1:1/", tmp_path / "today.png")
    assert told.startswith("no picture of the dashboard")
    async with asyncio.timeout(30):
        while is_alive(int(pid.read_text())):
            await asyncio.sleep(0.05)
