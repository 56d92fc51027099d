"""Mails made to exhaust their reader: one connector process reads them all in bounded memory and goes on (D15)."""

from __future__ import annotations

import asyncio
import base64
import re
from pathlib import Path

from tests.faults.connectors.sources import MAILBOX, imap_env, letter
from tests.faults.ledger import LEDGER
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import ConnectorProcess
from tests.support.mail.imap_server import ImapServer

MOST_MB = 200
"""What the process may ever have held; a quiet one holds about 65."""
_BOUNDARY = 'multipart/mixed; boundary="b"'


def mail(name: str, head: str, body: bytes) -> bytes:
    own = f"From: ada@example.org\r\nMessage-ID: <{name}@example.org>\r\nSubject: {name}\r\nMIME-Version: 1.0\r\n"
    return (own + head + "\r\n\r\n").encode() + body


def attachment(filename: str, media_type: str, *, content: bytes, more: str = "") -> bytes:
    head = f"--b\r\nContent-Type: {media_type}\r\nContent-Transfer-Encoding: base64\r\n{more}"
    place = f'Content-Disposition: attachment; filename="{filename}"\r\n\r\n'
    return (head + place).encode() + base64.b64encode(content) + b"\r\n"


def html_of_forty_megabytes() -> bytes:
    row = b"<tr><td><div style='font-size:0'>hidden</div><p>a row of the newsletter</p></td></tr>\r\n"
    body = b"<html><body><p>The first line.</p><table>" + row * (40_000_000 // len(row)) + b"</table></html>"
    return mail("html", "Content-Type: text/html; charset=utf-8", body)


def zip_bomb() -> bytes:
    """42 bytes of zip that claim to be 4 PB inside; the reader is told of the claim by every field it has."""
    record = b"PK\x03\x04" + b"\xff" * 38
    more = "Content-Length: 4503599626321920\r\nX-Uncompressed-Size: 4503599626321920\r\n"
    nested = b"".join(
        attachment(f"{n}.zip", "application/zip; x-unix-size=99999999999999", content=record, more=more)
        for n in range(300)
    )
    text = b"--b\r\nContent-Type: text/plain\r\n\r\nSee the attached.\r\n"
    return mail("zip", f"Content-Type: {_BOUNDARY}", text + nested + b"--b--\r\n")


def broken_mime() -> bytes:
    parts = (
        b'--b\r\nContent-Type: text/plain; charset="\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!not base64===\r\n',
        b'--b\r\nContent-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\n\r\nnested in itself\r\n',
        b"--b\r\nContent-Type: message/rfc822\r\n\r\nContent-Type: " + b"message/rfc822\r\n\r\n" * 50,
        b"--b\r\nContent-Type: text/plain\r\n\r\nStill readable.\r\n",
    )
    return mail("mime", f"Content-Type: {_BOUNDARY}", b"".join(parts))  # and no end


def mixed_charsets() -> bytes:
    texts = (
        ("utf-8", "Grüße"),
        ("iso-8859-15", "20 €"),
        ("koi8-r", "Привет"),
        ("shift_jis", "請求書"),
    )
    parts = b"".join(
        f"--b\r\nContent-Type: text/plain; charset={charset}\r\n\r\n".encode()
        + text.encode(charset)
        + b"\r\n"
        for charset, text in texts
    )
    wrong = b"--b\r\nContent-Type: text/plain; charset=x-no-such\r\n\r\n\xff\xfe\x80 bytes\r\n--b--\r\n"
    head = f"X-Mixed: =?koi8-r?B?{base64.b64encode('Счёт'.encode('koi8-r')).decode()}?= =?x-no?Q?=FF?=\r\n"
    return mail("charsets", f"{head}Content-Type: {_BOUNDARY}", parts + wrong)


HOSTILE = {
    "html": html_of_forty_megabytes,
    "line": lambda: mail("line", "Content-Type: text/plain", b"x" * 100_000 + b"\r\nand the rest"),
    "folds": lambda: mail("folds", "X-Fold: " + "\r\n y" * 100_000, b"hi"),
    "zip": zip_bomb,
    "mime": broken_mime,
    "charsets": mixed_charsets,
    "quotes": lambda: mail(
        "quotes", "Content-Type: text/plain", b"> " * 200_000 + b"\r\n" + b">\r\n" * 100_000
    ),
    "entities": lambda: mail("entities", "Content-Type: text/html", b"&#x41;" * 160_000),
    "brackets": lambda: mail("brackets", "Content-Type: text/html", b"<" * 900_000),
}


def peak_mb(process: ConnectorProcess) -> float:
    """The most memory that the process ever held (VmHWM)."""
    status = Path(f"/proc/{process.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found.group(1)) / 1024


async def test_hostile_mails_are_all_settled_in_bounded_memory_and_the_next_mail_is_read(
    imap: ImapServer, switchboard: FakeSwitchboard, tmp_path: Path
) -> None:
    token = switchboard.token_file("imap", MAILBOX)
    env = imap_env(tmp_path, port=imap.port, switchboard=switchboard.sse_url, token=token)
    process = await ConnectorProcess.start_alone(env, tmp_path / "log")
    async with asyncio.timeout(60):
        while not (tmp_path / "imap" / "cursor.json").exists():
            await asyncio.sleep(0.05)
    for make in HOSTILE.values():
        await imap.deliver(make())
    await imap.deliver(letter("an ordinary mail", message_id="<ordinary@example.org>"))
    wanted = {f"<{name}@example.org>" for name in (*HOSTILE, "ordinary")}
    await switchboard.until(
        lambda s: {one.event.external_event_id for one in s.envelopes} >= wanted, timeout_s=120
    )
    peak = peak_mb(process)
    assert await process.terminate() == 0
    LEDGER.messages += len(wanted)

    found = {one.event.external_event_id[1:].partition("@")[0]: one for one in switchboard.envelopes}
    assert len(switchboard.envelopes) == len(wanted)
    assert not (tmp_path / "imap" / "cursor.refused.jsonl").exists()
    texts = {name: one.payload.normalized_text for name, one in found.items()}
    assert "The first line." in texts["html"]
    assert "hidden" not in texts["html"]
    assert "Still readable." in texts["mime"]
    for word in ("Grüße", "20 €", "Привет", "請求書"):
        assert word in texts["charsets"]
    assert all(len(text) <= 65_536 for text in texts.values())
    bombs = found["zip"].payload.attachments
    assert 0 < len(bombs) <= 100
    # What is inside is neither opened nor believed: the size is that of the bytes which came.
    assert {one.size_bytes for one in bombs} == {42}
    assert peak < MOST_MB, f"{peak:.0f} MB"
