"""The server's door and its tools, over raw HTTP and the stock `mcp` client (D2, D3, D36)."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from butler_kit.mcp import CachedMCPClient, ToolError
from butler_kit.mcp.results import text_of
from butler_kit.mcp.server import ServerLimits
from butler_kit.service import ServiceApp
from butler_kit.telemetry import Metrics
from tests.integration.kit.mcp.serving import (
    Household,
    Observed,
    Running,
    ServerProcess,
    serving,
    tool_server,
    until,
)

PATHS = ("/sse", "/mcp")
both = pytest.mark.parametrize("path", PATHS)
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami", "arguments": {}}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


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


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@asynccontextmanager
async def stock_client(url: str, token: str) -> AsyncIterator[Client]:
    """The SDK's own client, as any other program would use it."""
    if url.endswith("/sse"):
        async with Client(sse_client(url, headers=bearer(token)), mode="legacy") as client:
            yield client
        return
    async with (
        httpx2.AsyncClient(headers=bearer(token)) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def sse_session(running: Running, token: str) -> AsyncIterator[tuple[httpx.AsyncClient, str]]:
    """An SSE session by hand: the HTTP client and the URL to POST to."""
    async with (
        httpx.AsyncClient(timeout=10) as http,
        http.stream("GET", running.url("/sse"), headers=bearer(token)) as stream,
    ):
        async for line in stream.aiter_lines():
            if line.startswith("data: "):
                yield http, running.url(line.removeprefix("data: "))
                return


@both
async def test_a_stock_client_lists_and_calls(household, running, path):
    async with stock_client(running.url(path), household.token()) as client:
        listed = await client.list_tools()
        answer = await client.call_tool("sum", {"left": 2, "right": 3})
    assert "sum" in {tool.name for tool in listed.tools}
    assert answer.structured_content == {"sum": 5}
    assert json.loads(text_of(answer)) == {"sum": 5}
    assert not answer.is_error


@both
async def test_a_handshake_era_client_is_served_too(household, running, path):
    if path == "/sse":
        async with Client(
            sse_client(running.url(path), headers=bearer(household.token())), mode="legacy"
        ) as c:
            assert (await c.call_tool("sum", {"left": 1})).structured_content == {"sum": 2}
        return
    async with httpx2.AsyncClient(headers=bearer(household.token())) as http:
        transport = streamable_http_client(running.url(path), http_client=http)
        async with Client(transport, mode="legacy") as client:
            assert (await client.call_tool("sum", {"left": 1})).structured_content == {"sum": 2}


@both
async def test_the_list_holds_what_the_callers_role_may_call(household, running, path):
    async with stock_client(running.url(path), household.token()) as butler:
        for_butler = {tool.name for tool in (await butler.list_tools()).tools}
    async with stock_client(running.url(path), household.token("me@x", role="connector")) as connector:
        for_connector = {tool.name for tool in (await connector.list_tools()).tools}
    assert for_connector - for_butler == {"note"}


@both
async def test_a_tool_of_another_role_is_refused_like_one_that_does_not_exist(household, running, path):
    client = CachedMCPClient(running.url(path), household.token)
    said = []
    for name in ("note", "nonexistent"):
        with pytest.raises(ToolError) as refused:
            await client.call(name, {"text": "hi"})
        assert refused.value.error is not None
        assert refused.value.error.error_class == "validation_error"
        said.append(refused.value.error.message.replace(name, "NAME"))
    assert said[0] == said[1]
    await client.aclose()


@both
@pytest.mark.parametrize(
    ("tool", "args", "named"),
    [
        ("sum", {"left": "a"}, "left"),
        ("sum", {}, "left"),
        ("note", {}, "text"),
        ("note", {"text": 7}, "text: expected string, got integer"),
        ("note", {"text": "abc", "more": 1}, "more"),
        ("note", {"text": "a private text"}, "text: does not satisfy maxLength 5"),
    ],
)
async def test_wrong_arguments_are_refused_naming_their_place(household, running, path, tool, args, named):
    token = household.token("me@x", role="connector")
    client = CachedMCPClient(running.url(path), lambda: token)
    with pytest.raises(ToolError, match=named) as refused:
        await client.call(tool, args)
    assert refused.value.error is not None
    assert refused.value.error.error_class == "validation_error"
    assert "private" not in str(refused.value)
    await client.aclose()


@both
async def test_an_error_has_the_same_form_as_structure_and_as_text(household, running, path):
    async with stock_client(running.url(path), household.token()) as client:
        answer = await client.call_tool("overloaded", {})
    expected = {
        "error": {
            "class": "overload_rejected",
            "message": "all three tiers are full",
            "retryable": True,
            "retry_after_s": 2.5,
        }
    }
    assert answer.is_error
    assert answer.structured_content == expected
    assert json.loads(text_of(answer)) == expected


@both
async def test_an_unexpected_failure_is_logged_and_not_told(household, running, path, caplog):
    async with stock_client(running.url(path), household.token()) as client:
        answer = await client.call_tool("broken", {})
    assert answer.structured_content["error"]["class"] == "internal_error"
    assert "hunter2" not in answer.model_dump_json()
    assert "hunter2" in caplog.text


@both
async def test_a_tool_past_its_deadline_is_cancelled_and_answered_timeout(household, running, observed, path):
    async with stock_client(running.url(path), household.token()) as client:
        answer = await client.call_tool("slow", {})
    assert answer.structured_content["error"]["class"] == "timeout"
    assert answer.structured_content["error"]["retryable"] is True
    assert observed.cancelled.is_set()


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/sse"), ("POST", "/messages"), ("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp")],
)
@pytest.mark.parametrize("wrong", ["none", "garbage", "basic", "other receiver"])
async def test_every_request_needs_a_token_for_this_receiver(household, running, method, path, wrong):
    headers = {
        "none": {},
        "garbage": bearer("garbage"),
        "basic": {"Authorization": "Basic Zm9vOmJhcg=="},
        "other receiver": bearer(household.token(receiver="messenger")),
    }[wrong]
    async with httpx.AsyncClient(timeout=60) as http:
        answer = await http.request(method, running.url(path), headers=headers | ACCEPT, json=CALL)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer ")
    assert answer.json()["error"]["class"] == "validation_error"


