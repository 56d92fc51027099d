"""A tool server on a real loopback port with real tokens: inside the test's loop, or as a process to kill.

`python -m tests.integration.kit.mcp.serving JWKS PORT` serves until SIGTERM.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from pydantic import BaseModel, Field
from starlette.applications import Starlette
from starlette.types import ASGIApp

from butler_contracts.errors import OverloadRejected
from butler_kit.auth import Caller
from butler_kit.auth.jwks import ISSUER_LOCAL
from butler_kit.auth.keys import generate_key_pair, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of
from butler_kit.auth.verifier import TokenVerifier
from butler_kit.mcp.server import ServerLimits, ToolServer
from butler_kit.time import SystemClock

HOST = "127.0.0.1"
OBJECT = {"type": "object"}


class Sum(BaseModel):
    left: int
    right: int = Field(default=1, ge=0)


@dataclass
class Observed:
    """What the tools of the server saw."""

    calls: list[str] = field(default_factory=list)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)


class Household:
    """Keys of a test household: signs tokens for any receiver and role."""

    def __init__(self, folder: Path) -> None:
        self.jwks = folder / "jwks.json"
        key = folder / "local.pem"
        write_jwks(self.jwks, [generate_key_pair(key, ISSUER_LOCAL)])
        self._signer = TokenSigner(key, ISSUER_LOCAL, SystemClock())

    def token(self, subject: str = "finance", *, role: str = "butler", receiver: str = "switchboard") -> str:
        """Return a token of `subject` for `receiver`."""
        claims: dict[str, Any] = {"role": role}
        if role == "butler":
            claims["name"] = subject
        if role == "connector":
            binding = {"type": "imap", "endpoint_identity": subject, "max_tier": "default"}
            claims["connector"] = binding
        return self._signer.sign(audience_of(receiver), subject, 600, claims)


def tool_server(jwks: Path, observed: Observed, limits: ServerLimits | None = None) -> ToolServer:
    """Return a Switchboard-like server with tools that misbehave in every way a tool may."""
    verifier = TokenVerifier(jwks, audience_of("switchboard"), SystemClock())
    server = ToolServer("switchboard", "1.0", verifier=verifier, limits=limits)
    every = ("butler", "connector", "operator")

    @server.tool("whoami", OBJECT, roles=every, description="Say who calls.")
    async def whoami(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        observed.calls.append(caller.subject)
        return {"subject": caller.subject, "role": str(caller.role), "pid": os.getpid(), **args}

    @server.tool("sum", Sum, roles=every)
    async def add(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Add two numbers."""
        return {"sum": args["left"] + args["right"]}

    @server.tool(
        "note",
        {
            "type": "object",
            "properties": {"text": {"type": "string", "maxLength": 5}},
            "required": ["text"],
            "additionalProperties": False,
        },
        roles=("connector",),
    )
    async def note(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        return {"noted": args["text"]}

    @server.tool("overloaded", OBJECT, roles=every)
    async def overloaded(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        observed.calls.append("overloaded")
        raise OverloadRejected("all three tiers are full", retry_after_s=2.5)

    @server.tool("broken", OBJECT, roles=every)
    async def broken(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        raise RuntimeError("password=hunter2")

    @server.tool("slow", OBJECT, roles=every, deadline_s=0.05)
    async def slow(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        try:
            await asyncio.Event().wait()
        finally:
            observed.cancelled.set()
        return {}

    @server.tool("held", OBJECT, roles=every)
    async def held(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        observed.calls.append("held")
        observed.started.set()
        await observed.release.wait()
        return {"held": True}

    return server


@dataclass
class Running:
    """A server in this loop."""

    server: ToolServer
    uvicorn: uvicorn.Server
    serving: asyncio.Task[None]
    port: int

    def url(self, path: str) -> str:
        return f"http://{HOST}:{self.port}{path}"


class _Embedded(uvicorn.Server):
    """A server that leaves the signals of its host process alone."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def application(server: ToolServer) -> Starlette:
    return Starlette(routes=server.routes(), lifespan=lambda _: server.lifespan())


@asynccontextmanager
async def serving(
    server: ToolServer, *, behind: Callable[[ASGIApp], ASGIApp] = lambda app: app
) -> AsyncIterator[Running]:
    """Serve `server` on a free port, `behind` something else; on exit everything is closed and drained."""
    # With proto 0 asyncio would leave Nagle's algorithm on: 40 ms per answer.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.bind((HOST, 0))
    config = uvicorn.Config(behind(application(server)), log_level="error", lifespan="on", ws="none")
    embedded = _Embedded(config)
    task = asyncio.create_task(embedded.serve(sockets=[bound]))
    await until(lambda: embedded.started)
    try:
        yield Running(server, embedded, task, bound.getsockname()[1])
    finally:
        await server.aclose()
        embedded.should_exit = True
        await asyncio.wait_for(task, 90)
        bound.close()


class ServerProcess:
    """The same server as a process of its own, on a port that stays the same over restarts."""

    def __init__(self, jwks: Path) -> None:
        with socket.create_server((HOST, 0)) as probe:
            self.port = probe.getsockname()[1]
        self._jwks = jwks
        self._process: asyncio.subprocess.Process | None = None

    def url(self, path: str) -> str:
        return f"http://{HOST}:{self.port}{path}"

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __name__, str(self._jwks), str(self.port), stdout=asyncio.subprocess.PIPE
        )
        assert self._process.stdout is not None
        assert await asyncio.wait_for(self._process.stdout.readline(), 90) == b"serving\n"

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self._process is not None
        return self._process

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def ended(self) -> int:
        return await asyncio.wait_for(self.process.wait(), 90)

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.ended()


async def until(condition: Callable[[], bool]) -> None:
    """Wait (≤ 10 s) for something that has no event to await."""
    async with asyncio.timeout(90):
        while not condition():
            await asyncio.sleep(0.01)


async def _main(jwks: Path, port: int) -> None:
    server = tool_server(jwks, Observed())
    config = uvicorn.Config(application(server), host=HOST, port=port, log_level="error", ws="none")
    embedded = _Embedded(config)
    task = asyncio.create_task(embedded.serve())
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await until(lambda: embedded.started)
    print("serving", flush=True)
    await stop.wait()
    await server.aclose()
    embedded.should_exit = True
    await task


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), int(sys.argv[2])))
