"""What a connection may cost, met over real sockets; times are short here, and kept in `tests/faults/abuse`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from butler_kit.service.connections import ConnectionLimits
from butler_kit.service.server import EmbeddedServer, bind

LONG_S = 3600.0
GET = b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n"
Connect = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]


async def short(_: Request) -> Response:
    return PlainTextResponse("short")


async def echo(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def early(_: Request) -> Response:
    """Answers without looking at the body."""
    return PlainTextResponse("early", status_code=401)


async def stream(_: Request) -> Response:
    async def parts() -> AsyncIterator[str]:
        yield "begun"
        await asyncio.sleep(LONG_S)

    return StreamingResponse(parts())


async def flood(_: Request) -> Response:
    async def parts() -> AsyncIterator[bytes]:
        while True:
            yield b"a" * 65536
            await asyncio.sleep(0)

    return StreamingResponse(parts())


@asynccontextmanager
async def serving(limits: ConnectionLimits) -> AsyncIterator[Connect]:
    routes = [Route("/short", short), Route("/stream", stream), Route("/flood", flood)]
    routes += [Route("/echo", echo, methods=["POST"]), Route("/early", early, methods=["POST"])]
    listening = bind("127.0.0.1", 0)
    server = EmbeddedServer(Starlette(routes=routes), stop_timeout_s=1, limits=limits)
    run = asyncio.create_task(server.serve([listening]))
    writers = []

    async def connect() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writers.append(writer)
        return reader, writer

    try:
        async with asyncio.timeout(60):
            await server.serving.wait()
            yield connect
    finally:
        for writer in writers:
            writer.transport.abort()
        server.end()
        await asyncio.wait({run}, timeout=10)
        run.cancel()
        listening.close()


async def ended(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read()
    except ConnectionError:
        return b""


async def test_a_stream_stays_open_and_newcomers_are_answered_while_others_hold_every_place() -> None:
    async with serving(ConnectionLimits(most=4)) as connect:
        first, writer = await connect()
        writer.write(GET % b"stream")
        await first.readuntil(b"begun\r\n")
        half = [await connect() for _ in range(6)]
        for _ in range(3):
            reader, writer = await connect()
            writer.write(GET % b"short")
            assert (await reader.readuntil(b"short")).startswith(b"HTTP/1.1 200")
        assert await ended(half[0][0]) == b""
        stays = asyncio.create_task(first.read(100))
        await asyncio.wait({stays}, timeout=0.1)
        assert not stays.done()
        stays.cancel()


async def test_when_everybody_is_being_answered_a_newcomer_is_told_so() -> None:
    async with serving(ConnectionLimits(most=1)) as connect:
        first, writer = await connect()
        writer.write(GET % b"stream")
        await first.readuntil(b"begun\r\n")
        reader, _ = await connect()
        assert (await ended(reader)).startswith(b"HTTP/1.1 503")


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost", b"\r\n\r\n"])
async def test_a_header_has_its_time(begun: bytes) -> None:
    async with serving(ConnectionLimits(header_s=0.2)) as connect:
        reader, writer = await connect()
        writer.write(begun)
        assert await ended(reader) == b""


async def test_the_next_header_of_a_kept_connection_has_its_time_too() -> None:
    async with serving(ConnectionLimits(header_s=0.5)) as connect:
        reader, writer = await connect()
        writer.write(GET % b"short")
        await reader.readuntil(b"short")
        writer.write(b"GET / HTTP/1.1\r\nX-A")
        assert await ended(reader) == b""


async def test_a_body_has_its_time_and_one_that_is_answered_already_gets_no_second_answer() -> None:
    async with serving(ConnectionLimits(body_s=0.2)) as connect:
        head = b"POST /%s HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"
        reader, writer = await connect()
        writer.write(head % b"echo")
        assert (await ended(reader)).startswith(b"HTTP/1.1 408")
        reader, writer = await connect()
        writer.write(head % b"early")
        assert (await ended(reader)).count(b"HTTP/1.1") == 1


async def test_a_long_answer_to_a_slow_request_is_not_cut_by_the_times_of_asking() -> None:
    async with serving(ConnectionLimits(header_s=0.5, body_s=0.5, idle_s=2)) as connect:
        reader, writer = await connect()
        writer.write(GET % b"stream")
        await reader.readuntil(b"begun\r\n")
        rest = asyncio.create_task(reader.read(100))
        await asyncio.wait({rest}, timeout=0.8)
        assert not rest.done()
        rest.cancel()


async def test_a_connection_that_asks_nothing_more_is_ended_also_after_an_early_answer() -> None:
    async with serving(ConnectionLimits(idle_s=1)) as connect:
        for request in (GET % b"short", b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"):
            reader, writer = await connect()
            writer.write(request)
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"0123456789" if b"POST" in request else b"")
            assert b"HTTP/1.1" not in await ended(reader)


async def test_who_takes_nothing_of_his_answer_is_let_go() -> None:
    async with serving(ConnectionLimits(untaken_s=0.2)) as connect:
        _, writer = await connect()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(GET % b"flood")
        await asyncio.sleep(0)
        # The end is met by writing, because reading would be taking.
        with pytest.raises(ConnectionError):
            while True:
                writer.write(b"x" * 65536)
                await writer.drain()
                await asyncio.sleep(0.01)


async def test_requests_in_one_go_are_answered_in_order_and_too_many_are_not() -> None:
    async with serving(ConnectionLimits()) as connect:
        reader, writer = await connect()
        post = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s"
        writer.write(b"".join(post % (n, b"a" * n) for n in range(10)))
        for number in range(10):
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            assert await reader.readexactly(1) == b"%d" % number
        writer.write(GET % b"stream" + (GET % b"short") * 50)
        assert (await ended(reader)).count(b"HTTP/1.1") <= 1


@pytest.mark.parametrize("size", [30_000, 200_000])
async def test_a_large_body_is_no_large_header(size: int) -> None:
    async with serving(ConnectionLimits()) as connect:
        reader, writer = await connect()
        for _ in range(2):
            body = b"a" * size
            writer.write(b"POST /echo HTTP/1.1\r\nHost: x\r\nX-A: %s\r\n" % (b"a" * 20_000))
            writer.write(b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * 20_000)
            writer.write(b"%x\r\n%s\r\n0\r\nX-Trailer: 1\r\n\r\n" % (len(body), body))
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(len(str(size + 20_000))) == str(size + 20_000).encode()
