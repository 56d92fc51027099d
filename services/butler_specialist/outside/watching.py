"""The HTTP client of one conversation with a tool server: what was sent, any refusal, and a limit on the answer.

Invariant: whether a call can have reached the server is known from the connection itself, never guessed from an
error.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import httpx2

from butler_kit.tls import client_context

__all__ = ["Watched", "client_of"]

_CONNECT_S: Final = 5.0
_MOST_BYTES: Final = 1024 * 1024
"""The most bytes read of one answer."""


class Watched(httpx2.AsyncHTTPTransport):
    """A transport that knows whether a call, announced by `calling`, can have arrived: then `sent` is set.

    With SSE every refusal counts: the SDK reports no refused POST, and an answer would be awaited in vain.
    """

    def __init__(self, *, by_sse: bool = False) -> None:
        super().__init__(verify=client_context(), trust_env=False)
        self._by_sse = by_sse
        self.calling = False
        self.sent = False
        self.refused: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """The HTTP status that refused the token or a call."""
        self.status: int | None = None
        """The status of the last POST that was not accepted.

        An older server does not understand the first one.
        """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        of_a_call = self.calling and request.method == "POST"
        before, self.sent = self.sent, self.sent or of_a_call
        try:
            response = await super().handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout):
            self.sent = before
            raise
        if response.status_code >= 400 and (request.method == "POST" or self._by_sse):
            self._refused(response, of_a_call=of_a_call)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream)
        return response

    def _refused(self, response: httpx2.Response, *, of_a_call: bool) -> None:
        self.status = response.status_code
        of_json = response.headers.get("content-type", "").startswith("application/json")
        told = of_json and self.status in (400, 404) and not self._by_sse
        final = self.status in (401, 403) or (of_a_call and not told) or self._by_sse
        if final and not self.refused.done():
            self.refused.set_result(self.status)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in self._inner:
            total += len(chunk)
            if total > _MOST_BYTES:
                raise httpx2.ReadError(f"more than {_MOST_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def client_of(watched: Watched, token: str | None) -> httpx2.AsyncClient:
    """Return the client; it follows no redirect and asks for nothing compressed."""
    headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {token}"} if token else {})
    return httpx2.AsyncClient(
        transport=watched,
        headers=headers,
        follow_redirects=False,
        timeout=httpx2.Timeout(None, connect=_CONNECT_S),
        trust_env=False,
    )
