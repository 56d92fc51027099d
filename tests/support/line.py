"""A TCP line to a server on loopback that a test can cut (connections are refused) or hold (all is silent).

Invariant: what was written before a hold arrives after it, unless the line was cut meanwhile, as on a real network.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Self

from tests.support.loopback import HOST, free_socket

__all__ = ["Line", "Service"]

_CHUNK_BYTES = 65_536


class Line:
    """Whole from `start` on; `port` is where clients connect and stays the same over a cut."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._relays: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self.port = 0
        self.connections = 0
        """How many connections were made, over all time."""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._relay, sock=free_socket(self.port))
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def cut(self) -> None:
        """Refuse new connections and reset the others."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def mend(self) -> None:
        """Let connections through again, after a cut or a hold."""
        self._flowing.set()
        if self._server is None:
            await self.start()

    def hold(self) -> None:
        """Accept connections and bytes, and pass nothing on."""
        self._flowing.clear()

    async def until(self, reached: Callable[[Self], bool], *, timeout_s: float = 90.0) -> None:
        """Wait until the condition holds, e.g. `lambda line: line.connections == 2`."""
        async with asyncio.timeout(timeout_s):
            while not reached(self):
                await self._changed.wait()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._changed.set()
        self._changed = asyncio.Event()
        task = asyncio.current_task()
        if task is not None:
            self._relays.add(task)
        self._writers.add(writer)
        try:
            await self._flowing.wait()
            with contextlib.suppress(OSError):
                await self._connect(reader, writer)
        finally:
            self._writers.discard(writer)
            writer.transport.abort()
            if task is not None:
                self._relays.discard(task)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await self._reach()
        self._writers.add(far_writer)
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(self._pass(reader, far_writer))
                ways.create_task(self._pass(far_reader, writer))
        finally:
            self._writers.discard(far_writer)
            far_writer.transport.abort()

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(HOST, self._target_port)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK_BYTES):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.cut()
        for task in tuple(self._relays):
            task.cancel()
        if self._relays:
            await asyncio.wait(self._relays, timeout=5)


class Service(Line):
    """One address before several copies, as a cluster has: each connection goes to the next that takes it."""

    def __init__(self) -> None:
        super().__init__(0)
        self.copies: list[int] = []
        """The ports of the copies."""

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for _ in range(len(self.copies)):
            port = self.copies.pop(0)
            self.copies.append(port)
            with contextlib.suppress(OSError):
                return await asyncio.open_connection(HOST, port)
        raise ConnectionRefusedError("no copy takes connections")
