"""Every port of a running household, and the raw bytes with which a stranger knocks there.

Nothing here speaks HTTP by a library: what is sent is exactly what is written down.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import psutil

from butler_cli.local.keys import dashboard_token, operator_token
from examples.demo.providers import webhook_token
from tests.support.household import RunningPlace

__all__ = ["GUARDED", "PORTS", "Port", "Stream", "port_of", "tokens_of"]

BUTLERS: Final = ("switchboard", "messenger", "finance", "general", "health", "relationship", "travel")
HEALTH: Final = ("telegram", "mail", "webhook health")
PORTS: Final = (*BUTLERS, "dashboard", "webhook", *HEALTH)
"""Each port that a household listens on."""
GUARDED: Final = (*BUTLERS, "dashboard", "webhook")
"""Those where a token is asked for."""
HOST: Final = "127.0.0.1"
ANSWER_S: Final = 60.0


@dataclass(frozen=True)
class Port:
    """One port: `path` is asked with a token where one is wanted, `audience` is whose token that is."""

    name: str
    process: str
    number: int
    pid: int
    path: str
    audience: str | None
    well: str = "/healthz"

    def rss_mb(self) -> float:
        return float(psutil.Process(self.pid).memory_info().rss / 2**20)

    async def ask(self, request: bytes) -> bytes:
        """Send everything, return everything that comes back until the peer ends it."""
        async with asyncio.timeout(ANSWER_S), self.open() as stream:
            await stream.send(request)
            return await stream.rest()

    async def serves(self) -> bool:
        """Whether somebody else's proper question gets its answer now."""
        answer = await self.ask(
            f"GET {self.well} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode()
        )
        # The webhook's port has no page for everybody: that it asks for a token is an answer.
        return answer.startswith(b"HTTP/1.1 200" if self.well == "/healthz" else b"HTTP/1.1 401")

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Stream]:
        reader, writer = await asyncio.open_connection(HOST, self.number)
        try:
            yield Stream(reader, writer)
        finally:
            writer.transport.abort()

    def post(self, token: str | None, body: bytes, *more: str, path: str | None = None) -> bytes:
        """A whole POST with a length; `more` are further header lines."""
        lines = [f"POST {path or self.path} HTTP/1.1", f"Host: {HOST}", "Connection: close"]
        lines += ["Accept: application/json, text/event-stream", f"Content-Length: {len(body)}", *more]
        if not any(line.lower().startswith("content-type") for line in more):
            lines.append("Content-Type: application/json")
        if token is not None:
            lines.append(f"Authorization: {token}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


@dataclass(frozen=True)
class Stream:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        """Write; a peer that has ended the connection meanwhile is met when its answer is read."""
        try:
            self.writer.write(data)
            await self.writer.drain()
        except ConnectionError:
            return

    async def rest(self) -> bytes:
        """All that comes until the peer ends the connection, in whichever way."""
        parts: list[bytes] = []
        try:
            while part := await self.reader.read(65536):
                parts.append(part)
        except ConnectionError:
            pass
        return b"".join(parts)


async def port_of(running: RunningPlace, name: str) -> Port:
    """The port of that name, with the process that has it now."""
    endpoints = running.household.endpoints
    process = "webhook" if name.startswith("webhook") else name
    pid = running.pids()[process]
    if name in BUTLERS:
        url, path, audience, well = endpoints["butlers"][name]["mcp"], "/mcp", name, "/healthz"
    elif name == "dashboard":
        url, path, audience, well = endpoints["dashboard"], "/login", name, "/healthz"
    elif name == "webhook":
        url, path, audience, well = endpoints["webhook"], "/v1/messages", name, "/v1/messages/1"
    else:
        url, path, audience, well = endpoints["connectors"][process]["health"], "/health", None, "/healthz"
    number = urlsplit(url).port
    assert number is not None
    return Port(name, process, number, pid, path, audience, well)


def tokens_of(running: RunningPlace, port: Port) -> str:
    """A token that is good at this port."""
    state = running.place.state
    if port.audience == "webhook":
        return webhook_token()
    if port.audience == "dashboard":
        return dashboard_token(state)
    assert port.audience is not None
    return operator_token(state, audience=port.audience)


def status_of(answer: bytes) -> int:
    """The status of an answer; 0 for a connection that was ended without one."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def json_body(**fields: object) -> bytes:
    return json.dumps(fields).encode()
