"""The IMAP connector against a real IMAP server and a scripted Switchboard."""

from __future__ import annotations

import asyncio
import inspect
import json
import selectors
import socket
import ssl
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials.flag import Flag

from butler_connectors.base.process import assemble
from butler_connectors.imap.settings import ImapEnvironment
from butler_kit.config import read_environment
from butler_kit.mail.labels import labels_of
from butler_kit.mail.line import Line
from butler_kit.mail.session import ImapSession, MailFault
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import ConnectorProcess, connector, health_until, page, ready
from tests.support.mail.imap_server import ImapServer

USER, PASSWORD, ENDPOINT = "household@example.org", "a-password", "imap:household@example.org"


@pytest.fixture
async def imap() -> AsyncIterator[ImapServer]:
    async with ImapServer(user=USER, password=PASSWORD) as server:
        yield server


def environment(
    imap: ImapServer | tuple[str, int], switchboard: FakeSwitchboard, folder: Path, **more: str
) -> dict[str, str]:
    host, port = imap if isinstance(imap, tuple) else (imap.host, imap.port)
    return {
        "CONNECTOR_TYPE": "imap",
        "CONNECTOR_PROVIDER": "imap",
        "CONNECTOR_CHANNEL": "email",
        "CONNECTOR_ENDPOINT_IDENTITY": ENDPOINT,
        "CONNECTOR_CURSOR_PATH": str(folder / "cursor.json"),
        "SWITCHBOARD_MCP_URL": switchboard.sse_url,
        "BUTLERS_TOKEN_FILE": str(switchboard.token_file("imap", ENDPOINT)),
        "IMAP_HOST": host,
        "IMAP_PORT": str(port),
        "IMAP_TLS": "none",
        "IMAP_USERNAME": USER,
        "IMAP_PASSWORD": PASSWORD,
        **more,
    }


def mail(
    number: int, text: str = "hello", *, message_id: bool = True, sender: str = "ada@example.org"
) -> bytes:
    own_id = f"Message-ID: <mail-{number}@example.org>\r\n" if message_id else ""
    return f"From: Ada <{sender}>\r\n{own_id}Subject: Mail {number}\r\n\r\n{text}\r\n".encode()


def uid_of(folder: Path) -> int:
    return int(json.loads((folder / "cursor.json").read_text())["cursor"].split("/")[1])


