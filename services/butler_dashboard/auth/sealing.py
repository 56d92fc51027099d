"""A secret that stands for a token without being one: what is kept of both (pure).

Invariant: whoever reads what is kept can neither find the secret nor the token; whoever reads a secret has no token.
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
    """Of the secrets of one kind; another kind has other digests and keys."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def digest(self, secret: str) -> bytes:
        """Under which the secret is looked up; how long that takes tells nothing of it."""
        return self._hash("id", secret)

    def close(self, secret: str, token: str) -> bytes:
        """`token`, for whoever has `secret`."""
        return self._cipher(secret).encrypt(_NONCE, token.encode(), None)

    def open(self, secret: str, sealed: bytes | None) -> str | None:
        """The token; None when nothing was kept, or not with this secret."""
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
