"""A proxy before an IMAP server that does not hand out some mails: it says NO, or cuts the connection."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Literal

__all__ = ["Withholding", "withholding"]

_FETCH: Final = re.compile(rb"(\S+) UID FETCH (\S+) \((.*)\)\r\n")


class Withholding:
    """`mails` says what happens to a fetch by UID; `all_bodies` is for every mail's body."""

    def __init__(self, server: tuple[str, int]) -> None:
        self.address: tuple[str, int] = ("", 0)
        self.mails: dict[int, Literal["no", "cut", "no size"]] = {}
        self.all_bodies = False
        self.refused = 0
        self._server = server
        self._tasks: set[asyncio.Task[None]] = set()

    def fault_of(self, line: bytes) -> tuple[bytes, str] | None:
        """The command's tag and what is done instead of it."""
        found = _FETCH.fullmatch(line)
        if found is None:
            return None
        body = b"BODY" in found[3]
        for uid, fault in self.mails.items():
            asked = str(uid).encode() in re.split(b"[,:]", found[2])
            if asked and (body or fault == "no size"):
                return found[1], fault
        return (found[1], "no") if body and self.all_bodies else None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            upstream_reader, upstream = await asyncio.open_connection(*self._server)
            back = asyncio.create_task(_copy(upstream_reader, writer))
            with contextlib.suppress(ConnectionError):
                await self._commands(reader, writer, upstream)
            for end in (writer, upstream):
                end.transport.abort()
            await asyncio.wait({back})
        finally:
            self._tasks.discard(task)

    async def _commands(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, upstream: asyncio.StreamWriter
    ) -> None:
        while line := await reader.readline():
            fault = self.fault_of(line)
            if fault is None:
                upstream.write(line)
                continue
            self.refused += 1
            if fault[1] == "cut":
                return
            writer.write(fault[0] + b" NO [SERVERBUG] Internal error occurred\r\n")

    async def stop(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
    writer.transport.abort()


@asynccontextmanager
async def withholding(server: tuple[str, int]) -> AsyncIterator[Withholding]:
    """A running proxy before the server at this address."""
    proxy = Withholding(server)
    listening = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.address = listening.sockets[0].getsockname()[:2]
    try:
        yield proxy
    finally:
        listening.close()
        await proxy.stop()