async def test_a_session_is_no_substitute_for_a_token(household, running, observed):
    async with sse_session(running, household.token()) as (http, messages):
        assert (await http.post(messages, json=CALL)).status_code == 401
        assert (await http.post(messages, json=CALL, headers=bearer("x"))).status_code == 401
    assert observed.calls == []


async def test_a_post_under_another_subject_than_the_sessions_is_refused(household, running, observed):
    async with sse_session(running, household.token("finance")) as (http, messages):
        other = await http.post(messages, json=CALL, headers=bearer(household.token("health")))
    assert other.status_code == 404
    assert observed.calls == []


async def test_the_caller_is_the_one_of_the_post_and_not_of_the_stream(household, running, observed):
    first = household.token("finance")
    client = CachedMCPClient(running.url("/sse"), lambda: first)
    assert (await client.call("whoami", {}))["role"] == "butler"
    # The same subject with another role: the POST decides.
    second = household.token("finance", role="operator")
    assert (await client.call("whoami", {}, token=second))["role"] == "operator"
    await client.aclose()


@pytest.mark.parametrize("path", ["/mcp", "/messages?session_id=00000000000000000000000000000000"])
async def test_a_body_past_four_mebibytes_is_refused(household, running, path):
    body = json.dumps({**CALL, "params": {"name": "whoami", "arguments": {"x": "y" * (4 * 1024 * 1024)}}})
    headers = bearer(household.token()) | ACCEPT | {"Content-Type": "application/json"}
    async with httpx.AsyncClient(timeout=60) as http:
        assert (await http.post(running.url(path), content=body, headers=headers)).status_code == 413

        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(5):
                yield b"x" * (1024 * 1024)

        assert (await http.post(running.url(path), content=chunks(), headers=headers)).status_code == 413


GARBAGE: list[bytes] = [
    b"",
    b"not json",
    b"[]",
    b"null",
    b'"text"',
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "1.0", "id": 1, "method": "tools/call"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": 7}',
    b"\xff\xfe\x00",
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}',
    b"[" * 100_000,
    b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"n": ' + b"9" * 5000 + b"}}",
]


@pytest.mark.parametrize("version", [None, "2025-06-18", "2026-07-28", "1999-01-01"])
@pytest.mark.parametrize("body", GARBAGE, ids=range(len(GARBAGE)))
async def test_garbage_on_streamable_http_is_a_client_error_and_the_server_goes_on(
    household, running, body, version
):
    headers = bearer(household.token()) | ACCEPT | {"Content-Type": "application/json"}
    if version is not None:
        headers["MCP-Protocol-Version"] = version
    async with httpx.AsyncClient(timeout=10) as http:
        answer = await http.post(running.url("/mcp"), content=body, headers=headers)
    assert 400 <= answer.status_code < 500 or "error" in answer.json()
    client = CachedMCPClient(running.url("/mcp"), household.token)
    assert await client.call("sum", {"left": 1}) == {"sum": 2}
    await client.aclose()


async def test_garbage_on_a_session_is_a_client_error_and_the_session_goes_on(
    household, running, observed, caplog
):
    token = household.token()
    async with sse_session(running, token) as (http, messages):
        headers = bearer(token) | {"Content-Type": "application/json"}
        for body in GARBAGE:
            assert (await http.post(messages, content=body, headers=headers)).status_code in (202, 400)
        started = {"jsonrpc": "2.0", "id": 0, "method": "initialize"}
        started["params"] = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        assert (await http.post(messages, json=started, headers=headers)).status_code == 202
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await http.post(messages, json=ready, headers=headers)).status_code == 202
        assert (await http.post(messages, json=CALL, headers=headers)).status_code == 202
        await until(lambda: observed.calls == ["finance"])


