"""Signing in and out: a form that takes a token, a link that works once, a button that ends it (architecture §6)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Final
from urllib.parse import parse_qs

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from butler_contracts.errors import ButlerError
from butler_dashboard.auth.links import LINK_TTL_S
from butler_dashboard.auth.sessions import Sessions, bearer_of
from butler_kit.auth import Unauthenticated

__all__ = ["HOME", "SignIn", "SignInPage", "local_path", "plain_page"]

HOME: Final = "/today"
_LOCAL: Final = re.compile(r"/(?![/\\])[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*")
_PATH_MAX: Final = 2_000
_FIELDS_MAX: Final = 10
_USED: Final = "this link was used or is too old; make a new one, or sign in with a token"
_UNDONE: Final = "Nothing was done: the session had ended. Sign in, and send the form of the page again."
_NOTHING: Final = "paste a token; `butlers token --role dashboard --audience dashboard` prints one"
_UNREADABLE: Final = "that is no token; paste the whole of what `butlers token` printed"


@dataclass(frozen=True, slots=True)
class SignInPage:
    """Contents of the sign-in page: why the last attempt was refused, and where a successful one leads."""

    problem: str | None
    next_path: str


def local_path(given: str | None) -> str:
    """Return `given` if it is a path of this site, else the first page: a link never leads elsewhere."""
    return given if given and len(given) <= _PATH_MAX and _LOCAL.fullmatch(given) else HOME


def plain_page(page: SignInPage) -> str:
    """Return the sign-in page without any style."""
    problem = f"<p role=alert>{escape(page.problem)}</p>" if page.problem else ""
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Sign in - Butlers</title><main><h1>Sign in</h1>"
        f"{problem}<form method=post action=/login><label>Token <input name=token type=password required "
        f'autocomplete=off></label><input type=hidden name=next value="{escape(page.next_path)}">'
        "<button>Sign in</button></form></main></html>"
    )


class SignIn:
    """`/login`, `/login/once`, `/logout`; `page` renders the sign-in page as HTML."""

    def __init__(self, sessions: Sessions, page: Callable[[SignInPage], str] = plain_page) -> None:
        self._sessions = sessions
        self._page = page

    def router(self) -> APIRouter:
        router = APIRouter(include_in_schema=False)
        router.add_api_route("/login", self._show_or_redeem, methods=["GET"])
        router.add_api_route("/login", self._login, methods=["POST"])
        router.add_api_route("/login/once", self._make_link, methods=["POST"])
        router.add_api_route("/logout", self._logout, methods=["POST"])
        return router

    async def _show_or_redeem(self, request: Request) -> Response:
        next_path, code = local_path(request.query_params.get("next")), request.query_params.get("once")
        if code is None:
            undone = _UNDONE if "undone" in request.query_params else None
            return HTMLResponse(self._page(SignInPage(undone, next_path)))
        try:
            token = await self._sessions.links.claim(code)
            if token is None:
                raise Unauthenticated(_USED)
            caller = self._sessions.verify_person(token)
        except ButlerError as refused:
            return self._refused(refused, next_path)
        # No redirect: a browser that came from another site does not send a strict cookie to the redirect's target.
        response = HTMLResponse(_forward(next_path))
        await self._sessions.open(response, request, token, caller)
        return response

    async def _login(self, request: Request) -> Response:
        token, next_path = _fields(await request.body())
        try:
            if not token:
                raise Unauthenticated(_NOTHING)
            if token.count(".") != 2:
                raise Unauthenticated(_UNREADABLE)
            caller = self._sessions.verify_person(token)
        except ButlerError as refused:
            return self._refused(refused, next_path)
        response = RedirectResponse(next_path, status_code=303)
        await self._sessions.open(response, request, token, caller)
        return response

    async def _make_link(self, request: Request) -> Response:
        """For a program that has a token and a person to send there; a cookie is not enough."""
        token = bearer_of(request)
        if token is None:
            raise Unauthenticated(
                "send a bearer token of role dashboard or operator in the Authorization header"
            )
        self._sessions.verify_person(token)
        code = await self._sessions.links.make(token)
        return JSONResponse({"path": f"/login?once={code}", "expires_in_s": LINK_TTL_S}, status_code=201)

    async def _logout(self, request: Request) -> Response:
        response = RedirectResponse("/login", status_code=303)
        await self._sessions.end(response, request)
        return response

    def _refused(self, refused: ButlerError, next_path: str) -> Response:
        return HTMLResponse(
            self._page(SignInPage(refused.message, next_path)), status_code=503 if refused.retryable else 401
        )


def _fields(body: bytes) -> tuple[str, str]:
    """Return the token and the next path of a form."""
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=_FIELDS_MAX)
    except ValueError:
        return "", HOME
    return fields.get("token", [""])[0].strip(), local_path(fields.get("next", [""])[0])


def _forward(path: str) -> str:
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Signed in - Butlers</title>"
        f'<meta http-equiv=refresh content="0; url={escape(path)}"><p>Signed in. <a href="{escape(path)}">Go on</a></p>'
        "</html>"
    )
