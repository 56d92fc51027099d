"""One poll of the Bot API against a server that says anything: the updates as they came, or why there are none."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest
from telegram import Update

from butler_connectors.base.metrics import INSTRUMENTS, ConnectorMetrics
from butler_connectors.telegram_bot.api import BotApi
from butler_connectors.telegram_bot.faults import PollFault
from butler_kit.telemetry import Metrics
from butler_kit.time import SystemClock
from tests.support.loopback import free_port

TOKEN = "4711:a-bot-token-that-opens-nothing"


@asynccontextmanager
async def polling(
    status: str, body: bytes, *, header: str = "", trickling: bool = False
) -> AsyncIterator[tuple[BotApi, list[bytes]]]:
    """A poller of a server that gives this answer each time, and what the server heard."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split()[0])
                heard.append(head + await reader.readexactly(length))
                said = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{header}\r\n".encode() + body
                for part in [said] if not trickling else [said[at : at + 1] for at in range(len(said))]:
                    writer.write(part)
                    await writer.drain()
                    await asyncio.sleep(0.05 if trickling else 0)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, poller(url, stall_s=1 if trickling else 30) as api:
        yield api, heard


@asynccontextmanager
async def poller(base_url: str, *, stall_s: float = 30) -> AsyncIterator[BotApi]:
    metrics = ConnectorMetrics(
        Metrics(INSTRUMENTS), connector_type="telegram_bot", endpoint_identity="bot", clock=SystemClock()
    )
    async with BotApi(base_url=base_url, token=lambda: TOKEN, metrics=metrics, stall_s=stall_s) as api:
        yield api


def answer(*updates: Any) -> bytes:
    return json.dumps({"ok": True, "result": updates}).encode()


NO_SHAPE: dict[str, Any] = {"update_id": 1, "message": {"message_id": "x", "date": "soon", "chat": 5}}
"""No client library reads this."""
OF_NEXT_YEAR: dict[str, Any] = {
    "update_id": 2,
    "message": {
        "message_id": 7,
        "date": 1_767_225_600,
        "chat": {"id": 1001, "type": "hologram"},
        "from": {"id": 1001, "first_name": "Ada", "is_bot": False},
        "text": "hello",
        "mood": {"deep": [1, 2.5, None]},
    },
}


async def test_an_update_that_the_library_cannot_read_comes_with_the_others_as_it_was_sent() -> None:
    with pytest.raises(Exception):  # noqa: B017 - whatever it is, it would have ended the whole batch
        Update.de_list([NO_SHAPE, OF_NEXT_YEAR], None)
    body = answer({"no": "id"}, NO_SHAPE, OF_NEXT_YEAR, "not even an object")
    async with polling("200 OK", body) as (api, heard):
        assert await api.get_updates(offset=None, timeout_s=0, limit=100) == [NO_SHAPE, OF_NEXT_YEAR]
    asked = parse_qs(heard[0].partition(b"\r\n\r\n")[2].decode())
    assert heard[0].startswith(f"POST /bot{TOKEN}/getUpdates ".encode())
    assert json.loads(asked["allowed_updates"][0]) == [
        "message",
        "edited_message",
        "channel_post",
        "edited_channel_post",
        "callback_query",
    ]
    assert asked["limit"] == ["100"]
    assert "offset" not in asked


async def test_an_offset_below_zero_and_a_long_poll_are_asked_for_as_they_are() -> None:
    async with polling("200 OK", answer()) as (api, heard):
        assert await api.get_updates(offset=-1, timeout_s=50, limit=100) == []
        assert await api.get_updates(offset=12, timeout_s=0, limit=100) == []
    first, second = (parse_qs(one.partition(b"\r\n\r\n")[2].decode()) for one in heard)
    assert (first["offset"], first["timeout"], second["offset"]) == (["-1"], ["50"], ["12"])


REFUSED = b'{"ok":false,"description":"because"}'


