"""The guard of every MCP and ops path: Host and Origin first, then the bearer token, then the body's size
(D2, CNX-16).

Invariant: no request reaches the application behind it without a verified caller in its own scope; a refusal
says what was wrong with the token but never repeats it.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Final, Protocol

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from butler_contracts.errors import ButlerError
from butler_kit.mcp.peers import BodyLimit, Peers

if TYPE_CHECKING:
    from butler_kit.auth import Caller

__all__ = ["BearerGuard", "Verifier", "caller_of"]

logger = logging.getLogger(__name__)

_CALLER: Final = "butlers.caller"


class Verifier(Protocol):
    """Identifies the caller behind a token; raises a `ButlerError` (`Unauthenticated`) for one it refuses.

    Called at every request, so it has to be cheap: `butler_kit.auth.TokenVerifier` remembers signatures.
    """

    def verify(self, token: str) -> Caller: ...


def caller_of(connection: HTTPConnection) -> Caller:
    """Return the caller the guard verified on this request; `LookupError` without a guard."""
    caller: Caller | None = connection.scope.get(_CALLER)
    if caller is None:
        raise LookupError("this request did not pass a BearerGuard, so nobody is authenticated on it")
    return caller


class BearerGuard:
    """ASGI wrapper: 421/403 for a foreign Host/Origin, 401 with `WWW-Authenticate` (RFC 6750), 413 past
    the size.

    `json_posts` also demands `Content-Type: application/json` of a POST, as both MCP transports do.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        verifier: Verifier,
        peers: Peers,
        max_body_bytes: int,
        json_posts: bool = True,
    ) -> None:
        self._app = BodyLimit(app, max_body_bytes)
        self._verifier = verifier
        self._peers = peers
        self._json_posts = json_posts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        json_post = self._json_posts and request.method == "POST"
        refusal = self._peers.refusal(request.headers, json_post=json_post)
        if refusal is None:
            refusal = self._authenticate(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _authenticate(self, request: Request) -> Response | None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            return _unauthorized("send a bearer token in the Authorization header", error=None)
        try:
            caller = self._verifier.verify(token.strip())
        except ButlerError as refused:
            return _unauthorized(refused.message, error="invalid_token")
        except Exception:
            logger.exception("token verification failed")
            return Response("token verification is not possible at the moment", status_code=503)
        request.scope[_CALLER] = caller
        return None


def _unauthorized(description: str, *, error: str | None) -> Response:
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else " " for c in description)
    challenge = 'Bearer realm="butlers"'
    if error is not None:
        challenge += f', error="{error}", error_description="{plain}"'
    body = json.dumps({"error": {"class": "validation_error", "message": description, "retryable": False}})
    return Response(body, 401, headers={"WWW-Authenticate": challenge}, media_type="application/json")
