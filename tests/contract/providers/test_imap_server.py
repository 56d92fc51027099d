"""The IMAP server against RFC 3501 (IMAP4rev1), RFC 2177 (IDLE) and RFC 4315 (UIDPLUS), through imapclient."""

from __future__ import annotations

import asyncio
import select
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from tests.support.child import ChildProcess
from tests.support.mail.imap_server import ImapServer

USER, PASSWORD = "household", "right"
MAIL = b"From: ada@example.org\r\nSubject: one\r\nMessage-ID: <1@example.org>\r\n\r\n8 bit: \xe9 \xff\r\n.\r\nend"


@contextmanager
def login(port: int) -> Iterator[Any]:
    client = IMAPClient("127.0.0.1", port, ssl=False, timeout=15)
    try:
        client.login(USER, PASSWORD)
        yield client
    finally:
        client.shutdown()


@pytest.fixture
async def server() -> AsyncIterator[ImapServer]:
    async with ImapServer(user=USER, password=PASSWORD) as server:
        yield server


async def test_a_wrong_password_is_refused(server: ImapServer) -> None:
    """RFC 3501 §6.2.3: NO when the user name or the password is rejected."""

    def client() -> None:
        with pytest.raises(LoginError):
            IMAPClient("127.0.0.1", server.port, ssl=False, timeout=15).login(USER, "wrong")

    await asyncio.to_thread(client)


async def test_a_delivered_mail_is_fetched_byte_for_byte_without_being_marked_read(
    server: ImapServer,
) -> None:
    """RFC 3501 §6.4.5: BODY.PEEK does not set \\Seen; §2.3.1.1: UIDs ascend."""
    assert [await server.deliver(MAIL), await server.deliver(MAIL + b" more")] == [1, 2]

    def client() -> Any:
        with login(server.port) as client:
            client.select_folder("INBOX")
            found = client.search(["UID", "1:*"])
            return found, client.fetch(found, ["BODY.PEEK[]", "FLAGS"])

    found, mails = await asyncio.to_thread(client)
    assert found == [1, 2]
    assert mails[1][b"BODY[]"] == MAIL
    assert b"\\Seen" not in mails[1][b"FLAGS"]


async def test_idle_announces_a_new_mail(server: ImapServer) -> None:
    """RFC 2177: while idling, the server sends untagged EXISTS as mail arrives."""

    def client(loop: asyncio.AbstractEventLoop) -> tuple[bool, Any]:
        with login(server.port) as client:
            client.select_folder("INBOX")
            client.idle()
            asyncio.run_coroutine_threadsafe(server.deliver(MAIL), loop).result(10)
            # `idle_check()` breaks on a line that comes in pieces; `idle_done()` reads whole lines.
            assert select.select([client.socket()], [], [], 15)[0]
            _, announced = client.idle_done()
            return b"IDLE" in client.capabilities(), announced

    capable, announced = await asyncio.to_thread(client, asyncio.get_running_loop())
    assert capable
    assert (1, b"EXISTS") in announced


async def test_append_tells_uid_validity_and_uid(server: ImapServer) -> None:
    """RFC 4315: the APPENDUID response code."""

    def client() -> bytes:
        with login(server.port) as client:
            answer: bytes = client.append("INBOX", MAIL)
            return answer

    assert f"APPENDUID {server.uid_validity} 1".encode() in await asyncio.to_thread(client)


async def test_a_changed_uid_validity_cuts_clients_and_is_announced_at_select(server: ImapServer) -> None:
    """RFC 3501 §2.3.1.1: a client that sees another UIDVALIDITY must forget every UID."""
    before = server.uid_validity

    async def change_uid_validity() -> None:
        server.change_uid_validity()

    def client(loop: asyncio.AbstractEventLoop) -> int:
        with login(server.port) as client:
            assert client.select_folder("INBOX")[b"UIDVALIDITY"] == before
            client.idle()
            asyncio.run_coroutine_threadsafe(change_uid_validity(), loop).result(10)
            assert client.idle_check(timeout=15) == []
            with pytest.raises((OSError, IMAPClient.AbortError)):
                client.idle_done()
        with login(server.port) as client:
            return int(client.select_folder("INBOX")[b"UIDVALIDITY"])

    assert await asyncio.to_thread(client, asyncio.get_running_loop()) == before + 1


async def test_refused_connections_are_cut_before_the_greeting(server: ImapServer) -> None:
    server.refuse_connections = True

    def client() -> None:
        with pytest.raises((OSError, IMAPClient.AbortError)):
            IMAPClient("127.0.0.1", server.port, ssl=False, timeout=15)

    await asyncio.to_thread(client)
    assert server.connections_seen == 1


async def test_a_restarted_server_keeps_mails_flags_uids_and_uid_validity(tmp_path: Path) -> None:
    state = tmp_path / "inbox"

    def flag_and_expunge(port: int) -> None:
        with login(port) as client:
            client.select_folder("INBOX")
            client.add_flags([1], [b"\\Seen"])
            client.delete_messages([3])
            client.expunge()

    async with ImapServer(user=USER, password=PASSWORD, state=state) as first:
        validity = first.uid_validity
        for number in range(3):
            await first.deliver(MAIL + str(number).encode())
        await asyncio.to_thread(flag_and_expunge, first.port)

    def read(port: int) -> Any:
        with login(port) as client:
            selected = client.select_folder("INBOX")
            return selected[b"UIDVALIDITY"], client.fetch(client.search(), ["BODY.PEEK[]", "FLAGS"])

    async with ImapServer(user=USER, password=PASSWORD, state=state) as second:
        kept_validity, mails = await asyncio.to_thread(read, second.port)
        assert kept_validity == validity
        assert {uid: mail[b"BODY[]"] for uid, mail in mails.items()} == {1: MAIL + b"0", 2: MAIL + b"1"}
        assert b"\\Seen" in mails[1][b"FLAGS"]
        assert await second.deliver(MAIL) == 4


def test_the_process_takes_mails_on_its_control_port_and_ends_on_sigterm(tmp_path: Path) -> None:
    arguments = ["--port", "0", "--user", USER, "--password", PASSWORD, "--state", str(tmp_path / "inbox")]
    with ChildProcess.python_module("tests.support.mail.imap_server", *arguments) as child:
        words = child.read_line().split()
        port, control = int(words[3].rpartition(":")[2]), words[5]
        assert httpx.post(f"{control}/control/mails", content=MAIL, timeout=60).json() == {"uid": 1}
        with login(port) as client:
            client.select_folder("INBOX")
            assert client.fetch([1], ["BODY.PEEK[]"])[1][b"BODY[]"] == MAIL
            state = httpx.get(f"{control}/control/state", timeout=60).json()
            assert (state["mails"], state["next_uid"], state["connections"]) == (1, 2, 1)
            assert httpx.post(f"{control}/control/drop", timeout=60).json() == {"dropped": 1}
        changed = httpx.post(f"{control}/control/uidvalidity", json={"uid_validity": 77}, timeout=60).json()
        assert changed == {"uid_validity": 77}
        assert child.stop(signal.SIGTERM) == 0
