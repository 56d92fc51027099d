"""Messenger's process imports a provider's library for a channel that is configured, and nothing else of that kind."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress

import httpx
import pytest

from tests.integration.messenger.household import Place
from tests.support.loaded import BOT_API, FOR_NOBODY_HERE, MAIL_IN, MAIL_OUT, needless, program
from tests.support.loopback import free_port

TELEGRAM = "[modules.telegram.bot]\n"
EMAIL = '[modules.email.bot.smtp]\nhost = "127.0.0.1"\nport = 25\ntls = "none"\n'


@pytest.mark.parametrize(
    ("modules", "unwanted"), [(TELEGRAM, MAIL_OUT), (EMAIL, BOT_API | {"httpx"})], ids=["telegram", "email"]
)
async def test_messenger_imports_the_libraries_of_its_own_channels_only(
    place: Place, modules: str, unwanted: frozenset[str]
) -> None:
    report, config, port = place.folder / "loaded", place.folder / "butler.toml", free_port()
    config.write_text(f'[butler]\nrole = "messenger"\nport = {port}\n\n{modules}', encoding="utf-8")
    command = (*program(report, "butler_messenger"), "--config", str(config))
    child = await asyncio.create_subprocess_exec(*command, env=place.env, stderr=sys.stderr)
    try:
        await until_ready(f"http://127.0.0.1:{port}/readyz", child)
        async with asyncio.timeout(90):
            await place.switchboard.told.wait()
        child.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(child.wait(), 90) == 0
    finally:
        if child.returncode is None:
            child.kill()
            await asyncio.wait_for(child.wait(), 90)
    assert needless(report, FOR_NOBODY_HERE | MAIL_IN | unwanted) == set()


async def until_ready(url: str, child: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(90), httpx.AsyncClient(trust_env=False, timeout=60) as client:
        while child.returncode is None:
            with suppress(httpx.TransportError):
                if (await client.get(url)).status_code == 200:
                    return
            await asyncio.sleep(0.05)
