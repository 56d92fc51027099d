"""Sealing of tokens with the secrets that stand for them (pure).

Invariant: the stored values reveal neither the secret nor the token, and a secret alone reveals no token.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

__all__ = ["Seal"]

_NONCE: Final = bytes(12)
"""Each key seals one token once."""


class Seal:
    """Digests and seals for one kind of secret; each kind has its own digests and keys."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def digest(self, secret: str) -> bytes:
        """Return the digest to look the secret up by; the lookup's duration reveals nothing about it."""
        return self._hash("id", secret)

    def close(self, secret: str, token: str) -> bytes:
        """Return `token`, encrypted under `secret`."""
        return self._cipher(secret).encrypt(_NONCE, token.encode(), None)

    def open(self, secret: str, sealed: bytes | None) -> str | None:
        """Return the token; None when nothing was stored, or it was sealed with another secret."""
        if sealed is None:
            return None
        try:
            return self._cipher(secret).decrypt(_NONCE, sealed, None).decode()
        except InvalidTag:
            return None

    def _cipher(self, secret: str) -> AESGCM:
        return AESGCM(self._hash("key", secret))

    def _hash(self, use: str, secret: str) -> bytes:
        return sha256(
            f"butlers {self._kind} {use}\0".encode() + secret.encode("utf-8", "surrogatepass")
        ).digest()
