"""Signing of tokens: the household's authority for its processes, Switchboard for its calls to butlers (D2).

Invariant: a token names the key that signed it; a changed key file is read again, a broken one is never used.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from butler_kit.auth.files import WatchedFile
from butler_kit.auth.keys import key_id, parse_private_key
from butler_kit.time import Clock

__all__ = ["TokenSigner", "audience_of", "connector_claims"]

_RESERVED: Final = frozenset({"iss", "aud", "sub", "iat", "nbf", "exp"})


def audience_of(receiver: str) -> str:
    """Return the audience of a receiver: `butlers.dev/switchboard`, `butlers.dev/finance`."""
    return f"butlers.dev/{receiver}"


def connector_claims(connector_type: str, endpoint_identity: str, max_tier: str) -> dict[str, Any]:
    """Return the claims that bind a token to one source (D3)."""
    binding = {"type": connector_type, "endpoint_identity": endpoint_identity, "max_tier": max_tier}
    return {"role": "connector", "connector": binding}


class TokenSigner:
    """Signs EdDSA tokens with the private key that its file holds, for one issuer.

    Raises `KeyFileError` when there is no usable key at the start; later the last good key stays.
    """

    def __init__(self, key_file: Path, issuer: str, clock: Clock) -> None:
        self._keys = WatchedFile(key_file, _signing_key, clock=clock)
        self._issuer = issuer
        self._clock = clock

    def sign(self, audience: str, subject: str, ttl_s: int, claims: Mapping[str, Any]) -> str:
        """Return a token for `audience` that ends in `ttl_s` seconds; `claims` adds role, name, jti …

        `static=True` among the claims marks a token that nobody renews: it gets `expires_at` and may live up
        to 90 days (CNX-16.2). Raises `ValueError` for claims that the signer itself decides.
        """
        clash = _RESERVED & set(claims)
        if clash:
            raise ValueError(f"the signer sets {', '.join(sorted(clash))} itself")
        issued = int(self._clock.now().timestamp())
        payload = {"jti": str(uuid4()), **claims}
        if payload.pop("static", False):
            payload["expires_at"] = issued + ttl_s
        payload |= {
            "iss": self._issuer,
            "aud": audience,
            "sub": subject,
            "iat": issued,
            "nbf": issued,
            "exp": issued + ttl_s,
        }
        key, kid = self._keys.get()
        return jwt.encode(payload, key, algorithm="EdDSA", headers={"kid": kid})


def _signing_key(pem: bytes) -> tuple[Ed25519PrivateKey, str]:
    private = parse_private_key(pem)
    return private, key_id(private)
