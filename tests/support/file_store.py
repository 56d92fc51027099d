"""A store of files over HTTP on loopback, as Messenger fetches attachments from one; it can be told to misbehave.

`/f/NAME` gives the file of that name. A way is what the next requests of one name meet, `*` for any.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.support.loopback import LoopbackServer, abort_connection

__all__ = ["FileStore", "attachment"]

_CHUNK: Final = 65_536


class FileStore:
    """Keeps files by name; `asked` has the path and the `Authorization` of each request."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str | None]] = []
        self._ways: dict[str, tuple[str, Any]] = {}
        self._gone = asyncio.Event()
        self._server = LoopbackServer(Starlette(routes=[Route("/f/{name:path}", self._give)]))

    @property
    def url(self) -> str:
        """The origin; every file is below it."""
        return f"{self._server.url}/f/"

    def put(self, name: str, content: bytes) -> dict[str, Any]:
        """Keep a file; the reference to it as a `notify.v1` has it."""
        self.files[name] = content
        return attachment(f"{self.url}{quote(name)}", content, name=name)

    def meets(self, way: str, *, name: str = "*", what: Any = None) -> None:
        """Every request from now on: `status` (a number), `redirect` (an address), `endless`, `slow`, `cut`, `lie`."""
        self._ways[name] = (way, what)

    def as_it_should(self) -> None:
        """Give what is there again, and release what is slow."""
        self._ways.clear()
        self._gone.set()
        self._gone = asyncio.Event()

    async def _give(self, request: Request) -> Response:
        name = request.path_params["name"]
        self.asked.append((request.url.path, request.headers.get("authorization")))
        nothing: tuple[str, Any] = ("", None)
        way, what = self._ways.get(name) or self._ways.get("*") or nothing
        content = self.files.get(name)
        if way == "status":
            return Response(status_code=what)
        if way == "redirect":
            return RedirectResponse(what)
        if way == "endless":
            return StreamingResponse(_endless())
        if content is None:
            return Response(status_code=404)
        if way == "lie":
            return Response(content[:-1] + bytes([content[-1] ^ 1]))
        if way == "slow":
            return StreamingResponse(self._slowly(content))
        if way == "cut":
            return _Cut(content)
        return Response(content, media_type="application/octet-stream")

    async def _slowly(self, content: bytes) -> AsyncIterator[bytes]:
        yield content[:1]
        await self._gone.wait()
        yield content[1:]

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.as_it_should()
        await self._server.stop()


class _Cut(Response):
    """Says how long it is, and ends in the middle."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        half = bytes(self.body)[: len(self.body) // 2]
        await send({"type": "http.response.body", "body": half, "more_body": True})
        await abort_connection(scope, receive)


async def _endless() -> AsyncIterator[bytes]:
    while True:
        yield b"x" * _CHUNK
        await asyncio.sleep(0)


def attachment(
    uri: str, content: bytes, *, name: str = "bill.pdf", media_type: str = "application/pdf", **changes: Any
) -> dict[str, Any]:
    """A reference to `content`; `changes` are what it says otherwise."""
    return {
        "uri": uri,
        "digest": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "size_bytes": len(content),
        "media_type": media_type,
        "name": name,
        **changes,
    }
