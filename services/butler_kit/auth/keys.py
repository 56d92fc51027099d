"""Our own Ed25519 keys as PEM files and as entries of a key set (D2, RFC 8037)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from jwt.utils import base64url_encode

from butler_kit.auth.errors import KeyFileError

__all__ = [
    "generate_key_pair",
    "key_id",
    "load_private_key",
    "new_private_key_pem",
    "parse_private_key",
    "public_jwk",
    "write_jwks",
]

_RESTORE: Final = "restore it from a backup; without one remove it, and `butlers up` makes another"


def generate_key_pair(path: Path, issuer: str) -> dict[str, str]:
    """Write a new private key to `path` (PEM, mode 0600, refusing to overwrite) and return its public JWK."""
    pem = new_private_key_pem()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
    return public_jwk(parse_private_key(pem), issuer)


def new_private_key_pem() -> bytes:
    """Make a new Ed25519 private key, as unencrypted PKCS #8 PEM."""
    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


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
        return parse_private_key(path.read_bytes())
    except OSError as error:
        raise KeyFileError(f"{path} cannot be read ({error.strerror}); restore the signing key") from None
    except ValueError as error:
        raise KeyFileError(f"{path} {error}; {_RESTORE}") from None


def parse_private_key(pem: bytes) -> Ed25519PrivateKey:
    """Read a PEM private key; `ValueError` when it is broken or not Ed25519."""
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ValueError("is not an unencrypted PEM private key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("is not an Ed25519 key")
    return key
