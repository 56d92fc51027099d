"""TLS in front of a PostgreSQL that was built without: the protocol's own negotiation, then every byte as it comes."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from tests.support.loopback import HOST

__all__ = ["tls_front"]

SSL_REQUEST_BYTES = 8


@asynccontextmanager
async def tls_front(port: int, context: ssl.SSLContext) -> AsyncIterator[int]:
    """The port on which the PostgreSQL of `port` is reached over TLS."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readexactly(SSL_REQUEST_BYTES)
            writer.write(b"S")
            await writer.drain()
            await writer.start_tls(context)
            inner_reader, inner_writer = await asyncio.open_connection(HOST, port)
            await asyncio.gather(_pass_on(reader, inner_writer), _pass_on(inner_reader, writer))
        writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()
