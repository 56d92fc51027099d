"""Tool servers of the older transport, a stream of events and POSTs beside it, as the SDK serves it (D58)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from butler_kit.config import ToolServerConfig
from butler_specialist.outside.model import Said, ServerFault
from butler_specialist.outside.server import ToolServer
from tests.support.loopback import free_port
from tests.support.tool_server import LampServer, lamp_server

TOKEN = "lamps-token-0123456789"
ON = {"room": "kitchen", "on": True}


def configured(url: str, **more: object) -> ToolServerConfig:
    return ToolServerConfig.model_validate(
        {"name": "lamps", "url": url, "transport": "sse", "allow": ["list", "switch"], "timeout_s": 2, **more}
    )


@asynccontextmanager
async def speaking(url: str, token: str | None = None, **more: object) -> AsyncIterator[ToolServer]:
    server = ToolServer(configured(url, **more), token)
    try:
        yield server
    finally:
        await server.aclose()


@pytest.fixture
async def lamps() -> AsyncIterator[LampServer]:
    async with lamp_server(by_sse=True) as server:
        yield server


async def test_its_tools_are_listed_and_a_call_is_made_once(lamps: LampServer) -> None:
    async with speaking(lamps.url) as server:
        listed = await server.list()
        said = await server.call("switch", ON)
    assert [(one.tool, one.reads_only) for one in listed] == [
        ("list", True),
        ("switch", False),
        ("unlock", False),
    ]
    assert [one.destructive for one in listed][1:] == [False, True]
    assert said == Said("the lamp in the kitchen is on now")
    assert lamps.switched == [("kitchen", True)]


async def fault_of(server: ToolServer) -> ServerFault:
    with pytest.raises(ServerFault) as fault:
        await server.call("switch", ON)
    return fault.value


async def test_a_stream_that_breaks_before_the_answer_leaves_it_open_whether_the_call_was_made(
    lamps: LampServer,
) -> None:
    lamps.trouble = "lost"
    async with speaking(lamps.url) as server:
        assert (await fault_of(server)).sent is True
    assert lamps.switched == [("kitchen", True)]


async def test_a_call_that_hangs_ends_with_its_time(lamps: LampServer) -> None:
    lamps.trouble = "hangs"
    async with asyncio.timeout(20), speaking(lamps.url, timeout_s=1) as server:
        fault = await fault_of(server)
    assert (fault.sent, "no answer in time" in fault.words) == (True, True)


async def test_a_call_that_is_refused_with_a_status_is_not_waited_for(lamps: LampServer) -> None:
    lamps.trouble, lamps.status = "fails", 503
    async with asyncio.timeout(20), speaking(lamps.url, timeout_s=50) as server:
        fault = await fault_of(server)
    assert (fault.sent, "HTTP 503" in fault.words) == (True, True)


async def test_a_stream_that_never_says_where_to_post_is_left_and_nothing_was_sent(lamps: LampServer) -> None:
    lamps.trouble = "mute"
    async with asyncio.timeout(20), speaking(lamps.url, timeout_s=1) as server:
        fault = await fault_of(server)
    assert fault.sent is False
    assert lamps.switched == []


async def test_the_token_is_shown_with_every_request_and_one_that_is_refused_is_said_so() -> None:
    async with lamp_server(token=TOKEN, by_sse=True) as lamps:
        async with speaking(lamps.url, TOKEN) as server:
            await server.call("switch", ON)
        assert lamps.tokens == {f"Bearer {TOKEN}"}
        async with speaking(lamps.url, "another") as server:
            fault = await fault_of(server)
    assert "refuses the token (HTTP 401)" in fault.words
    assert lamps.switched == [("kitchen", True)]


async def test_a_server_that_is_away_and_an_address_that_is_none_of_a_server_are_told_apart(
    lamps: LampServer,
) -> None:
    async with speaking(f"http://127.0.0.1:{free_port()}/sse") as server:
        away = await fault_of(server)
    async with speaking(lamps.url.replace("/sse", "/elsewhere")) as server:
        elsewhere = await fault_of(server)
    assert (away.sent, "is it running?" in away.words) == (False, True)
    assert (elsewhere.sent, "check url and transport" in elsewhere.words) == (False, True)
