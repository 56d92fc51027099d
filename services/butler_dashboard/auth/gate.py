"""The gate before every path: an unauthenticated browser gets the sign-in page, a program 401 (architecture §6).

Invariant: only `OPEN_PATHS` and `/login/once` answer without a caller verified here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from urllib.parse import quote, urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from butler_contracts.errors import ButlerError
from butler_dashboard.auth.sessions import Sessions, bearer_of, remember_caller
from butler_dashboard.auth.sign_in import HOME, local_path
from butler_kit.ops.problems import problem_response

__all__ = ["OPEN_PATHS", "Gate"]

OPEN_PATHS: Final = ("/login", "/logout", "/static/", "/api/openapi.json")
"""Paths, or prefixes ending with a slash, that need no caller: they reveal nothing of the household."""

_LOOKING: Final = ("GET", "HEAD")


class Gate:
    """ASGI wrapper that lets verified callers through."""

    def __init__(
        self, app: ASGIApp, *, sessions: Sessions, outage_page: Callable[[Request, ButlerError], Response]
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._outage_page = outage_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _is_open(scope["path"]):
            await self._app(scope, receive, send)
            return
        refusal = await self._authenticate(Request(scope))
        await (refusal or self._app)(scope, receive, send)

    async def _authenticate(self, connection: Request) -> Response | None:
        try:
            remember_caller(connection, await self._sessions.authenticate(connection))
        except ButlerError as refused:
            return self._refusal(connection, refused)
        return None

    def _refusal(self, connection: Request, refused: ButlerError) -> Response:
        if not wants_page(connection):
            return problem_response(refused)
        if refused.retryable:
            # While sessions cannot be looked up, do not redirect to sign-in: that would fail as well.
            return self._outage_page(connection, refused)
        sent = connection.method not in _LOOKING
        next_path = _page_of_form(connection) if sent else _path_of(connection)
        why = "&undone=1" if sent else ""
        response = RedirectResponse(f"/login?next={quote(next_path, safe='')}{why}", status_code=303)
        if self._sessions.cookie_of(connection) is not None:
            self._sessions.take_cookie(response, connection)
        return response


def wants_page(connection: HTTPConnection) -> bool:
    """Return whether a browser asks for a page or sends a form, rather than a program asking for data."""
    if connection.scope["path"].startswith("/api/") or bearer_of(connection) is not None:
        return False
    return "text/html" in connection.headers.get("accept", "")


def _page_of_form(connection: Request) -> str:
    """Return the page that held a form, from the Referer header; the form's own address shows nothing."""
    stood = urlsplit(connection.headers.get("referer", ""))
    if stood.netloc.lower() != connection.headers.get("host", "").lower():
        return HOME
    return local_path(stood.path + (f"?{stood.query}" if stood.query else ""))


def _path_of(connection: HTTPConnection) -> str:
    query = connection.url.query
    return connection.url.path + (f"?{query}" if query else "")


def _is_open(path: str) -> bool:
    return any(path == known or (known.endswith("/") and path.startswith(known)) for known in OPEN_PATHS) or (
        path == "/login/once"
    )
