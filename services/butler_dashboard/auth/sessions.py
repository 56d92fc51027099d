"""Sessions: a browser's cookie is the token itself, verified anew for every request (architecture §6).

Invariant: a session ends with its token, at once when that is revoked or signed out; only the roles `dashboard` and
`operator` look. What is refused says why and repeats nothing of the token.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Protocol

from starlette.requests import HTTPConnection
from starlette.responses import Response

from butler_contracts.errors import ButlerError
from butler_dashboard.auth.once import OnceCodes
from butler_kit.auth import Caller, Role, Unauthenticated, require_role
from butler_kit.time import Clock

__all__ = ["Sessions", "Verifier", "bearer_of", "caller_of", "remember_caller"]

_SIGNED_OUT_MAX: Final = 10_000
_CALLER: Final = "butlers.dashboard.caller"


class Verifier(Protocol):
    """Says who a token stands for; raises `Unauthenticated` for one it refuses."""

    def verify(self, token: str) -> Caller: ...


class Sessions:
    """Opens, checks and ends sessions; `codes` are those of one-time links."""

    def __init__(self, verifier: Verifier, clock: Clock) -> None:
        self.codes = OnceCodes(clock)
        self._verifier = verifier
        self._clock = clock
        self._signed_out: dict[str, float] = {}

    def verify(self, token: str) -> Caller:
        """Who looks with this token. Raises `Unauthenticated`, `Forbidden`."""
        caller = self._verifier.verify(token)
        require_role(caller, Role.DASHBOARD, Role.OPERATOR)
        if caller.token_id in self._signed_out:
            raise Unauthenticated("this session was signed out; sign in with a new token")
        return caller

    def token_of(self, connection: HTTPConnection) -> str | None:
        """The token of a request: of its Authorization header, else of its cookie."""
        return bearer_of(connection) or connection.cookies.get(_cookie_name(connection))

    def open(self, response: Response, connection: HTTPConnection, token: str, caller: Caller) -> None:
        """Give the browser its cookie, for as long as the token lives."""
        left_s = int((caller.expires_at - self._clock.now()).total_seconds())
        response.set_cookie(
            _cookie_name(connection),
            token,
            max_age=max(1, left_s),
            path="/",
            secure=connection.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )

    def end(self, response: Response, connection: HTTPConnection) -> None:
        """Take the cookie away; its token opens nothing here any more."""
        token = connection.cookies.get(_cookie_name(connection))
        if token is not None:
            # A token that opens nothing needs no ending.
            with suppress(ButlerError):
                self._remember(self.verify(token))
        response.delete_cookie(_cookie_name(connection), path="/", httponly=True, samesite="strict")

    def _remember(self, caller: Caller) -> None:
        now = self._clock.now().timestamp()
        kept = {token: until for token, until in self._signed_out.items() if until > now}
        if len(kept) >= _SIGNED_OUT_MAX:
            kept.pop(min(kept, key=lambda token: kept[token]))
        kept[caller.token_id] = caller.expires_at.timestamp() + 60
        self._signed_out = kept


def caller_of(connection: HTTPConnection) -> Caller:
    """Who looks, as the gate verified it on this very request; `LookupError` on an open path."""
    caller: Caller | None = connection.scope.get(_CALLER)
    if caller is None:
        raise LookupError("this request did not pass the gate, so nobody is authenticated on it")
    return caller


def remember_caller(connection: HTTPConnection, caller: Caller) -> None:
    """What the gate does with whom it let in."""
    connection.scope[_CALLER] = caller


def bearer_of(connection: HTTPConnection) -> str | None:
    """The token of the Authorization header, if it has one."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _cookie_name(connection: HTTPConnection) -> str:
    """Cookies of one host are shared by its ports, and a machine may have two households."""
    return f"butlers_session_{connection.url.port or connection.url.scheme}"
