"""What becomes of one HTTP exchange with the Bot API: sent or not, answered or not, and never the token."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from telegram.error import NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import RequestData
from telegram.request._requestparameter import RequestParameter

from butler_kit.botapi import BotRequest, NeverReached, ServerFault
from butler_kit.botapi.request import TooLarge

TOKEN = "4711:secret"
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def bot_request(*, read_timeout_s: float = 5.0) -> AsyncIterator[BotRequest]:
    request = BotRequest(connections=2, connect_timeout_s=2.0, read_timeout_s=read_timeout_s)
    try:
        yield request
    finally:
        await request.shutdown()


@asynccontextmanager
async def peer(answer: Answer) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that reads a request and answers as told; its URL and what it was sent."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            length = int(head.lower().partition(b"content-length:")[2].split()[0])
            heard.append(head + await reader.readexactly(length))
            await answer(reader, writer)
            if writer.is_closing():
                return
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/bot{TOKEN}/sendMessage", heard


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""


def saying(status: str, body: bytes = b"{}", header: str = "") -> Answer:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{header}\r\n".encode() + body)

    return answer


async def silence(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def breaking_off(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


def text(said: str) -> RequestData:
    return RequestData([RequestParameter("text", said, None)])


async def test_parameters_arrive_as_a_form_and_the_answer_comes_back_whole() -> None:
    async with peer(saying("200 OK", b'{"ok":true}')) as (url, heard), bot_request() as request:
        for _ in range(2):
            assert await request.do_request(url, "POST", text("a & b = ü")) == (200, b'{"ok":true}')
    assert heard[0].startswith(f"POST /bot{TOKEN}/sendMessage HTTP/1.1".encode())
    assert b"content-type: application/x-www-form-urlencoded" in heard[0].lower()
    assert heard[0].endswith(b"\r\n\r\ntext=a+%26+b+%3D+%C3%BC")


async def test_a_connection_that_was_never_made_is_told_from_one_that_broke() -> None:
    async with peer(breaking_off) as (url, heard), bot_request() as request:
        with pytest.raises(NetworkError) as broken:
            await request.do_request(url, "POST", text("x"))
    async with bot_request() as request:
        with pytest.raises(NeverReached) as refused:
            await request.do_request(url, "POST", text("x"))
        with pytest.raises(NeverReached) as nowhere:
            await request.do_request(f"http://nowhere.invalid/bot{TOKEN}/sendMessage", "POST", text("x"))
    assert len(heard) == 1, "nothing is sent twice"
    assert not isinstance(broken.value, NeverReached)
    assert "Errno" in refused.value.message
    for error in (broken, refused, nowhere):
        assert TOKEN not in str(error.value)


async def test_an_answer_that_does_not_come_is_a_timeout() -> None:
    async with peer(silence) as (url, _), bot_request(read_timeout_s=0.2) as request:
        with pytest.raises(TimedOut) as late:
            await request.do_request(url, "POST", text("x"))
    assert TOKEN not in str(late.value)


async def test_a_redirect_is_not_followed() -> None:
    async with (
        peer(saying("200 OK")) as (elsewhere, heard),
        peer(saying("307 Temporary Redirect", header=f"Location: {elsewhere}\r\n")) as (url, _),
        bot_request() as request,
    ):
        status, _ = await request.do_request(url, "POST", text("x"))
    assert status == 307
    assert heard == []


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        ("503 Service Unavailable", b"<html>", ServerFault),
        ("429 Too Many Requests", b'{"parameters":{"retry_after":7}}', RetryAfter),
        ("429 Too Many Requests", b"", RetryAfter),
        ("413 Request Entity Too Large", b"<html>", TooLarge),
    ],
)
async def test_a_fault_and_a_pause_are_known_by_their_status(
    status: str, body: bytes, error: type[TelegramError]
) -> None:
    async with peer(saying(status, body)) as (url, _), bot_request() as request:
        with pytest.raises(error):
            await request.do_request(url, "POST", text("x"))


async def test_an_answer_that_never_ends_is_not_taken_in_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("butler_kit.botapi.request._ANSWER_MAX_BYTES", 1000)
    async with peer(saying("200 OK", b"a" * 1001)) as (url, _), bot_request() as request:
        with pytest.raises(NetworkError) as large:
            await request.do_request(url, "POST", text("x"))
    async with peer(saying("200 OK", b"a" * 1000)) as (url, _), bot_request() as request:
        assert await request.do_request(url, "POST", text("x")) == (200, b"a" * 1000)
    assert large.value.__cause__ is not None, "whether it was done is unknown"


async def test_a_call_may_say_how_long_it_reads() -> None:
    async with peer(silence) as (url, _), bot_request(read_timeout_s=60) as request:
        with pytest.raises(TimedOut):
            await request.do_request(url, "POST", text("x"), read_timeout=0.2)


async def test_of_a_refusal_only_what_is_documented_goes_to_the_library() -> None:
    said = b'{"description":"no","parameters":{"migrate_to_chat_id":-5,"retry_after":"x","more":{}},"x":1}'
    async with peer(saying("400 Bad Request", said)) as (url, _), bot_request() as request:
        _, payload = await request.do_request(url, "POST", text("x"))
    assert json.loads(payload) == {"ok": False, "description": "no", "parameters": {"migrate_to_chat_id": -5}}
    async with peer(saying("400 Bad Request", b"[1]")) as (url, _), bot_request() as request:
        assert await request.do_request(url, "POST", text("x")) == (400, b"")


def test_the_library_is_loaded_without_what_reads_passports() -> None:
    program = "import sys, butler_kit.botapi; print('cryptography' in sys.modules); import cryptography"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=90)
    assert (ran.returncode, ran.stdout) == (0, "False\n"), ran.stderr