@pytest.mark.spec("CNX-08.1")
@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        ("401 Unauthorized", REFUSED, "unauthorized", "spec.telegramBot.tokenSecretRef (TELEGRAM_BOT_TOKEN)"),
        ("404 Not Found", b"<html>", "unauthorized", "spec.telegramBot.tokenSecretRef (TELEGRAM_BOT_TOKEN)"),
        ("403 Forbidden", REFUSED, "http_error", "because"),
        ("400 Bad Request", REFUSED, "http_error", "because"),
        ("400 Bad Request", b'["no", "object"]', "http_error", "400"),
        ("400 Bad Request", b'{"description":7,"parameters":[]}', "http_error", "400"),
        ("418 I'm a Teapot", b"[" * 100_000, "http_error", "418"),
        ("409 Conflict", REFUSED, "conflict", "another process polls this bot"),
        ("302 Found", b"", "http_error", "302"),
        ("429 Too Many Requests", b'{"parameters":{"retry_after":7}}', "rate_limited", "slow down"),
        ("500 Internal Server Error", b"<html>", "http_error", "HTTP 500"),
        ("502 Bad Gateway", b"", "http_error", "HTTP 502"),
        ("200 OK", b"<html>", "bad_answer", "not what it documents"),
        ("200 OK", b"[" * 100_000, "bad_answer", "not what it documents"),
        ("200 OK", REFUSED, "bad_answer", "not what it documents"),
        ("200 OK", b'{"ok":true,"result":{}}', "bad_answer", "no list of updates"),
        ("200 OK", b'{"ok":true,"result":[{"update_id":true}]}', "bad_answer", "no update with an id"),
    ],
)
async def test_what_is_no_list_of_updates_is_a_fault_with_its_kind(
    status: str, body: bytes, kind: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with polling(status, body) as (api, _):
        with pytest.raises(PollFault) as fault:
            await api.get_updates(offset=None, timeout_s=0, limit=100)
    assert fault.value.kind == kind
    assert words in str(fault.value)
    assert TOKEN not in str(fault.value) + caplog.text
    assert len(caplog.text) < 10_000


@pytest.mark.parametrize(
    ("status", "body", "header", "seconds"),
    [
        ("429 Too Many Requests", b'{"parameters":{"retry_after":7}}', "", 7),
        ("429 Too Many Requests", b"", "Retry-After: 9\r\n", 9),
        ("503 Service Unavailable", b"", "Retry-After: 11\r\n", 11),
        ("503 Service Unavailable", b"", "Retry-After: Mon, 23 Nov 2026 08:00:00 GMT\r\n", None),
    ],
)
async def test_a_pause_that_is_asked_for_is_known(
    status: str, body: bytes, header: str, seconds: int | None
) -> None:
    async with polling(status, body, header=header) as (api, _):
        with pytest.raises(PollFault) as fault:
            await api.get_updates(offset=None, timeout_s=0, limit=100)
    assert fault.value.retry_after_s == seconds


async def test_a_peer_that_is_not_there_and_an_address_that_is_none_are_told_apart() -> None:
    async with poller(f"http://127.0.0.1:{free_port()}") as api:
        with pytest.raises(PollFault) as away:
            await api.get_updates(offset=None, timeout_s=0, limit=100)
    async with poller("http://127.0.0.1:99999") as api:
        with pytest.raises(PollFault) as nowhere:
            await api.get_updates(offset=None, timeout_s=0, limit=100)
    assert (away.value.kind, nowhere.value.kind) == ("connection_error", "connection_error")
    assert "cannot be reached" in str(away.value)
    assert "TELEGRAM_API_BASE_URL" in str(nowhere.value)
    assert TOKEN not in str(away.value) + str(nowhere.value)


async def test_a_poll_that_trickles_is_ended_by_its_deadline() -> None:
    async with polling("200 OK", answer(OF_NEXT_YEAR), trickling=True) as (api, _):
        with pytest.raises(PollFault) as late:
            await api.get_updates(offset=None, timeout_s=0, limit=100)
    assert late.value.kind == "timeout"
