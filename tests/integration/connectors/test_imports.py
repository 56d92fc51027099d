"""A connector's process imports the libraries of its own provider and nothing of a database or a server's tools."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import RSS_MOST_MB, ConnectorProcess
from tests.integration.connectors.test_imap import PASSWORD, USER, mail
from tests.integration.connectors.test_imap import environment as imap_environment
from tests.integration.connectors.test_telegram import TOKEN
from tests.integration.connectors.test_telegram import environment as telegram_environment
from tests.integration.connectors.test_webhook import ADA_TOKEN
from tests.integration.connectors.test_webhook import environment as webhook_environment
from tests.support.loaded import (
    BOT_API,
    DATABASE,
    FOR_NOBODY_HERE,
    MAIL_IN,
    MAIL_OUT,
    SERVING,
    needless,
    program,
)
from tests.support.loopback import free_port
from tests.support.mail.imap_server import ImapServer
from tests.support.telegram_api.server import TelegramApiServer
from tests.support.telegram_api.updates import message_update, person

BY_FASTAPI = frozenset({"fastapi", "opentelemetry"})
"""Of spans FastAPI itself loads the interface, which has nothing to send them with."""
NEVER = (FOR_NOBODY_HERE - BY_FASTAPI) | {"opentelemetry.sdk"} | DATABASE | SERVING | MAIL_OUT
HTTP_CLIENT = frozenset({"httpx"})


async def start(env: dict[str, str], switchboard: FakeSwitchboard, report: Path) -> ConnectorProcess:
    """The process as `butlers up` starts it: its Switchboard at `/mcp`."""
    env = {**env, "SWITCHBOARD_MCP_URL": f"{switchboard.url}/mcp"}
    return await ConnectorProcess.start_alone(
        env, report.with_suffix(".log"), command=program(report, "butler_connectors")
    )


async def stopped_after(process: ConnectorProcess, switchboard: FakeSwitchboard) -> None:
    """Stop it, of whatever type, once it has submitted a message and told how it does."""
    await switchboard.until(lambda s: len(s.envelopes) == 1 and bool(s.heartbeats))
    assert process.rss_mb < RSS_MOST_MB
    assert await process.terminate() == 0


@pytest.mark.spec("CNX-01.2")
async def test_a_telegram_connector_imports_no_database_no_tools_of_its_own_and_no_mail(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    report = tmp_path / "loaded"
    async with TelegramApiServer(token=TOKEN) as telegram:
        env = telegram_environment(telegram, switchboard, tmp_path)
        process = await start(env, switchboard, report)
        await telegram.until(lambda api: api.polling)
        telegram.inject(message_update(person(1001, "Ada"), text="Paid 12 EUR for a taxi"))
        await stopped_after(process, switchboard)
    assert needless(report, NEVER | MAIL_IN) == set()


@pytest.mark.spec("CNX-01.2")
async def test_a_mail_connector_imports_no_database_no_tools_of_its_own_and_no_bot_api(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    report = tmp_path / "loaded"
    async with ImapServer(user=USER, password=PASSWORD) as imap:
        await imap.deliver(mail(1, "Paid 3.20 EUR"))
        env = imap_environment(imap, switchboard, tmp_path, CONNECTOR_START="last_1")
        await stopped_after(await start(env, switchboard, report), switchboard)
    assert needless(report, NEVER | BOT_API | HTTP_CLIENT) == set()


@pytest.mark.spec("CNX-01.2")
async def test_a_webhook_imports_no_database_no_tools_of_its_own_and_no_providers_library(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    report, port = tmp_path / "loaded", free_port()
    process = await start(webhook_environment(switchboard, port), switchboard, report)
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        await until_posted(client, f"http://127.0.0.1:{port}/v1/messages")
    await stopped_after(process, switchboard)
    assert needless(report, NEVER | BOT_API | MAIL_IN | HTTP_CLIENT) == set()


async def until_posted(client: httpx.AsyncClient, url: str) -> None:
    """Post one message as soon as somebody listens."""
    headers = {"authorization": f"Bearer {ADA_TOKEN}", "idempotency-key": "k-1"}
    async with asyncio.timeout(90):
        while True:
            with suppress(httpx.TransportError):
                answer = await client.post(url, json={"text": "Buy milk", "sender": "ada"}, headers=headers)
                assert answer.status_code == 202
                return
            await asyncio.sleep(0.05)
