"""Our client against a real server: lazily connected, reconnecting, always answering (CNX-06, D36)."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import CallToolRequestParams, CallToolResult
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from butler_kit.mcp import AuthenticationRefused, CachedMCPClient, ToolError
from butler_kit.mcp.server import ServerLimits
from tests.integration.kit.mcp.serving import (
    Household,
    Observed,
    Running,
    ServerProcess,
    serving,
    tool_server,
    until,
)
from tests.support.loopback import LoopbackServer

PATHS = ("/sse", "/mcp")
both = pytest.mark.parametrize("path", PATHS)


@pytest.fixture
def household(tmp_path: Path) -> Household:
    return Household(tmp_path)


@pytest.fixture
def observed() -> Observed:
    return Observed()


@pytest.fixture
async def running(household: Household, observed: Observed) -> AsyncIterator[Running]:
    async with serving(tool_server(household.jwks, observed)) as server:
        yield server


@pytest.fixture
async def process(household: Household) -> AsyncIterator[ServerProcess]:
    server = ServerProcess(household.jwks)
    await server.start()
    yield server
    await server.kill()


def client_of(household: Household, url: str, *, timeout_s: float = 10.0) -> CachedMCPClient:
    return CachedMCPClient.for_url(url, household.token, timeout_s=timeout_s)


def tasks_of_ours() -> set[str]:
    return {task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("mcp-")}


@pytest.mark.spec("CNX-06.1")
async def test_the_first_call_opens_one_sse_connection_that_later_calls_share(household, running):
    client = client_of(household, running.url("/sse"))
    assert len(running.server._sse._streams) == 0
    for number in range(3):
        assert (await client.call("whoami", {"n": number}))["n"] == number
        assert len(running.server._sse._streams) == 1
    await client.aclose()


@both
async def test_a_result_is_the_tools_object(household, running, path):
    client = client_of(household, running.url(path))
    assert await client.call("sum", {"left": 2, "right": 3}) == {"sum": 5}
    assert await client.call("sum", {"left": 2}) == {"sum": 3}
    await client.aclose()


@both
@pytest.mark.spec("CNX-06.2", "CNX-06.3")
async def test_an_error_of_the_tool_is_raised_at_once_and_never_repeated(household, running, observed, path):
    client = client_of(household, running.url(path))
    with pytest.raises(RuntimeError, match="overloaded: all three tiers are full") as raised:
        await client.call("overloaded", {})
    assert isinstance(raised.value, ToolError)
    assert raised.value.tool == "overloaded"
    assert "overload_rejected" in raised.value.content
    assert raised.value.error is not None
    assert raised.value.error.error_class == "overload_rejected"
    assert raised.value.error.retryable
    assert raised.value.error.retry_after_s == 2.5
    assert observed.calls == ["overloaded"]
    await client.aclose()


@both
async def test_thirty_two_parallel_calls_each_get_their_own_answer(household, running, path):
    client = client_of(household, running.url(path))
    answers = await asyncio.gather(*(client.call("whoami", {"n": number}) for number in range(32)))
    assert [answer["n"] for answer in answers] == list(range(32))
    await client.aclose()


@both
async def test_calls_wait_for_their_tools_side_by_side(household, running, observed, path):
    client = client_of(household, running.url(path))
    waiting = [asyncio.create_task(client.call("held", {})) for _ in range(8)]
    await until(lambda: len(observed.calls) == 8)
    observed.release.set()
    assert await asyncio.gather(*waiting) == [{"held": True}] * 8
    await client.aclose()


@both
@pytest.mark.spec("CNX-06.2")
async def test_a_call_survives_a_kill_and_restart_of_the_server(household, process, path):
    client = client_of(household, process.url(path))
    first = await client.call("whoami", {})
    await process.kill()
    await process.start()
    second = await client.call("whoami", {})
    assert second["pid"] != first["pid"]
    await client.aclose()


@both
@pytest.mark.spec("CNX-06.2")
async def test_a_server_that_stays_away_is_a_connection_error_and_its_return_is_noticed(
    household, process, path
):
    client = client_of(household, process.url(path))
    await client.call("whoami", {})
    await process.kill()
    with pytest.raises(ConnectionError, match=r"whoami: no answer from .* after 2 attempts"):
        await client.call("whoami", {})
    await process.start()
    assert (await client.call("whoami", {}))["subject"] == "finance"
    await client.aclose()


@both
async def test_a_call_in_flight_when_the_server_dies_is_a_connection_error(household, process, path):
    client = client_of(household, process.url(path))
    await client.call("whoami", {})
    calls = [asyncio.create_task(client.call("held", {})) for _ in range(4)]
    await asyncio.wait(calls, timeout=0.2)
    await process.kill()
    results = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 90)
    assert [type(result) for result in results] == [ConnectionError] * 4
    await client.aclose()


@both
async def test_a_stopped_server_never_holds_a_caller(household, process, path):
    client = client_of(household, process.url(path), timeout_s=0.5)
    await client.call("whoami", {}, timeout_s=10)
    process.signal(signal.SIGSTOP)
    try:
        calls = [client.call("whoami", {}) for _ in range(8)]
        results = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 90)
        assert all(isinstance(result, ConnectionError) for result in results)
    finally:
        process.signal(signal.SIGCONT)
    assert (await client.call("whoami", {}, timeout_s=10))["subject"] == "finance"
    await client.aclose()
    assert not tasks_of_ours()


@both
async def test_closing_is_quick_although_the_server_is_stopped(household, process, path):
    client = client_of(household, process.url(path), timeout_s=0.5)
    await client.call("whoami", {}, timeout_s=10)
    process.signal(signal.SIGSTOP)
    try:
        with pytest.raises(ConnectionError):
            await client.call("whoami", {})
        await asyncio.wait_for(client.aclose(), 90)
    finally:
        process.signal(signal.SIGCONT)
    assert not tasks_of_ours()


@both
async def test_a_call_in_flight_when_its_own_client_closes_is_a_connection_error(
    household, running, observed, path
):
    """And not a cancellation, which would end whoever made the call."""
    client = client_of(household, running.url(path))
    call = asyncio.create_task(client.call("held", {}))
    await asyncio.wait_for(observed.started.wait(), 90)
    await client.aclose()
    with pytest.raises(ConnectionError, match="closed"):
        await asyncio.wait_for(call, 90)
    observed.release.set()


@both
async def test_one_slow_call_does_not_break_the_others_on_its_connection(household, running, observed, path):
    client = client_of(household, running.url(path))
    patient = asyncio.create_task(client.call("held", {}))
    await asyncio.wait_for(observed.started.wait(), 90)
    with pytest.raises(ConnectionError):
        await client.call("held", {}, timeout_s=0.2)
    observed.release.set()
    assert await asyncio.wait_for(patient, 90) == {"held": True}
    await client.aclose()


@both
async def test_a_lost_sse_session_is_opened_again(household, running, path):
    client = client_of(household, running.url(path))
    await client.call("whoami", {})
    if running.server._sdk is not None:
        (await running.server._sdk).sse._read_stream_writers.clear()
    assert (await client.call("whoami", {}))["subject"] == "finance"
    await client.aclose()


@both
async def test_a_token_for_another_receiver_is_refused_as_a_connection_error(household, running, path):
    asked: list[str] = []

    def provider() -> str:
        asked.append(household.token(receiver="messenger"))
        return asked[-1]

    client = CachedMCPClient(running.url(path), provider, timeout_s=5)
    with pytest.raises(AuthenticationRefused, match="HTTP 401"):
        await client.call("whoami", {})
    assert len(asked) >= 2
    await client.aclose()
    assert not tasks_of_ours()


@both
async def test_the_token_is_read_again_for_every_call(household, running, path):
    now = ["not a token"]
    client = CachedMCPClient(running.url(path), lambda: now[0], timeout_s=5)
    with pytest.raises(AuthenticationRefused):
        await client.call("whoami", {})
    now[0] = household.token()
    assert (await client.call("whoami", {}))["subject"] == "finance"
    now[0] = "revoked"
    with pytest.raises(AuthenticationRefused):
        await client.call("whoami", {})
    await client.aclose()


async def test_a_call_may_bring_a_token_of_its_own(household, running):
    client = CachedMCPClient(running.url("/mcp"), household.token, timeout_s=5)
    own = household.token("imap:a", role="connector")
    answers = await asyncio.gather(client.call("whoami", {}), client.call("whoami", {}, token=own))
    assert [answer["role"] for answer in answers] == ["butler", "connector"]
    await client.aclose()


@both
async def test_too_large_arguments_are_refused_before_they_are_sent(household, running, observed, path):
    client = client_of(household, running.url(path))
    with pytest.raises(ToolError) as raised:
        await client.call("whoami", {"text": "x" * (4 * 1024 * 1024)})
    assert raised.value.error is not None
    assert raised.value.error.error_class == "validation_error"
    assert observed.calls == []
    await client.aclose()


@both
async def test_what_the_server_finds_too_large_is_not_sent_twice(household, observed, path):
    server = tool_server(household.jwks, observed, ServerLimits(max_body_bytes=10_000))
    async with serving(server) as running:
        client = client_of(household, running.url(path))
        with pytest.raises(ToolError, match="413"):
            await client.call("whoami", {"text": "x" * 20_000})
        await client.aclose()


@both
async def test_two_hundred_connections_leave_no_task_and_no_socket(household, running, path):
    async def once() -> None:
        client = client_of(household, running.url(path))
        await client.call("whoami", {})
        await client.aclose()

    await once()
    ours = psutil.Process()
    before = ours.num_fds()
    for _ in range(200):
        await once()
    assert not tasks_of_ours() - {"mcp-sse-session"}
    await until(lambda: not running.server._sse._streams)
    await until(lambda: ours.num_fds() <= before + 2)


@pytest.mark.parametrize("json_response", [True, False])
@pytest.mark.parametrize("stateless", [True, False])
async def test_the_stock_server_takes_our_calls_as_they_are(stateless, json_response):
    async def called(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        return CallToolResult(
            content=[], structured_content={"tool": params.name, **(params.arguments or {})}
        )

    manager = StreamableHTTPSessionManager(
        Server("stock", on_call_tool=called), json_response=json_response, stateless=stateless
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await manager.handle_request(scope, receive, send)

    async with manager.run(), LoopbackServer(app) as stock:
        client = CachedMCPClient(f"http://127.0.0.1:{stock.port}/mcp", lambda: "a-token")
        for number in range(2):
            assert await client.call("echo", {"n": number}) == {"tool": "echo", "n": number}
        assert client._connection is not None
        assert not client._connection.asked
        await client.aclose()


def before_self_contained_requests(status: int, said: dict[str, Any] | None) -> Callable[[ASGIApp], ASGIApp]:
    """A peer of an earlier time: it refuses what names the newest revision and takes what was agreed with it."""

    def behind(app: ASGIApp) -> ASGIApp:
        async def older(scope: Scope, receive: Receive, send: Send) -> None:
            headers = Headers(scope=scope) if scope["type"] == "http" else {}
            if headers.get("mcp-protocol-version") != "2026-07-28":
                await app(scope, receive, send)
                return
            plain = PlainTextResponse("no", status)
            await (plain if said is None else JSONResponse(said, status))(scope, receive, send)

        return older

    return behind


@pytest.mark.parametrize(("status", "code"), [(400, -32600), (400, -32000), (404, None), (405, None)])
async def test_a_peer_that_takes_no_self_contained_requests_is_asked_what_it_takes(
    household, observed, status, code
):
    said = None
    if code is not None:
        said = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": "what is this"}}
    peer = before_self_contained_requests(status, said)
    async with serving(tool_server(household.jwks, observed), behind=peer) as running:
        client = client_of(household, running.url("/mcp"))
        for number in range(2):
            assert (await client.call("whoami", {"n": number}))["n"] == number
        with pytest.raises(ToolError, match="all three tiers are full"):
            await client.call("overloaded", {})
        await client.aclose()
    assert observed.calls == ["finance", "finance", "overloaded"]


async def test_a_closed_client_calls_nobody(household, running, observed):
    client = client_of(household, running.url("/mcp"))
    await client.call("whoami", {})
    await client.aclose()
    with pytest.raises(ConnectionError, match="closed"):
        await client.call("whoami", {})
    assert observed.calls == ["finance"]


async def test_a_client_that_is_forgotten_unclosed_ends_without_a_noise(household, running):
    client = CachedMCPClient(running.url("/mcp"), household.token)
    await client.call("whoami", {})
    del client
    gc.collect()
    assert not tasks_of_ours()


async def test_a_service_uses_streamable_http_beside_the_sse_url_it_was_given(household, running):
    client = CachedMCPClient.for_service(running.url("/sse"), household.token)
    assert client.url == running.url("/mcp")
    assert (await client.call("whoami", {}))["subject"] == "finance"
    assert not running.server._sse._streams
    await client.aclose()


@both
async def test_a_server_that_dies_is_one_readable_line_in_the_log(
    household: Household, process: ServerProcess, caplog: pytest.LogCaptureFixture, path: str
):
    client = client_of(household, process.url(path))
    await client.call("whoami", {})
    await process.kill()
    with pytest.raises(ConnectionError):
        await client.call("whoami", {})
    await client.aclose()
    told = [record for record in caplog.records if record.name.startswith("mcp.")]
    assert not [record for record in told if record.exc_info is not None or record.levelno >= logging.ERROR]
    lost = [
        record.getMessage() for record in told if "connection to the peer was lost" in record.getMessage()
    ]
    assert len(lost) == (1 if path == "/sse" else 0)
