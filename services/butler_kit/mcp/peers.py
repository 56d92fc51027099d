"""Checks before authentication: Host and Origin of a request, and the size of its body (D2).

Invariant: a browser page of another name that resolves to this server (DNS rebinding) is refused before anything else
is read. The SDK has the same checks, but only with the rest of it (see `sdk_server` for what that costs).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BodyLimit", "Peers", "allowed_peers"]

logger = logging.getLogger(__name__)

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_SCHEMES: Final = ("http", "https")
_SIZE_DIGITS: Final = 18


@dataclass(frozen=True, slots=True)
class Peers:
    """The Host and Origin values that are accepted, each on any port."""

    hosts: frozenset[str]
    origins: frozenset[str]

    def refusal(self, headers: Headers, *, json_post: bool) -> Response | None:
        """Return the answer to a request that is refused, or None; `json_post`: its body has to be JSON."""
        if json_post and not headers.get("content-type", "").lower().startswith("application/json"):
            return Response("Invalid Content-Type header", status_code=400)
        host = headers.get("host")
        if not host:
            logger.warning("Missing Host header in request")
            return Response("Invalid Host header", status_code=421)
        if not _is_one_of(host, self.hosts):
            logger.warning("Invalid Host header: %s", host)
            return Response("Invalid Host header", status_code=421)
        origin = headers.get("origin")
        # A same-origin request, or one not sent by a browser, may have none.
        if origin and not _is_one_of(origin, self.origins):
            logger.warning("Invalid Origin header: %s", origin)
            return Response("Invalid Origin header", status_code=403)
        return None


def allowed_peers(hosts: Iterable[str]) -> Peers:
    """Accept loopback and `hosts` (names without port), on any port."""
    names = frozenset((*_LOOPBACK, *hosts))
    return Peers(names, frozenset(f"{scheme}://{name}" for name in names for scheme in _SCHEMES))


def _is_one_of(given: str, names: frozenset[str]) -> bool:
    return given in names or any(given.startswith(f"{name}:") for name in names)


class BodyLimit:
    """ASGI wrapper: reads the whole body, hands it on as one message, answers 413 past `max_bytes`."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        waiting = None if self._declares_more(scope) else await self._read(receive)
        if waiting is None:
            await Response("Request body too large", status_code=413)(scope, receive, send)
            return

        async def replay() -> Message:
            return waiting.pop(0) if waiting else await receive()

        await self._app(scope, replay, send)

    def _declares_more(self, scope: Scope) -> bool:
        declared = Headers(scope=scope).get("content-length", "")
        if not (declared.isascii() and declared.isdigit()):
            return False
        # Python refuses to read numbers of thousands of digits.
        return len(declared) > _SIZE_DIGITS or int(declared) > self._max_bytes

    async def _read(self, receive: Receive) -> list[Message] | None:
        """Return the messages that carry the body; None when it is too large."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                # The client has left: pass on what it sent as unfinished, then the disconnect.
                begun: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": True}]
                return [*(begun if body else []), message]
            body += message.get("body", b"")
            if len(body) > self._max_bytes:
                return None
            if not message.get("more_body", False):
                return [{"type": "http.request", "body": bytes(body), "more_body": False}]
