"""Verification of a bearer token into a `Caller`, offline: signature, issuer, audience, times, role, deny list (D2).

Invariant: a key vouches only for its own issuer and only with its own algorithm; a service account has the standing
that the subject directory gives it at that moment; a refusal says what was wrong without repeating any of the token.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import jwt
from jwt.utils import base64url_decode

from butler_kit.auth.caller import Caller
from butler_kit.auth.claims import caller_from_claims, check_times, warns_of_expiry
from butler_kit.auth.errors import Unauthenticated
from butler_kit.auth.files import WatchedFile
from butler_kit.auth.jwks import ALGORITHMS, PublicKey, parse_jwks
from butler_kit.auth.revocation import DenyList, parse_deny_list
from butler_kit.auth.service_accounts import ServiceAccount, service_account_of
from butler_kit.auth.subjects import SubjectDirectories, SubjectDirectory
from butler_kit.time import Clock

__all__ = ["LEEWAY_S", "TokenVerifier"]

LEEWAY_S: Final = 30
"""How far two machines' clocks may differ."""
_MAX_TOKEN_CHARS: Final = 8192
_REMEMBERED: Final = 8192
"""Size of the LRU cache of verified tokens: more than a large household has, some 20 MB."""
_REQUIRED: Final = ("iss", "aud", "sub", "iat", "nbf", "exp")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Verified:
    """A token with verified signature and claims; its times and the deny list are checked at each use."""

    bearer: Caller | ServiceAccount
    claims: Mapping[str, Any]


class TokenVerifier:
    """Verifies tokens for one receiver; key set and deny list are reloaded when they change.

    `subjects` gives the cluster's service accounts their standing; without it they are refused.
    """

    def __init__(
        self,
        jwks_file: Path,
        audience: str,
        clock: Clock,
        revoked_file: Path | None = None,
        *,
        subjects: SubjectDirectory | None = None,
    ) -> None:
        self._audience = audience
        self._clock = clock
        self._keys = WatchedFile(jwks_file, parse_jwks, clock=clock)
        self._denied = (
            WatchedFile(revoked_file, parse_deny_list, clock=clock, absent=DenyList())
            if revoked_file is not None
            else None
        )
        self._subjects = subjects or SubjectDirectories()
        self._remembered: OrderedDict[bytes, _Verified] = OrderedDict()
        self._warned: dict[str, str] = {}
        self._remembered_for: Mapping[str, PublicKey] | None = None

    def verify(self, token: str) -> Caller:
        """Return the caller a token proves; `Unauthenticated` with the reason otherwise."""
        keys = self._keys.get()
        if keys is not self._remembered_for:
            self._remembered, self._remembered_for = OrderedDict(), keys
        digest = sha256(token.encode("utf-8", "surrogatepass")).digest()
        verified = self._remembered.get(digest)
        if verified is None:
            verified = self._settle(token, keys)
            self._remember(digest, verified)
        else:
            self._remembered.move_to_end(digest)
        self._check_now(verified)
        bearer = verified.bearer
        if isinstance(bearer, Caller):
            return bearer
        return bearer.as_caller(self._subjects.find(bearer.subject))

    def _settle(self, token: str, keys: Mapping[str, PublicKey]) -> _Verified:
        key = _key_for(token, keys)
        try:
            claims = jwt.decode(
                token,
                key.key,
                algorithms=[key.algorithm],
                audience=self._audience,
                issuer=key.issuer,
                # Times are checked by our own clock; PyJWT would read the machine's.
                options={
                    # Kubernetes gives its tokens an id from 1.30 on, and their audience as a list.
                    "require": list(_REQUIRED) if key.of_cluster else [*_REQUIRED, "jti"],
                    "strict_aud": not key.of_cluster,
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
        except jwt.PyJWTError as error:
            raise Unauthenticated(_reason(error, self._audience, key.issuer)) from None
        if not key.of_cluster:
            return _Verified(caller_from_claims(claims, key.issuer), claims)
        signed_text = token.rpartition(".")[0]
        return _Verified(service_account_of(claims, audience=self._audience, signed_text=signed_text), claims)

    def _check_now(self, verified: _Verified) -> None:
        now, bearer = self._clock.now(), verified.bearer
        check_times(verified.claims, now, leeway_s=LEEWAY_S)
        issued_at = datetime.fromtimestamp(verified.claims["iat"], UTC)
        if self._denied is not None and self._denied.get().denies(
            token_id=bearer.token_id, subject=bearer.subject, issued_at=issued_at
        ):
            raise Unauthenticated(f"the token of '{bearer.subject}' was revoked; issue a new one")
        if self._warned.get(bearer.subject) != bearer.token_id and warns_of_expiry(verified.claims, now):
            self._warned[bearer.subject] = bearer.token_id
            _log.warning(
                "the static token of '%s' expires at %s; issue a new one", bearer.subject, bearer.expires_at
            )

    def _remember(self, digest: bytes, verified: _Verified) -> None:
        if len(self._remembered) >= _REMEMBERED:
            self._remembered.popitem(last=False)
        self._remembered[digest] = verified


def _key_for(token: str, keys: Mapping[str, PublicKey]) -> PublicKey:
    if not token or len(token) > _MAX_TOKEN_CHARS:
        raise Unauthenticated("the bearer token is empty or too long; send the token of this process")
    header = _header_of(token)
    if header.get("alg") not in ALGORITHMS:
        raise Unauthenticated(f"the token is not signed with {' or '.join(ALGORITHMS)}")
    key = keys.get(header["kid"]) if isinstance(header.get("kid"), str) else None
    if key is None:
        raise Unauthenticated("the token's key is not in this receiver's key set; issue a new token")
    if header["alg"] != key.algorithm:
        raise Unauthenticated(f"the token's key signs with {key.algorithm} and nothing else")
    return key


def _header_of(token: str) -> dict[str, Any]:
    """Return the token's header. PyJWT would parse the whole token for it, and again to verify it."""
    try:
        header = json.loads(base64url_decode(token.partition(".")[0]))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or token.count(".") != 2 or not token.isascii():
        raise Unauthenticated("the bearer token is not a JWT; send the token of this process")
    return header


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
