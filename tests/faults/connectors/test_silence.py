"""Lines that go silent, two pollers on one bot, names that cannot be resolved: told, survived, nothing lost."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from butler_connectors.base import heartbeat
from butler_connectors.telegram_bot.settings import TelegramEnvironment
from butler_kit.config import read_environment
from butler_kit.mail import session
from tests.faults.connectors.sources import BOT, MAILBOX, imap_env, letter, telegram_env, told
from tests.faults.ledger import LEDGER
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector, health_until, ready
from tests.support.line import Line
from tests.support.loopback import HOST, free_socket
from tests.support.mail.imap_server import ImapServer
from tests.support.telegram_api import TelegramApiServer, message_update, person

ADA = person(1001, "Ada")
NOWHERE = "provider.example.net"


def bot_env(switchboard: FakeSwitchboard, folder: Path, api: str, **more: str) -> dict[str, str]:
    token = switchboard.token_file("telegram_bot", BOT)
    return telegram_env(folder, api=api, switchboard=switchboard.sse_url, token=token, **more)


def mailbox_env(
    switchboard: FakeSwitchboard, folder: Path, port: int, *, host: str = HOST, **more: str
) -> dict[str, str]:
    token = switchboard.token_file("imap", MAILBOX)
    return imap_env(folder, port=port, switchboard=switchboard.sse_url, token=token, host=host, **more)


async def test_a_silent_bot_api_is_told_as_degraded_polled_anew_and_loses_nothing(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with (
        Line(int(telegram.url.rpartition(":")[2])) as line,
        connector(bot_env(switchboard, tmp_path, f"http://{HOST}:{line.port}")) as service,
    ):
        await ready(service)
        line.hold()
        telegram.inject(message_update(ADA, text="said into the silence"))
        connections = line.connections
        await told(switchboard, "degraded", words="did not answer in time")
        await line.until(lambda one: one.connections > connections)
        await line.mend()
        await switchboard.until(lambda s: s.texts == ["said into the silence"], timeout_s=90)
        await told(switchboard, "healthy")
    LEDGER.outages += 1
    LEDGER.messages += 1


@pytest.fixture(autouse=True)
def _changes_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "_CHANGE_SPACING_S", 0.2)


@asynccontextmanager
async def dripping() -> AsyncIterator[tuple[str, list[int]]]:
    """A Bot API whose answer never ends: a byte now and then keeps every read alive. Gives its URL and the calls."""
    calls: list[int] = []

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            calls.append(len(calls))
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while not reader.at_eof():
                writer.write(b"1\r\n \r\n")
                await writer.drain()
                await asyncio.sleep(0.05)
        writer.close()

    server = await asyncio.start_server(drip, sock=free_socket())
    try:
        yield f"http://{HOST}:{server.sockets[0].getsockname()[1]}", calls
    finally:
        server.close()


async def test_an_answer_that_only_drips_is_given_up_though_every_read_gets_a_byte(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with dripping() as (api, calls), connector(bot_env(switchboard, tmp_path, api)):
        beat = await told(switchboard, "degraded", words="did not answer in time")
        async with asyncio.timeout(60):
            while len(calls) < 2:
                await asyncio.sleep(0.05)
    LEDGER.outages += 1
    assert beat.counters.source_api_calls >= 1


def test_a_poll_of_more_than_two_minutes_counts_as_stalled(tmp_path: Path) -> None:
    env = telegram_env(
        tmp_path, api="http://127.0.0.1:9", switchboard="http://127.0.0.1:9/sse", token=tmp_path
    )
    del env["TELEGRAM_STALL_TIMEOUT_S"], env["TELEGRAM_POLL_TIMEOUT_S"]
    settings = read_environment(TelegramEnvironment, env)
    assert (settings.stall_timeout_s, settings.poll_timeout_s) == (120.0, 50)


@pytest.mark.faults_full
async def test_a_silent_mail_server_is_told_as_degraded_and_read_anew_and_loses_nothing(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_READ_S", 2.0)
    async with (
        Line(imap.port) as line,
        connector(mailbox_env(switchboard, tmp_path, line.port)) as service,
    ):
        await ready(service)
        line.hold()
        await imap.deliver(letter("said into the silence", message_id="<silence@example.org>"))
        await told(switchboard, "degraded", words="did not answer")
        await line.mend()
        await switchboard.until(lambda s: len(s.texts) == 1, timeout_s=90)
        await told(switchboard, "healthy")
    LEDGER.outages += 1
    LEDGER.messages += 1
    assert len(switchboard.submissions) == 1


async def test_two_pollers_of_one_bot_are_an_error_that_ends_when_the_other_goes_and_lose_nothing(
    telegram: TelegramApiServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    slow = {"TELEGRAM_POLL_TIMEOUT_S": "20", "TELEGRAM_STALL_TIMEOUT_S": "60"}
    async with connector(bot_env(switchboard, tmp_path / "one", telegram.url, **slow)) as one:
        await ready(one)
        await switchboard.until(lambda s: bool(s.heartbeats))
        mine = switchboard.heartbeats[-1].connector.instance_id
        async with connector(bot_env(switchboard, tmp_path / "two", telegram.url, **slow)) as two:
            beat = await told(switchboard, "error", words="another process polls this bot")
            assert beat.connector.instance_id == mine
            health = await health_until(one, "error")
            # Waits of seconds between polls: no storm of the two against each other.
            assert health["counters"]["source_api_calls"] < 12
            telegram.inject(message_update(ADA, text="to whichever of the two"))
            await switchboard.until(lambda s: s.texts == ["to whichever of the two"], timeout_s=90)
            assert (await one.readiness()).ready is False or (await two.readiness()).ready is False
        telegram.inject(message_update(ADA, text="to the one that stayed"))
        await switchboard.until(lambda s: len(s.texts) == 2, timeout_s=90)
        await health_until(one, "healthy")
    LEDGER.outages += 1
    LEDGER.messages += 2
    assert switchboard.texts[-1] == "to the one that stayed"


@pytest.mark.parametrize("kind", ["telegram_bot", "imap"])
async def test_a_provider_that_cannot_be_found_is_an_outage_that_names_no_setting_and_loses_nothing(
    telegram: TelegramApiServer,
    imap: ImapServer,
    switchboard: FakeSwitchboard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    real, away = socket.getaddrinfo, [False]

    def look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in (NOWHERE, NOWHERE.encode()):
            return real(host, *args, **kwargs)
        if away[0]:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return real(HOST, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    port = int(telegram.url.rpartition(":")[2]) if kind == "telegram_bot" else imap.port
    async with Line(port) as line:
        if kind == "telegram_bot":
            env = bot_env(switchboard, tmp_path, f"http://{NOWHERE}:{line.port}")
        else:
            env = mailbox_env(switchboard, tmp_path, line.port, host=NOWHERE)
        async with connector(env) as service:
            await ready(service)
            away[0] = True
            await line.cut()
            if kind == "telegram_bot":
                telegram.inject(message_update(ADA, text="during the outage"))
            else:
                await imap.deliver(letter("during the outage", message_id="<outage@example.org>"))
            page = await health_until(service, "degraded")
            assert "cannot be reached" in page["error_message"]
            assert "check" not in page["error_message"]
            await line.mend()
            away[0] = False
            await switchboard.until(lambda s: len(s.texts) == 1, timeout_s=90)
            await health_until(service, "healthy")
    LEDGER.outages += 1
    LEDGER.messages += 1
