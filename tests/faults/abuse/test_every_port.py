"""Strangers at every port of one running household: each is refused, others are served, nothing grows.

Nothing is set for these tests; the bounds are those that a household has. What takes its time does so at all ports at
once (`slow`), beside the other tests. Invariant, looked at last: no process was replaced meanwhile.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

import pytest
import pytest_asyncio

from butler_kit.service.connections import default_limits
from examples.demo.providers import webhook_token
from tests.faults.abuse.forged import FORGERIES, forged
from tests.faults.abuse.knocking import (
    GUARDED,
    PORTS,
    Port,
    Stream,
    body_of,
    json_body,
    port_of,
    status_of,
    tokens_of,
)
from tests.support.household import RunningPlace, place

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("abuse")]

ONE_OF_EACH_KIND: Final = ("switchboard", "finance", "dashboard", "webhook", "telegram")
GROWTH_MB: Final = 48
"""What a process may have grown by afterwards: allocators keep some of what they once had."""
HALF: Final = b"GET / HTTP/1.1\r\nHost: x\r\nX-A: "
DRIP_S: Final = 1.0
SLOW_S: Final = 90.0
AGAIN_S: Final = 0.5


@dataclass
class House:
    """The household, its ports, and the processes as they were before anybody knocked."""

    running: RunningPlace
    ports: dict[str, Port]
    slow: dict[tuple[str, str], asyncio.Task[bytes]] = field(default_factory=dict)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with (
        place(tmp_path_factory.mktemp("abuse") / "place") as made,
        made.up() as running,
        AsyncExitStack() as streams,
    ):
        await running.back({})
        ports = {name: await port_of(running, name) for name in PORTS}
        found = House(running, ports)
        for port in ports.values():
            for kind in ("header", "body"):
                stream = await streams.enter_async_context(port.open())
                found.slow[port.name, kind] = asyncio.create_task(dripping(stream, kind, port))
        yield found
        for task in found.slow.values():
            task.cancel()
        await asyncio.gather(*found.slow.values(), return_exceptions=True)


async def dripping(stream: Stream, kind: str, port: Port) -> bytes:
    """A header, or a body, that never ends, a byte a second; what is said to it in the end."""
    begun = HALF if kind == "header" else port.post(None, b"", "X: y").replace(b"Length: 0", b"Length: 20000")
    rest = asyncio.create_task(stream.rest())
    await stream.send(begun)
    try:
        while not rest.done():
            await stream.send(b"a")
            await asyncio.wait({rest}, timeout=DRIP_S)
        return await rest
    finally:
        rest.cancel()


@pytest.mark.parametrize("name", PORTS)
async def test_an_endless_header_is_refused(house: House, name: str) -> None:
    port = house.ports[name]
    before = port.rss_mb()
    for begun in (HALF, b"GET /", b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: "):
        async with asyncio.timeout(60), port.open() as stream:
            rest = asyncio.create_task(stream.rest())
            await stream.send(begun)
            while not rest.done():
                await stream.send(b"a" * 4096)
                await asyncio.wait({rest}, timeout=0.001)
            assert b"HTTP/1.1 500" not in await rest
    assert await port.serves()
    assert port.rss_mb() - before < GROWTH_MB


@pytest.mark.parametrize("name", PORTS)
async def test_a_header_larger_than_any_need_is_refused_whole(house: House, name: str) -> None:
    port = house.ports[name]
    large = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n" % (
        b"X-A: " + b"a" * 1000 + b"\r\n"
    ).__mul__(64)
    assert status_of(await port.ask(large)) in (0, 431)


@pytest.mark.parametrize(
    "name",
    [
        name if name in ONE_OF_EACH_KIND else pytest.param(name, marks=pytest.mark.faults_full)
        for name in PORTS
    ],
)
async def test_more_half_headers_than_there_are_places_keep_nobody_out(house: House, name: str) -> None:
    port = house.ports[name]
    before = port.rss_mb()
    async with asyncio.timeout(120), AsyncExitStack() as stack:
        held = []
        for _ in range(default_limits().most + 200):
            held.append(await stack.enter_async_context(port.open()))
            await held[-1].send(HALF)
        assert await port.serves()
        assert await port.serves()
        # Who knocked first, and asked nothing, made room.
        assert await held[0].rest() == b""
        assert port.rss_mb() - before < GROWTH_MB
    assert await port.serves()


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.parametrize("kind", FORGERIES)
async def test_no_forged_token_opens_anything(house: House, name: str, kind: str) -> None:
    port = house.ports[name]
    good = tokens_of(house.running, port)
    for value in forged(kind, good, house.running.place.state.jwks_file):
        path = "/login/once" if name == "dashboard" else None
        answer = await port.ask(port.post(value, json_body(text="x", sender="ada"), path=path))
        assert status_of(answer) == 401 or (kind == "a megabyte" and status_of(answer) in (0, 431))
        assert value is None or len(value) < 20 or value.encode() not in answer
    assert await port.serves()


@pytest.mark.parametrize("name", PORTS)
async def test_a_request_that_could_be_read_as_two_is_no_request(house: House, name: str) -> None:
    port = house.ports[name]
    hidden = b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for framing in (
        b"Content-Length: 4\r\nContent-Length: 50",
        b"Content-Length: 4\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: xchunked",
        b"Transfer-Encoding: chunked, identity",
        b"Content-Length: +4",
        b"Content-Length : 4",
        b"X: y\nContent-Length: 4",
    ):
        head = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n\r\n" % (port.path.encode(), framing)
        answer = await port.ask(head + b"0\r\n\r\n" + hidden)
        assert status_of(answer) in (0, 400), framing
        assert answer.count(b"HTTP/1.1") <= 1, framing
    assert await port.serves()


@pytest.mark.parametrize("name", GUARDED)
@pytest.mark.parametrize("chunked", [False, True], ids=["declared", "chunked"])
async def test_a_hundred_megabytes_are_not_taken(house: House, name: str, chunked: bool) -> None:
    port = house.ports[name]
    before = port.rss_mb()
    head = port.post(f"Bearer {tokens_of(house.running, port)}", b"")
    size = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: 100000000"
    part = b"a" * 100_000
    async with asyncio.timeout(60), port.open() as stream:
        rest = asyncio.create_task(stream.rest())
        await stream.send(head.replace(b"Content-Length: 0", size))
        for _ in range(1000):
            if rest.done():
                break
            await stream.send(b"%x\r\n%s\r\n" % (len(part), part) if chunked else part)
            await asyncio.sleep(0)
        assert status_of(await rest) in (0, 413)
    assert await port.serves()
    assert port.rss_mb() - before < GROWTH_MB


TEXT: Final = json.dumps({"text": "Paid 1 EUR", "sender": "ada"})
ODD: Final = {
    "gzip": (gzip.compress(TEXT.encode()), "Content-Encoding: gzip"),
    "a small file that grows": (gzip.compress(b" " * 10_000_000), "Content-Encoding: gzip"),
    "UTF-16": (TEXT.encode("utf-16"), "X: y"),
    "byte order mark": (b"\xef\xbb\xbf" + TEXT.encode(), "X: y"),
    "one key twice": (TEXT.replace("{", '{"text": "other", ').encode(), "X: y"),
    "deep": (b"[" * 200_000, "X: y"),
    "no number": (b'{"text": NaN, "sender": "ada"}', "X: y"),
    "no object": (b'"text"', "X: y"),
    "form": (b"text=x", "Content-Type: application/x-www-form-urlencoded"),
}


@pytest.mark.parametrize("name", [name for name in GUARDED if name != "dashboard"])
@pytest.mark.parametrize("kind", ODD)
async def test_a_body_that_is_not_plain_json_is_refused_in_words(house: House, name: str, kind: str) -> None:
    port = house.ports[name]
    body, header = ODD[kind]
    answer = await port.ask(port.post(f"Bearer {tokens_of(house.running, port)}", body, header))
    assert 400 <= status_of(answer) < 500, answer
    assert body_of(answer)
    assert await port.serves()


async def test_a_thousand_posts_at_once_are_each_taken_once(house: House) -> None:
    port = house.ports["webhook"]
    taken: dict[str, str] = {}

    async def post(key: str) -> None:
        body = json_body(text=f"Paid 1.00 EUR for {key}", sender="ada", thread=key)
        request = port.post(f"Bearer {webhook_token()}", body, f"Idempotency-Key: {key}")
        while key not in taken:
            answer = await port.ask(request)
            if status_of(answer) == 202:
                taken[key] = json.loads(body_of(answer))["request_id"]
            elif answer:
                assert status_of(answer) == 503, answer
                await asyncio.sleep(float(answer.lower().split(b"retry-after: ")[1].split()[0]))
            else:
                # Its connection made room before a busy process had read the request.
                await asyncio.sleep(AGAIN_S)

    async with asyncio.timeout(240), asyncio.TaskGroup() as posts:
        for number in range(1000):
            posts.create_task(post(f"crowd-{number}"))
    assert len(set(taken.values())) == 1000
    rows = await house.running.rows(
        "SELECT count(*) AS n FROM switchboard.message_inbox WHERE source_channel = 'api'"
    )
    assert rows[0]["n"] == 1000


@pytest.mark.parametrize("name", PORTS)
@pytest.mark.parametrize("kind", ["header", "body"])
async def test_what_never_becomes_whole_is_ended(house: House, name: str, kind: str) -> None:
    assert await house.ports[name].serves()
    async with asyncio.timeout(SLOW_S):
        assert status_of(await asyncio.shield(house.slow[name, kind])) in (0, 401, 404, 405, 408)


async def test_nobody_was_replaced_meanwhile(house: House) -> None:
    found = house.running.pids()
    assert {port.process: port.pid for port in house.ports.values()}.items() <= found.items()
    listening = house.running.household.endpoints
    assert {*listening["butlers"], "dashboard", "webhook"} == set(GUARDED)
    assert len(listening["connectors"]) == len(PORTS) - len(GUARDED)
