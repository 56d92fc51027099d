"""Key sets (RFC 7517): which public key vouches for which issuer, with which algorithm (D2, RFC 7518, RFC 8037).

Invariant: a key has one issuer and one algorithm. Our own issuers sign with Ed25519 alone; an RSA or P-256 key is one
of the cluster's service-account keys and never vouches for us.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePublicKey,
    EllipticCurvePublicNumbers,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from jwt.utils import base64url_decode

__all__ = ["ALGORITHMS", "ISSUER_LOCAL", "ISSUER_SWITCHBOARD", "PublicKey", "parse_jwks"]

ISSUER_LOCAL: Final = "butlers.dev/local"
"""The household's authority: may name callers of any role."""
ISSUER_SWITCHBOARD: Final = "butlers.dev/switchboard"
"""Switchboard's own calls to butlers: vouches for the subject `switchboard` and nobody else."""
ALGORITHMS: Final = ("EdDSA", "RS256", "ES256")
"""EdDSA is ours; RS256 and ES256 are what API servers sign service-account tokens with."""
_OWN: Final = frozenset({ISSUER_LOCAL, ISSUER_SWITCHBOARD})
_RSA_BITS_MIN: Final = 2048


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A verification key, the only issuer it may vouch for and the only algorithm it may be used with."""

    issuer: str
    algorithm: str
    key: Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey

    @property
    def of_cluster(self) -> bool:
        """Whether it signs service-account tokens, whose claims name no role."""
        return self.issuer not in _OWN


def parse_jwks(content: bytes) -> dict[str, PublicKey]:
    """Read a key set into `{kid: PublicKey}`; other key types are skipped (RFC 7517 §5).

    Raises `ValueError` when the text is no key set, holds a broken key of ours, or no usable key at all.
    """
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("is not JSON") from None
    if not isinstance(document, dict) or not isinstance(document.get("keys"), list):
        raise ValueError("is not a JWKS document with a list of keys")
    found: dict[str, PublicKey] = {}
    for entry in document["keys"]:
        if isinstance(entry, dict) and (algorithm := _algorithm(entry)) is not None:
            kid, key = _public_key(entry, algorithm)
            if kid in found:
                raise ValueError(f"names the key id '{kid}' twice")
            found[kid] = key
    if not found:
        raise ValueError("holds no Ed25519, RSA or P-256 key")
    return found


def _algorithm(entry: Mapping[str, Any]) -> str | None:
    """Return the algorithm a key is for; None for a key that is not ours."""
    match entry.get("kty"), entry.get("crv"):
        case "OKP", "Ed25519":
            algorithm = "EdDSA"
        case "RSA", _:
            algorithm = "RS256"
        case "EC", "P-256":
            algorithm = "ES256"
        case _:
            return None
    ours = entry.get("use", "sig") == "sig" and entry.get("alg", algorithm) == algorithm
    return algorithm if ours else None


def _public_key(entry: Mapping[str, Any], algorithm: str) -> tuple[str, PublicKey]:
    kid, issuer = entry.get("kid"), entry.get("iss")
    if not (isinstance(kid, str) and kid):
        raise ValueError("holds a key without kid")
    if not (isinstance(issuer, str) and issuer and (issuer in _OWN) == (algorithm == "EdDSA")):
        raise ValueError(f"binds the key '{kid}' to no issuer that signs with {algorithm} (member iss)")
    try:
        return kid, PublicKey(issuer, algorithm, _READERS[algorithm](entry))
    except (ValueError, TypeError):
        raise ValueError(f"holds a broken or weak key '{kid}'") from None


def _ed25519(entry: Mapping[str, Any]) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(_octets(entry, "x"))


def _rsa(entry: Mapping[str, Any]) -> RSAPublicKey:
    key = RSAPublicNumbers(e=_number(entry, "e"), n=_number(entry, "n")).public_key()
    if key.key_size < _RSA_BITS_MIN:
        raise ValueError("too short")
    return key


def _p256(entry: Mapping[str, Any]) -> EllipticCurvePublicKey:
    return EllipticCurvePublicNumbers(_number(entry, "x"), _number(entry, "y"), SECP256R1()).public_key()


def _number(entry: Mapping[str, Any], member: str) -> int:
    return int.from_bytes(_octets(entry, member), "big")


def _octets(entry: Mapping[str, Any], member: str) -> bytes:
    value = entry.get(member)
    if not isinstance(value, str):
        raise ValueError(f"lacks {member}")
    return base64url_decode(value)


_READERS: Final[
    Mapping[str, Callable[[Mapping[str, Any]], Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey]]
] = MappingProxyType({"EdDSA": _ed25519, "RS256": _rsa, "ES256": _p256})
