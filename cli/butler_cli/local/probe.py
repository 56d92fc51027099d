"""Ask a process over HTTP whether it can serve, as cheaply as possible: ten are asked again and again."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

__all__ = ["TIMEOUT_S", "http_probe"]

TIMEOUT_S: Final = 3.0


async def http_probe(url: str) -> bool | None:
    """Return True for 200, False for any other answer, None for no answer within `TIMEOUT_S`."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            status = await _status(url)
    except (OSError, ValueError, asyncio.LimitOverrunError, asyncio.IncompleteReadError):
        return None
    return status == HTTPStatus.OK


async def _status(url: str) -> int:
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    try:
        ask = f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n"
        writer.write(ask.encode("ascii"))
        answer = await reader.readuntil(b"\r\n")
    finally:
        writer.close()
    return int(answer.split(b" ", 2)[1])
