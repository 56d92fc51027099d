"""A call as one POST: what we write the SDK reads, and whatever is not exactly a plain call is left to the SDK."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request

from butler_contracts.errors import OverloadRejected
from butler_kit.mcp.exchange import (
    ProtocolError,
    answer_body,
    call_of,
    read_answer,
    request_body,
    request_headers,
)
from butler_kit.mcp.posts import Answer
from butler_kit.mcp.results import answer, data_of, error_answer, error_of

TOOL = "route.execute"
ARGS: dict[str, Any] = {"envelope": {"text": 'Grüße \u2028 "quoted"', "n": [1, None, True]}}
SERVER = json.dumps({"name": "finance", "version": "1"})


def headers(tool: str = TOOL) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in request_headers(tool).items()]


def body(tool: str = TOOL, **changes: Any) -> bytes:
    return json.dumps({**json.loads(request_body(tool, json.dumps(ARGS), number=7)), **changes}).encode()


@pytest.mark.parametrize("tool", [TOOL, "notiz für später"])
def test_the_sdk_takes_our_request(tool):
    document = json.loads(request_body(tool, json.dumps(ARGS), number=7))
    named = {name.decode(): value.decode() for name, value in headers(tool)}
    verdict = classify_inbound_request(document, headers=named)
    assert isinstance(verdict, InboundModernRoute)
    assert types.CallToolRequestParams.model_validate(document["params"]).arguments == ARGS


def test_our_server_reads_our_request():
    call = call_of(headers(), body())
    assert call is not None
    assert (call.request_id, call.name, call.arguments) == (7, TOOL, ARGS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (b"mcp-protocol-version", b"2025-06-18"),
        (b"mcp-method", b"tools/list"),
        (b"mcp-name", b"notify"),
        (b"accept", b"text/event-stream"),
    ],
)
def test_headers_that_say_something_else_are_left_to_the_sdk(name, value):
    assert call_of([*(pair for pair in headers() if pair[0] != name), (name, value)], body()) is None


def test_a_header_that_is_missing_twice_there_or_unknown_to_us_is_left_to_the_sdk():
    assert call_of([pair for pair in headers() if pair[0] != b"mcp-name"], body()) is None
    assert call_of([*headers(), (b"mcp-name", TOOL.encode())], body()) is None
    assert call_of([*headers(), (b"mcp-param-text", b"x")], body()) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"jsonrpc": "1.0"},
        {"method": "tools/list"},
        {"id": None},
        {"id": True},
        {"id": 1.5},
        {"extra": 1},
        {"params": []},
        {"params": {"name": TOOL, "arguments": ARGS}},
        {"params": {"name": TOOL, "arguments": [], "_meta": {}}},
    ],
)
def test_a_body_that_is_no_plain_call_is_left_to_the_sdk(changes):
    assert call_of(headers(), body(**changes)) is None


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_request_is_left_to_the_sdk(raw):
    assert call_of(headers(), raw) is None


def test_the_sdk_and_we_read_the_same_in_our_answer():
    call = call_of(headers(), body())
    assert call is not None
    sent = answer_body(call, answer({"status": "recorded", "text": "Grüße"}), SERVER)
    read = read_answer(Answer(200, "application/json", sent), number=7)
    by_sdk = types.CallToolResult.model_validate(json.loads(sent)["result"])
    assert data_of(read) == data_of(by_sdk) == {"status": "recorded", "text": "Grüße"}
    assert not read.is_error


def test_a_refusal_keeps_its_class_and_its_hint():
    call = call_of(headers(), body())
    assert call is not None
    sent = answer_body(call, error_answer(OverloadRejected("full", retry_after_s=2.0)), SERVER)
    read = read_answer(Answer(200, "application/json", sent), number=7)
    error = error_of(read)
    assert read.is_error
    assert error is not None
    assert (error.error_class.value, error.retry_after_s) == ("overload_rejected", 2.0)


def test_an_answer_may_come_as_an_event_stream():
    call = call_of(headers(), body())
    assert call is not None
    message = answer_body(call, answer({"n": 1}), SERVER).decode()
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
    stream = f"event: message\r\ndata: {note}\r\n\r\nevent: message\r\ndata: {message}\r\n\r\n".encode()
    assert data_of(read_answer(Answer(200, "text/event-stream", stream), number=7)) == {"n": 1}


def test_a_protocol_error_is_no_answer_of_the_tool():
    failed = {"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "what is this"}}
    with pytest.raises(ProtocolError, match="what is this"):
        read_answer(Answer(400, "application/json", json.dumps(failed).encode()), number=7)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b'{"result": 7}', b"<html>"])
def test_what_is_no_answer_is_a_value_error(raw):
    with pytest.raises(ValueError, match=r"."):
        read_answer(Answer(200, "application/json", raw), number=7)
