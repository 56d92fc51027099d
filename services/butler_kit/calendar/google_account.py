"""Access to a Google account by a refresh token (RFC 6749 section 6; Google, "Using OAuth 2.0 for web server
applications").

Invariant: an access token is requested once for as long as it is valid, and once more when it is refused.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from butler_kit.calendar.exchange import Answer, Exchange
from butler_kit.calendar.port import misconfigured, unreachable
from butler_kit.time import Clock

__all__ = ["GoogleSecret", "GoogleTokens", "json_of"]

TOKEN_URI: Final = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
_EARLY_S: Final = 60.0
_FORM: Final = "application/x-www-form-urlencoded"
_NEEDED: Final = ("client_id", "client_secret", "refresh_token")
_WHAT: Final = (
    "the calendar's secret has to be the JSON object of an authorized user, with client_id, client_secret and "
    "refresh_token"
)


@dataclass(frozen=True, slots=True)
class GoogleSecret:
    """The credentials that Google's own tools write for an authorized user."""

    client_id: str
    client_secret: str
    refresh_token: str
    token_uri: str = TOKEN_URI

    @staticmethod
    def of(text: str) -> GoogleSecret:
        """Parse a secret. Raises `TargetUnavailable` that says what a secret has to be."""
        try:
            given = json.loads(text)
        except ValueError as error:
            raise misconfigured(_WHAT) from error
        if not isinstance(given, dict) or not all(isinstance(given.get(name), str) for name in _NEEDED):
            raise misconfigured(_WHAT)
        uri = given.get("token_uri")
        client_id, client_secret, refresh_token = (given[name].strip() for name in _NEEDED)
        return GoogleSecret(
            client_id, client_secret, refresh_token, uri if isinstance(uri, str) else TOKEN_URI
        )


class GoogleTokens:
    """The current access token."""

    def __init__(self, secret: GoogleSecret, exchange: Exchange, clock: Clock) -> None:
        self._secret = secret
        self._exchange = exchange
        self._clock = clock
        self._token: str | None = None
        self._until = 0.0
        self._turn = asyncio.Lock()

    async def token(self, *, refused: str | None = None) -> str:
        """Return a valid one; not the one that was `refused`. Raises `TargetUnavailable`."""
        async with self._turn:
            if self._token is None or self._token == refused or self._clock.monotonic() >= self._until:
                self._token, lasts_s = await self._fetched()
                self._until = self._clock.monotonic() + max(0.0, lasts_s - _EARLY_S)
            return self._token

    async def _fetched(self) -> tuple[str, float]:
        secret = self._secret
        form = {
            "client_id": secret.client_id,
            "client_secret": secret.client_secret,
            "refresh_token": secret.refresh_token,
            "grant_type": "refresh_token",
        }
        answer = await self._exchange.ask(
            "POST", secret.token_uri, headers={"Content-Type": _FORM}, body=urlencode(form).encode()
        )
        given = json_of(answer)
        if answer.status != 200:
            raise _no_access(given.get("error"), answer.status)
        token, lasts_s = given.get("access_token"), given.get("expires_in")
        if not isinstance(token, str) or not isinstance(lasts_s, int | float):
            raise unreachable("Google gave an access token that cannot be read")
        return token, float(lasts_s)


def _no_access(error: Any, status: int) -> Exception:
    if error == "invalid_grant":
        return misconfigured(
            "Google does not take the refresh token (expired or revoked); "
            "make a new one and put it into the secret of secretRef"
        )
    if error in ("invalid_client", "unauthorized_client"):
        return misconfigured(
            "Google does not know client_id and client_secret; correct the secret of secretRef"
        )
    return misconfigured(f"Google gives no access (HTTP {status}); correct the secret of secretRef")


def json_of(answer: Answer) -> dict[str, Any]:
    """Return the JSON object of a body. Raises `TargetUnavailable` where it is none."""
    try:
        given = json.loads(answer.body)
    except ValueError as error:
        raise unreachable(f"Google gave an answer that cannot be read (HTTP {answer.status})") from error
    if not isinstance(given, dict):
        raise unreachable(f"Google gave an answer that cannot be read (HTTP {answer.status})")
    return given
