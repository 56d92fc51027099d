"""uvicorn, embedded: our signals, our socket, bounded connections, and an event for when it serves.

Invariant: an idle server sleeps; uvicorn's own wakes ten times a second.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from functools import partial
from types import FrameType
from typing import Any, Final, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from butler_kit.service.connections import BoundedHttp, ConnectionLimits, Places, default_limits

__all__ = ["EmbeddedServer", "PortUnavailable", "bind"]

_BACKLOG: Final = 2048


class PortUnavailable(Exception):
    """The address cannot be listened on; one line that says which and what to do."""


def bind(host: str, port: int) -> socket.socket:
    """Take the address before anything else starts; `PortUnavailable` when that is impossible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named protocol: asyncio turns Nagle's delay (40 ms an answer) off only for sockets that say they are TCP.
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
        # Listening at once, because two processes may both bind an address that nobody listens on.
        taken.listen(_BACKLOG)
    except OSError as error:
        taken.close()
        raise PortUnavailable(
            f"cannot listen on {host} port {port}: {error.strerror}; "
            "stop the process that uses it, or set another port"
        ) from None
    taken.setblocking(False)
    return taken


class _DatedState(ServerState):
    """State that uvicorn's connections share; default headers, the date too, are made when one is sent."""

    def __init__(self, config: uvicorn.Config) -> None:
        self._config = config
        self._second = -1
        self._dated: list[tuple[bytes, bytes]] = []
        super().__init__()

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        second = int(time.time())
        if second != self._second:
            self._second = second
            date = formatdate(second, usegmt=True).encode()
            self._dated = [(b"date", date), *self._config.encoded_headers]
        return self._dated

    @default_headers.setter
    def default_headers(self, _: list[tuple[bytes, bytes]]) -> None:
        """Uvicorn's own refresh, which is not needed."""


class EmbeddedServer(uvicorn.Server):
    """A uvicorn server without signal handlers, running until `end`; `serving` is set once it serves."""

    def __init__(self, app: ASGIApp, *, stop_timeout_s: int, limits: ConnectionLimits | None = None) -> None:
        bounds = limits or default_limits()
        super().__init__(
            uvicorn.Config(
                app,
                loop="none",
                # Called with uvicorn's arguments for each connection; it never asks whether this is a class.
                http=cast("Any", partial(BoundedHttp, places=Places(bounds))),
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                backlog=_BACKLOG,
                timeout_keep_alive=bounds.idle_s,
                timeout_graceful_shutdown=stop_timeout_s,
            )
        )
        self.server_state = _DatedState(self.config)
        self.serving = asyncio.Event()
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Take no more connections, answer running requests, then return from `serve`."""
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        """Wait for `end`; uvicorn's own loop polls for it, and for limits that are not used here."""
        await self._ending.wait()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the service."""
        yield

    def listen_for_signals(self, on_signal: Callable[[], None]) -> None:
        """Call `on_signal` in the loop at SIGTERM or SIGINT; a second SIGINT ends the process at once.

        The handler is a method of the server because sse-starlette looks for that to end its streams.
        """
        self._on_signal = (asyncio.get_running_loop(), on_signal)
        signal.signal(signal.SIGTERM, self.handle_exit)
        signal.signal(signal.SIGINT, self.handle_exit)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Pass the signal on to the loop."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        loop, on_signal = self._on_signal
        loop.call_soon_threadsafe(on_signal)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, then set `serving`."""
        await super().startup(sockets)
        self.serving.set()
