"""Ed25519 keys as JWKS and PEM files: each verification key vouches for one issuer only (D2, RFC 8037)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from jwt.utils import base64url_decode, base64url_encode

from butler_kit.auth.errors import KeyFileError

__all__ = [
    "ISSUER_LOCAL",
    "ISSUER_SWITCHBOARD",
    "PublicKey",
    "generate_key_pair",
    "key_id",
    "load_private_key",
    "parse_jwks",
    "public_jwk",
    "write_jwks",
]

ISSUER_LOCAL: Final = "butlers.dev/local"
"""The household's authority: may name callers of any role."""
ISSUER_SWITCHBOARD: Final = "butlers.dev/switchboard"
"""Switchboard's own calls to butlers: vouches for the subject `switchboard` and nobody else."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A verification key and the only issuer it may vouch for."""

    issuer: str
    key: Ed25519PublicKey


def generate_key_pair(path: Path, issuer: str) -> dict[str, str]:
    """Write a new private key to `path` (PEM, mode 0600, refusing to overwrite) and return its public JWK."""
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
    return public_jwk(private, issuer)


def public_jwk(private: Ed25519PrivateKey, issuer: str) -> dict[str, str]:
    """Return the JWK of a private key's public half, with our member `iss`."""
    raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return {
        "kty": "OKP",
        "crv": "Ed25519",
        "use": "sig",
        "alg": "EdDSA",
        "kid": key_id(private),
        "iss": issuer,
        "x": base64url_encode(raw).decode(),
    }


def key_id(private: Ed25519PrivateKey) -> str:
    """Return a key's RFC 7638 thumbprint, which serves as its `kid`."""
    from hashlib import sha256

    raw = private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    canonical = f'{{"crv":"Ed25519","kty":"OKP","x":"{base64url_encode(raw).decode()}"}}'
    return base64url_encode(sha256(canonical.encode()).digest()).decode()


def write_jwks(path: Path, keys: Sequence[Mapping[str, str]]) -> None:
    """Replace the JWKS file in one step, so that a reader never sees half of it."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps({"keys": [dict(key) for key in keys]}, indent=1) + "\n", encoding="utf-8")
    beside.chmod(0o644)
    beside.replace(path)


def load_private_key(path: Path) -> Ed25519PrivateKey:
    """Read a PEM private key; `KeyFileError` when it is missing or not Ed25519."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read ({error.strerror}); restore the signing key") from None
    except (ValueError, TypeError):
        raise KeyFileError(f"{path} is not an unencrypted PEM private key; create it again") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(f"{path} is not an Ed25519 key; create it again")
    return key


def parse_jwks(content: bytes) -> dict[str, PublicKey]:
    """Read a key set into `{kid: PublicKey}`; key types that are not ours are passed over (RFC 7517 §5).

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
        if isinstance(entry, dict) and entry.get("kty") == "OKP" and entry.get("crv") == "Ed25519":
            kid, key = _public_key(entry)
            if kid in found:
                raise ValueError(f"names the key id '{kid}' twice")
            found[kid] = key
    if not found:
        raise ValueError("holds no Ed25519 key")
    return found


def _public_key(entry: Mapping[str, Any]) -> tuple[str, PublicKey]:
    kid, issuer, x = entry.get("kid"), entry.get("iss"), entry.get("x")
    if not (isinstance(kid, str) and kid and isinstance(x, str)):
        raise ValueError("holds a key without kid or x")
    if issuer not in (ISSUER_LOCAL, ISSUER_SWITCHBOARD):
        raise ValueError(f"binds the key '{kid}' to no known issuer (member iss)")
    try:
        return kid, PublicKey(issuer, Ed25519PublicKey.from_public_bytes(base64url_decode(x)))
    except ValueError:
        raise ValueError(f"holds a broken key '{kid}'") from None
