"""One tool call as one self-contained POST (MCP 2026-07-28, streamable HTTP), written and read by hand.

The SDK passes every call through sessions, streams and several validations; between our own processes that costs more
than the work. The bytes on the wire are the same where it matters: the SDK at either end understands them.
Everything that is not a plain `tools/call` is left to the SDK.
Sources: modelcontextprotocol.io, revision 2026-07-28, basic (per-request protocol fields) and transports.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_kit.mcp.posts import Answer
from butler_kit.mcp.results import TextBlock, ToolResult

__all__ = [
    "VERSION",
    "PlainCall",
    "ProtocolError",
    "answer_body",
    "call_of",
    "read_answer",
    "request_body",
    "request_headers",
]

VERSION: Final = "2026-07-28"
PROTOCOL_VERSION_META_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_META_KEY: Final = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES_META_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
_METHOD: Final = "tools/call"
_META: Final = json.dumps(
    {
        PROTOCOL_VERSION_META_KEY: VERSION,
        CLIENT_INFO_META_KEY: {"name": "butlers", "version": "1"},
        CLIENT_CAPABILITIES_META_KEY: {},
    },
    separators=(",", ":"),
)
_ENCODED: Final = re.compile(r"=\?base64\?(?P<payload>.*)\?=")
"""How a header carries a value that is not plain printable ASCII."""
_PLAIN: Final = re.compile(r"[\x20-\x7E]*")
_ROUTING: Final = (b"mcp-protocol-version", b"mcp-method", b"mcp-name")


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A `tools/call` as it arrived."""

    request_id: int | str
    name: str
    arguments: dict[str, Any]


class ProtocolError(Exception):
    """The peer answered a call with a JSON-RPC error: it did not accept it as a call."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def request_headers(tool: str) -> dict[str, str]:
    """Return the headers of a call, without the token."""
    return {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": _METHOD,
        "Mcp-Name": _encoded(tool),
    }


def _encoded(value: str) -> str:
    if _PLAIN.fullmatch(value) and value == value.strip() and not _ENCODED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def _decoded(value: str) -> str | None:
    """Invert `_encoded`; None for what it never returns."""
    found = _ENCODED.fullmatch(value)
    if found is None:
        return value
    payload = found["payload"]
    try:
        decoded = base64.b64decode(payload, validate=True)
        return decoded.decode() if base64.b64encode(decoded).decode() == payload else None
    except (binascii.Error, UnicodeError, ValueError):
        return None


def request_body(tool: str, arguments_json: str, *, number: int) -> bytes:
    """Return the JSON-RPC request of a call whose arguments are JSON already."""
    return (
        f'{{"jsonrpc":"2.0","id":{number},"method":"{_METHOD}","params":{{"name":{json.dumps(tool)},'
        f'"arguments":{arguments_json},"_meta":{_META}}}}}'
    ).encode()


def read_answer(answer: Answer, *, number: int) -> ToolResult:
    """Return an answer's result. Raises `ProtocolError` for a JSON-RPC error, `ValueError` for no answer."""
    message = _message(answer, number)
    error = message.get("error")
    if isinstance(error, dict):
        raise ProtocolError(int(error.get("code", 0)), str(error.get("message", "")))
    result = message.get("result")
    if not isinstance(result, dict):
        raise ValueError("the answer holds neither a result nor an error")
    blocks = result.get("content") or ()
    texts = tuple(TextBlock(block["text"]) for block in blocks if isinstance(block.get("text"), str))
    return ToolResult(texts, result.get("structuredContent"), result.get("isError") is True)


def _message(answer: Answer, number: int) -> dict[str, Any]:
    if not answer.content_type.startswith("text/event-stream"):
        return _object(json.loads(answer.body))
    events = answer.body.decode().replace("\r\n", "\n").split("\n\n")
    for event in events:
        data = "\n".join(line[5:].strip() for line in event.split("\n") if line.startswith("data:"))
        if data:
            message = _object(json.loads(data))
            if message.get("id") == number:
                return message
    raise ValueError("the stream ended without an answer")


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("the answer is no JSON object")
    return value


def call_of(headers: Iterable[tuple[bytes, bytes]], body: bytes) -> PlainCall | None:
    """Return the call that a POST carries; None when it is anything else, or anything is wrong with it."""
    routing = _routing(headers)
    if routing is None:
        return None
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.keys() != {"jsonrpc", "id", "method", "params"}:
        return None
    request_id, params = message["id"], message["params"]
    plain_id = type(request_id) is int or type(request_id) is str
    if message["jsonrpc"] != "2.0" or message["method"] != _METHOD or not plain_id:
        return None
    if not isinstance(params, dict) or not params.keys() <= {"name", "arguments", "_meta"}:
        return None
    name, arguments = params.get("name"), params.get("arguments", {})
    if not isinstance(arguments, dict) or name != routing or not _says_who_asks(params.get("_meta")):
        return None
    return PlainCall(request_id, routing, arguments)


def _routing(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the tool named by the routing headers, if they are those of a plain call, each given once."""
    found: dict[bytes, bytes] = {}
    accept = b""
    for name, value in headers:
        if name in _ROUTING:
            if name in found:
                return None
            found[name] = value
        elif name == b"accept":
            accept = value
        elif name.startswith(b"mcp-param-"):
            return None
    if b"application/json" not in accept or found.get(b"mcp-protocol-version") != VERSION.encode():
        return None
    if found.get(b"mcp-method") != _METHOD.encode():
        return None
    named = found.get(b"mcp-name")
    return _decoded(named.decode("latin-1")) if named is not None else None


def _says_who_asks(meta: object) -> bool:
    """Return whether the per-request fields are only the known ones: any other is left to the SDK."""
    if not isinstance(meta, dict) or meta.get(PROTOCOL_VERSION_META_KEY) != VERSION:
        return False
    known = {PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY}
    return isinstance(meta.get(CLIENT_CAPABILITIES_META_KEY), Mapping) and meta.keys() <= known


def answer_body(call: PlainCall, result: ToolResult, server: str) -> bytes:
    """Return the JSON-RPC answer; `server` is the JSON that identifies this server."""
    text = result.content[0].text
    structured = "" if result.structured_content is None else f',"structuredContent":{text}'
    error = "true" if result.is_error else "false"
    return (
        f'{{"jsonrpc":"2.0","id":{json.dumps(call.request_id)},"result":{{"content":[{{"type":"text","text":'
        f'{json.dumps(text, ensure_ascii=False)}}}],"isError":{error},"resultType":"complete"{structured},'
        f'"_meta":{{"io.modelcontextprotocol/serverInfo":{server}}}}}}}'
    ).encode()