async def test_a_new_mailbox_starts_now_and_takes_what_arrives(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    await imap.deliver(mail(1, "from before"))
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        uid = await imap.deliver(mail(2, "Paid 3.20 EUR"))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    assert switchboard.texts == ["Subject: Mail 2\n\nPaid 3.20 EUR"]
    assert switchboard.envelopes[0].event.external_event_id == "<mail-2@example.org>"
    assert uid_of(tmp_path) == uid


async def test_a_mail_that_outlook_passes_on_is_taken_whole_and_one_that_it_answers_is_not(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    block = "From: Shop <s@example.net>\r\nSent: Friday\r\nTo: Ada\r\nSubject: Bill\r\n\r\nTotal: 75.10 EUR"
    passed_on = mail(1, f"Please remember\r\n\r\n-- \r\nAda\r\n\r\n{block}").replace(b"Mail 1", b"FW: Bill")
    answer = mail(2, f"Paid it.\r\n\r\n{block}").replace(
        b"Mail 2", b"Bill\r\nIn-Reply-To: <bill@example.net>"
    )
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        await imap.deliver(passed_on)
        await imap.deliver(answer)
        await switchboard.until(lambda s: len(s.envelopes) == 2)
    whole, cut = switchboard.texts
    assert whole.startswith(
        "Subject: FW: Bill\n\nPlease remember\n\n-- \nAda\n\n---------- Forwarded message"
    )
    assert whole.endswith(
        "From: Shop <s@example.net>\nSent: Friday\nTo: Ada\nSubject: Bill\n\nTotal: 75.10 EUR"
    )
    assert cut == "Subject: Bill\n\nPaid it."


async def test_a_cut_connection_loses_no_mail(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        imap.refuse_connections = True
        imap.drop_connections()
        await imap.deliver(mail(1, "while it was cut"))
        await health_until(service, "degraded")
        imap.refuse_connections = False
        await switchboard.until(lambda s: len(s.envelopes) == 1)
        await health_until(service, "healthy")


async def test_a_new_uidvalidity_reads_the_mailbox_anew_and_dedupe_makes_it_harmless(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        await imap.deliver(mail(1, "first"))
        await imap.deliver(mail(2, "without an id", message_id=False))
        await switchboard.until(lambda s: len(s.envelopes) == 2)
        validity = imap.change_uid_validity()
        await imap.deliver(mail(3, "after the change"))
        await switchboard.until(lambda s: len(s.envelopes) == 3 and len(s.submissions) == 5)
    assert json.loads((tmp_path / "cursor.json").read_text())["cursor"].startswith(f"{validity}/3/")


async def test_an_old_mail_that_is_moved_into_the_mailbox_after_the_start_is_taken(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    long_ago = datetime(2020, 3, 1, tzinfo=UTC)
    await imap.deliver(mail(1, "before the start"), when=long_ago)
    env = environment(imap, switchboard, tmp_path, CONNECTOR_START="2026-01-01")
    async with connector(env) as service:
        await ready(service)
        await imap.deliver(mail(2, "moved here"), when=long_ago)
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    assert switchboard.texts == ["Subject: Mail 2\n\nmoved here"]


async def test_a_wrong_password_is_told_and_not_hammered(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    async with connector(environment(imap, switchboard, tmp_path, IMAP_PASSWORD="wrong")) as service:
        told = await health_until(service, "error")
        assert "IMAP_PASSWORD" in told["error_message"]
        assert "wrong" not in told["error_message"]
        assert (await page(service, "/readyz")).status_code == 503
    assert imap.connections_seen == 1


async def test_mails_are_never_marked(imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path) -> None:
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        await imap.deliver(mail(1))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    flags = [flag.value async for message in imap.inbox.messages() for flag in message.permanent_flags]
    assert flags == []


async def test_a_mail_of_forty_megabytes_is_read_in_part(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    head = (
        b"From: ada@example.org\r\nMessage-ID: <big@example.org>\r\nSubject: Film\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee the film.\r\n'
        b"--b\r\nContent-Type: video/mp4\r\nContent-Transfer-Encoding: base64\r\n"
        b'Content-Disposition: attachment; filename="film.mp4"\r\n\r\n'
    )
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        await imap.deliver(head + b"AAAA" * 10_000_000 + b"\r\n--b--\r\n")
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    (envelope,) = switchboard.envelopes
    assert envelope.payload.normalized_text == "Subject: Film\n\nSee the film."
    (film,) = envelope.payload.attachments
    assert film.filename == "film.mp4"
    assert 29_000_000 < film.size_bytes < 30_100_000


@pytest.mark.spec("CNX-05.2")
async def test_a_mails_keywords_and_flags_are_its_labels(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    flags = frozenset({Flag(b"$Bills"), Flag(b"\\Flagged"), Flag(b"\\Seen")})
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        await imap.inbox.append(AppendMessage(mail(1), None, flags))
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    raw = switchboard.envelopes[0].payload.raw
    assert raw is not None
    assert set(raw["labels"]) == {"$Bills", "\\Flagged"}


@pytest.mark.spec("CNX-05.2")
@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ({b"X-GM-LABELS": (b"\\Inbox", b"Bills", b"&AMk-t&AOk-")}, ("\\Inbox", "Bills", "Été")),
        ({b"X-GM-LABELS": (b"Bills",), b"FLAGS": (b"Bills", b"\\Seen", b"$Later")}, ("Bills", "$Later")),
        ({b"FLAGS": None, b"X-GM-LABELS": (7,)}, ("7",)),
        ({}, ()),
    ],
)
def test_gmails_labels_are_read_and_what_reading_changes_is_left_out(
    answer: dict[bytes, Any], labels: tuple[str, ...]
) -> None:
    assert labels_of(answer) == labels


PHOTO = (
    b"--b\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: base64\r\n"
    b'Content-Disposition: attachment; filename="garden.jpg"\r\n\r\n' + b"/9j/" * 750_000 + b"\r\n"
)
BILL = b"From: shop@example.net\r\nSubject: Bill\r\nContent-Type: text/plain\r\n\r\nTotal: 75.10 EUR\r\n"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (PHOTO + b"--b\r\nContent-Type: text/plain\r\n\r\nPaid 75.10 EUR\r\n", "Paid 75.10 EUR"),
        (
            b'--b\r\nContent-Type: text/html\r\n\r\n<p>Hi</p><img src="data:image/png;base64,'
            + b"AAAA" * 700_000
            + b'"><p>Paid 75.10 EUR</p>\r\n',
            "Hi\n\nPaid 75.10 EUR",
        ),
        (
            PHOTO + b"--b\r\nContent-Type: message/rfc822\r\n\r\n" + BILL,
            "---------- Forwarded message ----------\nFrom: shop@example.net\nSubject: Bill\n\nTotal: 75.10 EUR",
        ),
    ],
    ids=["behind a photo", "behind an embedded picture", "in a forwarded mail behind a photo"],
)
async def test_the_text_of_a_large_mail_is_found_wherever_it_is(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path, parts: bytes, text: str
) -> None:
    head = mail(1).partition(b"\r\n\r\n")[0] + b'\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
    async with connector(environment(imap, switchboard, tmp_path)) as service:
        await ready(service)
        await imap.deliver(head + parts + b"--b--\r\n")
        await switchboard.until(lambda s: len(s.envelopes) == 1)
    (envelope,) = switchboard.envelopes
    assert envelope.payload.normalized_text == f"Subject: Mail 1\n\n{text}"
    for reference in envelope.payload.attachments:
        if reference.media_type == "image/jpeg":
            assert (reference.filename, 2_150_000 < reference.size_bytes < 2_350_000) == ("garden.jpg", True)


async def test_a_kill_between_acceptance_and_checkpoint_repeats_and_loses_no_mail(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    env, log = environment(imap, switchboard, tmp_path), tmp_path / "log"
    process = await ConnectorProcess.start_alone(env, log)
    async with asyncio.timeout(90):
        while not (tmp_path / "cursor.json").exists():
            await asyncio.sleep(0.02)
    switchboard.script.extend(["accept-and-hang", "hang"])
    await imap.deliver(mail(1))
    await imap.deliver(mail(2))
    await switchboard.until(lambda s: len(s.envelopes) == 1 and len(s.submissions) >= 1)
    rss_mb = process.rss_mb
    await process.kill()
    switchboard.script.clear()
    process = await ConnectorProcess.start(env, log)
    await switchboard.until(lambda s: len(s.envelopes) == 2)
    uid = await imap.deliver(mail(3))
    await switchboard.until(lambda s: len(s.envelopes) == 3)
    assert await process.terminate() == 0
    assert uid_of(tmp_path) == uid
    assert rss_mb < 150


async def test_a_mailbox_without_idle_is_polled(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("imapclient.IMAPClient.has_capability", lambda self, name: False)
    async with connector(environment(imap, switchboard, tmp_path, CONNECTOR_POLL_INTERVAL_S="1")) as service:
        await ready(service)
        await imap.deliver(mail(1))
        await switchboard.until(lambda s: len(s.envelopes) == 1)


async def test_a_wait_for_mail_ends_when_its_connection_is_cut_and_closed_at_once(
    switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    server = await asyncio.start_server(_quick_mailbox, "127.0.0.1", 0)
    async with server:
        env = environment(server.sockets[0].getsockname(), switchboard, tmp_path)
        settings = read_environment(ImapEnvironment, env)
        for _ in range(12):  # whether the socket is closed before the waiting thread is awake is chance
            await _cut_while_waiting(
                ImapSession(settings.account, assemble(settings).metrics.track_source_call)
            )


@pytest.mark.parametrize("tls", ["none", "implicit", "starttls"])
@pytest.mark.parametrize("stage", ["no connection", "no greeting", "no handshake"])
async def test_a_connection_that_is_being_made_is_cut_at_once(
    switchboard: FakeSwitchboard, tmp_path: Path, tls: str, stage: str
) -> None:
    silent = socket.create_server(("127.0.0.1", 0), backlog=0)
    crowd = [socket.socket() for _ in range(4 if stage == "no connection" else 0)]
    for one in crowd:  # the kernel answers nobody who comes after them
        one.setblocking(False)
        one.connect_ex(silent.getsockname())
    env = environment(silent.getsockname(), switchboard, tmp_path, IMAP_TLS=tls)
    settings = read_environment(ImapEnvironment, env)
    session = ImapSession(settings.account, assemble(settings).metrics.track_source_call)
    opening = asyncio.create_task(asyncio.to_thread(session.open))
    if stage == "no handshake":
        accepted, _ = await asyncio.to_thread(silent.accept)
        crowd.append(accepted)
        if tls != "implicit":  # words where a handshake is due would end it before it is looked at
            accepted.sendall(b"* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n")
    async with asyncio.timeout(10):  # less than any deadline of the connection
        while not _connecting():
            await asyncio.sleep(0.001)
        session.abort()
        with pytest.raises(MailFault):
            await opening
    session.close()
    for one in (silent, *crowd):
        one.close()


def _connecting() -> bool:
    """Whether another thread is making a connection."""
    return any(
        frame.f_code.co_filename in (socket.__file__, ssl.__file__, inspect.getfile(Line))
        for frame in sys._current_frames().values()
        if frame.f_code.co_name in ("dial", "do_handshake", "readinto", "read", "_create", "wrap_socket")
    )


async def _cut_while_waiting(session: ImapSession) -> None:
    await asyncio.to_thread(session.open)
    waiting = asyncio.create_task(asyncio.to_thread(session.wait_for_news, 300))
    async with asyncio.timeout(60):
        while not _selecting():
            await asyncio.sleep(0.001)
        session.abort()
        session.close()
        with pytest.raises(MailFault):
            await waiting


def _selecting() -> bool:
    """Whether another thread waits for a mailbox to say something."""
    return any(
        frame.f_code.co_filename == selectors.__file__
        and frame.f_back is not None
        and frame.f_back.f_code.co_filename == inspect.getfile(ImapSession)
        for frame in sys._current_frames().values()
    )


async def _quick_mailbox(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An empty mailbox that takes any password and never has news."""
    said = {
        b"CAPABILITY": b"* CAPABILITY IMAP4REV1 IDLE\r\n",
        b"EXAMINE": b"* OK [UIDVALIDITY 1] .\r\n* OK [UIDNEXT 1] .\r\n",
    }
    writer.write(b"* OK ready\r\n")
    while line := await reader.readline():
        tag, command = line.split()[:2]
        writer.write(b"+ idling\r\n" if command == b"IDLE" else said.get(command, b"") + tag + b" OK .\r\n")
    writer.close()
