"""Middleware for the rules of every response: strict headers, known hosts, no foreign forms, no large bodies.

Pages load nothing from elsewhere, run no inline script and cannot be framed. An unknown host name is refused, so that
no page is served under another name that resolves to this server (DNS rebinding).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from butler_contracts.errors import ValidationFailed
from butler_kit.ops.problems import BodyTooLarge

__all__ = ["BODY_MAX_BYTES", "CONTENT_SECURITY_POLICY", "Surroundings"]

BODY_MAX_BYTES: Final = 64 * 1024
"""Room for a record's words in any script: a form sends a letter as up to twelve bytes."""
CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer a browser would send `Origin: null` with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_SAFE: Final = ("GET", "HEAD", "OPTIONS")


class Surroundings:
    """ASGI wrapper; `names` are the hosts, without port, that callers may use besides loopback."""

    def __init__(self, app: ASGIApp, *, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in (*_LOOPBACK, *names))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        await self._app(scope, _Bounded(receive), send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if _host_of(headers.get("host", "")) not in self._names:
            return _refused(421, "this name is not one of the dashboard's; see BUTLERS_NAMES")
        if scope["method"] not in _SAFE and not _is_own(headers):
            return _refused(403, "a form of another site cannot be sent here")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > BODY_MAX_BYTES:
            return _refused(413, f"a request has at most {BODY_MAX_BYTES} bytes")
        return None


class _Bounded:
    """Limits the size of a body, even one that does not declare its length."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._left = BODY_MAX_BYTES

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise BodyTooLarge(f"a request has at most {BODY_MAX_BYTES} bytes")
        return message


def _host_of(value: str) -> str:
    try:
        return (urlsplit(f"//{value}").hostname or "").lower()
    except ValueError:
        return ""


def _is_own(headers: Headers) -> bool:
    """Whether a form comes from a page of ours, or from a program, which names no origin."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def _refused(status: int, message: str) -> Response:
    return JSONResponse(ValidationFailed(message).to_wire(), status_code=status)
