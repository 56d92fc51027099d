"""A provider process that is killed has on disk what it acknowledged."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import aiosmtplib
import httpx

from tests.support.child import ChildProcess
from tests.support.mail.imap_server import ImapServer
from tests.support.mail.smtp_server import SmtpServer
from tests.support.telegram_api import TelegramApiServer

MAIL = b"From: a@example.org\r\nTo: b@example.org\r\nMessage-ID: <1@example.org>\r\n\r\nhello\r\n"


def test_killed_telegram_api_keeps_updates_and_log(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    arguments = ["--port", "0", "--token", "1:t", "--state", str(state)]
    update = {"message": {"chat": {"id": 1001, "type": "private"}, "text": "hello"}}
    with ChildProcess.python_module("tests.support.telegram_api", *arguments) as child:
        url = child.read_line().rsplit(" ", 1)[1]
        injected = httpx.post(f"{url}/control/updates", json=update, timeout=60).json()["update"]
        sent = httpx.post(f"{url}/bot1:t/sendMessage", json={"chat_id": 1001, "text": "noted"}, timeout=60)
        assert sent.status_code == 200
        assert child.stop(signal.SIGKILL) == -signal.SIGKILL
    restarted = TelegramApiServer(token="1:t", state_file=state)
    assert [queued.update for queued in restarted.state.queue] == [injected]
    assert [entry["text"] for entry in restarted.sent] == ["noted"]


async def test_killed_imap_server_keeps_mails(tmp_path: Path) -> None:
    arguments = ["--port", "0", "--user", "u", "--password", "p", "--state", str(tmp_path / "inbox")]

    def deliver_and_kill() -> int:
        with ChildProcess.python_module("tests.support.mail.imap_server", *arguments) as child:
            control = child.read_line().split()[5]
            httpx.post(f"{control}/control/mails", content=MAIL, timeout=60).raise_for_status()
            validity = httpx.get(f"{control}/control/state", timeout=60).json()["uid_validity"]
            assert child.stop(signal.SIGKILL) == -signal.SIGKILL
            return int(validity)

    validity = await asyncio.to_thread(deliver_and_kill)
    async with ImapServer(user="u", password="p", state=tmp_path / "inbox") as restarted:
        assert restarted.uid_validity == validity
        assert await restarted.deliver(MAIL) == 2


async def test_killed_smtp_server_keeps_accepted_mails(tmp_path: Path) -> None:
    log = tmp_path / "mails.jsonl"
    arguments = ["--port", "0", "--log", str(log)]
    with ChildProcess.python_module("tests.support.mail.smtp_server", *arguments) as child:
        port = int(child.read_line().split()[3].rpartition(":")[2])
        await aiosmtplib.send(
            MAIL,
            sender="a@example.org",
            recipients=["b@example.org"],
            hostname="127.0.0.1",
            port=port,
            timeout=60,
            start_tls=False,
        )
        assert child.stop(signal.SIGKILL) == -signal.SIGKILL
    assert [mail.message_id for mail in SmtpServer(log=log).accepted] == ["<1@example.org>"]
