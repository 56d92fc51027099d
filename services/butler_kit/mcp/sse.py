"""MCP over SSE with bounded sessions that can be ended: one GET stream and its POSTs per session (D36).

Invariant: every open stream has an owner here; `close()` ends all of them, so a draining server is not
held open. A POST under another subject than the session's is answered as if the session did not exist (404).
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from butler_kit.mcp.guard import caller_of

if TYPE_CHECKING:
    from butler_kit.mcp.sdk_server import SdkServer

__all__ = ["SseSessions"]

logger = logging.getLogger(__name__)


class SseSessions:
    """The SSE sessions of one server: at most `max_sessions`, at most `max_per_subject` of one caller.

    `sdk` is asked for the SDK's server at every request, so that it is loaded for the first.
    """

    def __init__(
        self,
        sdk: Callable[[], Awaitable[SdkServer]],
        *,
        max_sessions: int,
        max_per_subject: int,
        send_deadline_s: float,
    ) -> None:
        self._sdk = sdk
        self._max_sessions = max_sessions
        self._max_per_subject = max_per_subject
        self._send_deadline_s = send_deadline_s
        self._subjects: Counter[str] = Counter()
        self._streams: set[asyncio.Task[None]] = set()
        self._refusing = False

    async def stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI: serve one session until its client leaves or `close()` is called."""
        request = Request(scope)
        subject = caller_of(request).subject
        refusal = self._refusal(request.method, subject)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        response = _Response(send, self._send_deadline_s)
        task = asyncio.create_task(self._serve(scope, receive, response.send), name="mcp-sse-session")
        self._streams.add(task)
        self._subjects[subject] += 1
        try:
            # wait() and not await: the end of a session by close() is no error of this request.
            await asyncio.wait({task})
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._streams.discard(task)
            self._subjects[subject] -= 1
            self._subjects += Counter()
        await response.end()

    async def post(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI: take one message of a session; the answer comes on its stream."""
        try:
            await (await self._sdk()).post(scope, receive, send)
        except ConnectionError:
            # Answered 202 already; its stream has ended meanwhile, and the client sees that.
            logger.debug("a message arrived for a session that had just ended")

    def refuse_new(self) -> None:
        """Answer every new stream 503 from now on."""
        self._refusing = True

    def close(self) -> None:
        """End every open stream; their requests end soon after."""
        self._refusing = True
        for task in self._streams:
            task.cancel()

    def _refusal(self, method: str, subject: str) -> Response | None:
        if method != "GET":
            return Response(status_code=405, headers={"Allow": "GET"})
        if self._refusing:
            return _busy("the server is stopping")
        if len(self._streams) >= self._max_sessions:
            return _busy(f"all {self._max_sessions} sessions are taken")
        if self._subjects[subject] >= self._max_per_subject:
            return _busy(f"this caller already holds {self._max_per_subject} sessions")
        return None

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await (await self._sdk()).stream(scope, receive, send)
        except* TimeoutError:
            logger.warning(
                "an SSE session was ended: its client took nothing for %g s", self._send_deadline_s
            )


class _Response:
    """The outgoing event stream: each write has a deadline, and a stream that was cut is ended
    properly."""

    def __init__(self, send: Send, deadline_s: float) -> None:
        self._send = send
        self._deadline_s = deadline_s
        self._open = False

    async def send(self, message: Message) -> None:
        async with asyncio.timeout(self._deadline_s):
            await self._send(message)
        self._open = message["type"] == "http.response.start" or message.get("more_body", False)

    async def end(self) -> None:
        if self._open:
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})


def _busy(message: str) -> Response:
    body = json.dumps({"error": {"class": "overload_rejected", "message": message, "retryable": True}})
    return Response(body, 503, headers={"Retry-After": "1"}, media_type="application/json")
