"""Runs a Starlette app on a loopback port, inside a test's event loop or as a process of its own.

Invariant: listens on 127.0.0.1 alone, unless TEST_PROVIDERS_LISTEN names another address, as it does in the pod
of the test providers. Each request's scope carries `loopback.transport`,
so that a scripted fault can cut the connection without a single byte of answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import random
import signal
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["HOST", "LISTEN", "LoopbackServer", "abort_connection", "free_port", "free_socket", "terminated"]

HOST = "127.0.0.1"
LISTEN = os.environ.get("TEST_PROVIDERS_LISTEN", HOST)
_START_DEADLINE_S = 60.0
_STOP_DEADLINE_S = 5.0
_OURS = range(10_000, 20_000)
"""Below the range from which the system takes ports of outgoing connections: none of them gets the port of a server
that is started later, or stopped and started again."""
_TRIES = 1_000
_HELD: list[socket.socket] = []


def free_socket(port: int = 0) -> socket.socket:
    """A bound socket that does not listen yet; for port 0 on one that nobody has."""
    # With the protocol named, asyncio turns Nagle off; without, an answer waits 40 ms for the peer's ACK.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if port:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((LISTEN, port))
        else:
            _bind_alone(sock)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    except OSError:
        sock.close()
        raise
    return sock


def free_port() -> int:
    """A port for a program that is started later; nobody else is given it while this process lives."""
    _HELD.append(free_socket())
    port: int = _HELD[-1].getsockname()[1]
    return port


def _bind_alone(sock: socket.socket) -> None:
    chance = random.SystemRandom()
    for _ in range(_TRIES):
        try:
            return sock.bind((LISTEN, chance.choice(_OURS)))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    raise OSError(errno.EADDRINUSE, "no free port")


async def terminated() -> None:
    """Until SIGTERM or SIGINT: for the main program of a process that serves."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await stop.wait()


async def abort_connection(scope: Scope, receive: Receive) -> None:
    """Cut the connection of this request (TCP reset) and return once the server has noticed."""
    scope["loopback.transport"].abort()
    while (await receive())["type"] != "http.disconnect":
        continue


class _AbortableProtocol(H11Protocol):
    """uvicorn's HTTP protocol, lending its transport to the app."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        inner: Any = self.app

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            scope["loopback.transport"] = self.transport
            await inner(scope, receive, send)

        self.app = app


class _EmbeddedServer(uvicorn.Server):
    """A server that leaves the signals of its host process alone, and sleeps while nobody asks."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        await self._ending.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class LoopbackServer:
    """One app on one loopback port; an async context manager."""

    def __init__(self, app: ASGIApp, *, port: int = 0) -> None:
        config = uvicorn.Config(
            app, http=_AbortableProtocol, ws="none", lifespan="off", log_level="error", access_log=False,
            timeout_graceful_shutdown=1, date_header=False,
        )  # fmt: skip
        self._server = _EmbeddedServer(config)
        self._requested_port = port
        self._socket: socket.socket | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def port(self) -> int:
        if self._socket is None:
            raise RuntimeError("the server has not been started")
        return int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    async def start(self) -> None:
        """Listen; a port in use raises OSError before anything is started."""
        self._socket = free_socket(self._requested_port)
        self._task = asyncio.create_task(self._server.serve(sockets=[self._socket]))
        async with asyncio.timeout(_START_DEADLINE_S):
            while not self._server.started:
                if self._task.done():
                    self._task.result()
                    raise RuntimeError("the loopback server ended while starting")
                await asyncio.sleep(0.01)

    async def stop(self) -> None:
        self._server.end()
        if self._task is not None:
            _, pending = await asyncio.wait({self._task}, timeout=_STOP_DEADLINE_S)
            for task in pending:
                task.cancel()
        if self._socket is not None:
            self._socket.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
