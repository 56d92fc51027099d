"""Turns a bearer token into a `Caller`, offline: signature, issuer, audience, times, role, deny list (D2).

Invariant: only EdDSA under a known `kid` is accepted, a key vouches for its own issuer alone, and a refusal
says what was wrong without repeating any part of the token.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import jwt

from butler_kit.auth.caller import Caller
from butler_kit.auth.claims import caller_from_claims, check_times, warns_of_expiry
from butler_kit.auth.errors import Unauthenticated
from butler_kit.auth.files import WatchedFile
from butler_kit.auth.keys import PublicKey, parse_jwks
from butler_kit.auth.revocation import DenyList, parse_deny_list
from butler_kit.time import Clock

__all__ = ["LEEWAY_S", "TokenVerifier"]

LEEWAY_S: Final = 30
"""How far two machines' clocks may differ."""
_MAX_TOKEN_CHARS: Final = 8192
_REMEMBERED: Final = 1024
_ALGORITHM: Final = "EdDSA"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Verified:
    """A token whose signature and claims are settled; its times and the deny list are not."""

    caller: Caller
    claims: Mapping[str, Any]


class TokenVerifier:
    """Verifies tokens for one receiver; key set and deny list are followed while they change."""

    def __init__(
        self, jwks_file: Path, audience: str, clock: Clock, revoked_file: Path | None = None
    ) -> None:
        self._audience = audience
        self._clock = clock
        self._keys = WatchedFile(jwks_file, parse_jwks, clock=clock)
        self._denied = (
            WatchedFile(revoked_file, parse_deny_list, clock=clock, absent=DenyList())
            if revoked_file is not None
            else None
        )
        self._remembered: dict[bytes, _Verified] = {}
        self._warned: dict[str, str] = {}
        self._remembered_for: Mapping[str, PublicKey] | None = None

    def verify(self, token: str) -> Caller:
        """Return the caller a token proves; `Unauthenticated` with the reason otherwise."""
        keys = self._keys.get()
        if keys is not self._remembered_for:
            self._remembered, self._remembered_for = {}, keys
        digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
        verified = self._remembered.get(digest)
        if verified is None:
            verified = self._settle(token, keys)
            self._remember(digest, verified)
        self._check_now(verified)
        return verified.caller

    def _settle(self, token: str, keys: Mapping[str, PublicKey]) -> _Verified:
        key = _key_for(token, keys)
        try:
            claims = jwt.decode(
                token,
                key.key,
                algorithms=[_ALGORITHM],
                audience=self._audience,
                issuer=key.issuer,
                # Times are checked by our own clock; PyJWT would read the machine's.
                options={
                    "require": ["iss", "aud", "sub", "iat", "nbf", "exp", "jti"],
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                    "strict_aud": True,
                },
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(_reason(error, self._audience, key.issuer)) from None
        return _Verified(caller_from_claims(claims, key.issuer), claims)

    def _check_now(self, verified: _Verified) -> None:
        now, caller = self._clock.now(), verified.caller
        check_times(verified.claims, now, leeway_s=LEEWAY_S)
        issued_at = datetime.fromtimestamp(verified.claims["iat"], UTC)
        if self._denied is not None and self._denied.get().denies(
            token_id=caller.token_id, subject=caller.subject, issued_at=issued_at
        ):
            raise Unauthenticated(f"the token of '{caller.subject}' was revoked; issue a new one")
        if self._warned.get(caller.subject) != caller.token_id and warns_of_expiry(verified.claims, now):
            self._warned[caller.subject] = caller.token_id
            _log.warning(
                "the static token of '%s' expires at %s; issue a new one", caller.subject, caller.expires_at
            )

    def _remember(self, digest: bytes, verified: _Verified) -> None:
        if len(self._remembered) >= _REMEMBERED:
            self._remembered.pop(next(iter(self._remembered)))
        self._remembered[digest] = verified


def _key_for(token: str, keys: Mapping[str, PublicKey]) -> PublicKey:
    if not token or len(token) > _MAX_TOKEN_CHARS:
        raise Unauthenticated("the bearer token is empty or too long; send the token of this process")
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise Unauthenticated("the bearer token is not a JWT; send the token of this process") from None
    if header.get("alg") != _ALGORITHM:
        raise Unauthenticated("the token is not signed with EdDSA; only Ed25519 keys are accepted")
    key = keys.get(header["kid"]) if isinstance(header.get("kid"), str) else None
    if key is None:
        raise Unauthenticated("the token's key is not in this receiver's key set; issue a new token")
    return key


def _reason(error: jwt.PyJWTError, audience: str, issuer: str) -> str:
    match error:
        case jwt.InvalidSignatureError():
            return "the token's signature does not match its key"
        case jwt.InvalidAudienceError():
            return f"the token is not meant for this receiver; it needs the audience {audience}"
        case jwt.InvalidIssuerError():
            return f"the token's issuer is not the one its key vouches for ({issuer})"
        case jwt.MissingRequiredClaimError():
            return f"the token lacks the claim '{error.claim}'"
        case _:
            return "the token's claims are malformed"
