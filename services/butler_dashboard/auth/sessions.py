"""Sessions: a browser's cookie stands for the token that opened it, verified on every request (architecture §6).

Invariant: a session ends with its token, and at once when the token is revoked or the browser signs out, at every
replica; only the roles `dashboard` and `operator` have access. A refusal gives the reason and never quotes the token.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final, Protocol

from starlette.requests import HTTPConnection
from starlette.responses import Response

from butler_contracts.errors import ButlerError
from butler_dashboard.auth.links import Links
from butler_dashboard.auth.sign_ins import SignIns
from butler_kit.auth import Caller, Role, Unauthenticated, require_role
from butler_kit.time import Clock

__all__ = ["Sessions", "Verifier", "bearer_of", "caller_of", "form_key_of", "remember_caller"]

_CALLER: Final = "butlers.dashboard.caller"
_FORM_KEY: Final = "butlers.dashboard.form_key"
_ENDED: Final = "this session was signed out, or is too old; sign in again at /login"


class Verifier(Protocol):
    """Identifies the caller behind a token; raises `Unauthenticated` for one it refuses."""

    def verify(self, token: str) -> Caller: ...


class Sessions:
    """Opens, checks and ends sessions; each of `links` opens one.

    `operators` verifies tokens for Switchboard: an operator may sign in with such a token and then act with it (D80);
    None where nobody acts. `secure_cookies`: a proxy terminates TLS, so cookies are secure whatever arrives here.
    """

    def __init__(
        self,
        verifier: Verifier,
        sign_ins: SignIns,
        links: Links,
        clock: Clock,
        *,
        operators: Verifier | None = None,
        secure_cookies: bool = False,
    ) -> None:
        self.links = links
        self._verifier = verifier
        self._sign_ins = sign_ins
        self._clock = clock
        self._operators = operators
        self._secure_cookies = secure_cookies

    def verify(self, token: str) -> Caller:
        """Return the caller behind this token. Raises `Unauthenticated`, `Forbidden`."""
        caller = self._verifier.verify(token)
        require_role(caller, Role.DASHBOARD, Role.OPERATOR)
        return caller

    def verify_person(self, token: str) -> Caller:
        """Return who signs in with this token: one for the dashboard, or an operator's for Switchboard."""
        try:
            return self.verify(token)
        except Unauthenticated:
            acting = self._acting(token)
            if acting is None:
                raise
            return acting

    def _acting(self, token: str) -> Caller | None:
        if self._operators is None:
            return None
        try:
            caller = self._operators.verify(token)
        except ButlerError:
            return None
        return caller if caller.role is Role.OPERATOR else None

    async def acting_token(self, connection: HTTPConnection) -> str | None:
        """Return the signed-in operator's token for Switchboard; None for a caller with read access only."""
        cookie = self.cookie_of(connection)
        token = await self._sign_ins.token_of(cookie) if cookie else None
        return token if token is not None and self._acting(token) is not None else None

    async def authenticate(self, connection: HTTPConnection) -> Caller:
        """Return the caller, from the Authorization header or else from the cookie.

        Raises `Unauthenticated`, `Forbidden`, and `TargetUnavailable` while sessions cannot be looked up.
        """
        token, cookie = bearer_of(connection), self.cookie_of(connection)
        if token is not None:
            return self.verify(token)
        if not cookie:
            raise Unauthenticated("sign in at /login, or send a bearer token in the Authorization header")
        token = await self._sign_ins.token_of(cookie)
        if token is None:
            raise Unauthenticated(_ENDED)
        try:
            return self.verify(token)
        except Unauthenticated:
            acting = self._acting(token)
            if acting is None:
                raise
        connection.scope[_FORM_KEY] = _form_key(cookie)
        return acting

    async def still(self, connection: HTTPConnection) -> bool:
        """Return whether the client of this long-lived response may still be sent anything."""
        try:
            await self.authenticate(connection)
        except ButlerError as refused:
            return refused.retryable
        return True

    def cookie_of(self, connection: HTTPConnection) -> str | None:
        """Return the session cookie that the browser sent, if any."""
        return connection.cookies.get(_cookie_name(connection))

    async def open(self, response: Response, connection: HTTPConnection, token: str, caller: Caller) -> None:
        """Set the browser's session cookie, for as long as the token lives."""
        left_s = int((caller.expires_at - self._clock.now()).total_seconds())
        response.set_cookie(
            _cookie_name(connection),
            await self._sign_ins.open(token, caller.expires_at),
            max_age=max(1, left_s),
            path="/",
            secure=self._secure(connection),
            httponly=True,
            samesite="strict",
        )

    async def end(self, response: Response, connection: HTTPConnection) -> None:
        """End the session everywhere and delete the cookie."""
        cookie = self.cookie_of(connection)
        if cookie is not None:
            await self._sign_ins.close(cookie)
        self.take_cookie(response, connection)

    def take_cookie(self, response: Response, connection: HTTPConnection) -> None:
        """Delete a browser's cookie that no longer stands for a session."""
        secure = self._secure(connection)
        response.delete_cookie(
            _cookie_name(connection), path="/", secure=secure, httponly=True, samesite="strict"
        )

    def _secure(self, connection: HTTPConnection) -> bool:
        return self._secure_cookies or connection.url.scheme == "https"


def caller_of(connection: HTTPConnection) -> Caller:
    """Return the caller that the gate verified for this request. Raises `LookupError` on an open path."""
    caller: Caller | None = connection.scope.get(_CALLER)
    if caller is None:
        raise LookupError("this request did not pass the gate, so nobody is authenticated on it")
    return caller


def remember_caller(connection: HTTPConnection, caller: Caller) -> None:
    """Record the caller that the gate let in."""
    connection.scope[_CALLER] = caller


def form_key_of(connection: HTTPConnection) -> str | None:
    """Return the key that a form of this session must carry; None for a caller with read access only."""
    key: str | None = connection.scope.get(_FORM_KEY)
    return key


def _form_key(cookie: str) -> str:
    return sha256(b"butlers form\0" + cookie.encode("utf-8", "surrogatepass")).hexdigest()


def bearer_of(connection: HTTPConnection) -> str | None:
    """Return the bearer token of the Authorization header, if any."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _cookie_name(connection: HTTPConnection) -> str:
    """Return a name for each port: a host's ports share cookies, and a machine may have two households."""
    return f"butlers_session_{connection.url.port or connection.url.scheme}"