async def test_a_body_that_cannot_be_read_is_not_written_to_the_log(household, running, caplog):
    token = household.token()
    async with sse_session(running, token) as (http, messages):
        headers = bearer(token) | {"Content-Type": "application/json"}
        await http.post(messages, content=b'{"secret": "my bank password"}', headers=headers)
    assert "bank password" not in caplog.text


@pytest.mark.parametrize("path", ["/sse", "/mcp", "/messages"])
async def test_a_foreign_host_or_origin_is_refused(household, running, path):
    method = "GET" if path == "/sse" else "POST"
    headers = bearer(household.token()) | ACCEPT
    async with httpx.AsyncClient(timeout=60) as http:
        rebound = await http.request(
            method, running.url(path), headers=headers | {"Host": "evil.example"}, json=CALL
        )
        page = await http.request(
            method, running.url(path), headers=headers | {"Origin": "https://evil.example"}, json=CALL
        )
    assert rebound.status_code == 421
    assert page.status_code == 403


async def test_streamable_http_holds_no_stream_and_no_session(household, running):
    async with httpx.AsyncClient(timeout=60) as http:
        for method in ("GET", "DELETE"):
            answer = await http.request(
                method, running.url("/mcp"), headers=bearer(household.token()) | ACCEPT
            )
            assert answer.status_code == 405


async def test_sessions_are_bounded_in_all_and_per_caller(household, observed):
    limits = ServerLimits(max_sessions=3, max_sessions_per_subject=2)
    async with serving(tool_server(household.jwks, observed, limits)) as running:

        async def status(subject: str) -> int:
            async with (
                httpx.AsyncClient(timeout=10) as http,
                http.stream("GET", running.url("/sse"), headers=bearer(household.token(subject))) as got,
            ):
                return got.status_code

        async with sse_session(running, household.token("a")), sse_session(running, household.token("a")):
            assert await status("a") == 503
            async with sse_session(running, household.token("b")):
                assert await status("c") == 503
        await until(lambda: not running.server._sse._streams)
        assert await status("a") == 200


@both
async def test_calls_past_the_bound_are_refused_with_a_time_to_come_back(household, observed, path):
    async with serving(tool_server(household.jwks, observed, ServerLimits(max_calls=1))) as running:
        client = CachedMCPClient(running.url(path), household.token)
        holding = asyncio.create_task(client.call("held", {}))
        await asyncio.wait_for(observed.started.wait(), 90)
        with pytest.raises(ToolError) as refused:
            await client.call("whoami", {})
        assert refused.value.error is not None
        assert refused.value.error.error_class == "overload_rejected"
        assert refused.value.error.retry_after_s is not None
        observed.release.set()
        assert await holding == {"held": True}
        await client.aclose()


@both
async def test_closing_lets_running_calls_answer_and_refuses_new_ones(household, running, observed, path):
    client = CachedMCPClient(running.url(path), household.token, timeout_s=5)
    holding = asyncio.create_task(client.call("held", {}))
    await asyncio.wait_for(observed.started.wait(), 90)
    closing = asyncio.create_task(running.server.aclose())
    await asyncio.sleep(0)
    with pytest.raises((ToolError, ConnectionError)):
        await client.call("whoami", {})
    observed.release.set()
    assert await asyncio.wait_for(holding, 90) == {"held": True}
    await closing
    assert observed.calls == ["held"]
    await client.aclose()


async def test_the_service_shell_ends_with_open_streams(household, observed):
    server = tool_server(household.jwks, observed)
    app = ServiceApp(
        name="switchboard",
        host="127.0.0.1",
        port=0,
        metrics=Metrics(()),
        routes=server.routes(),
        resources=[server.lifespan()],
        on_drain=[server.start_closing],
    )
    serving_app = asyncio.create_task(app.serve())
    await asyncio.wait_for(app.started.wait(), 90)
    clients = [CachedMCPClient(f"http://127.0.0.1:{app.port}{path}", household.token) for path in PATHS]
    for client in clients:
        assert await client.call("sum", {"left": 1}) == {"sum": 2}
    app.request_stop()
    assert await asyncio.wait_for(serving_app, 90) == 0
    for client in clients:
        await client.aclose()


async def test_a_server_with_open_streams_ends_on_sigterm(household):
    process = ServerProcess(household.jwks)
    await process.start()
    clients = [CachedMCPClient(process.url(path), household.token, timeout_s=5) for path in PATHS * 2]
    for client in clients:
        await client.call("whoami", {})
    process.signal(signal.SIGTERM)
    assert await process.ended() == 0
    for client in clients:
        await client.aclose()
