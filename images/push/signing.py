"""Sign a manifest's digest, and check whether a signature is by a key: cosign's format, without its services.

The signed text is cosign's payload (sigstore, pkg/signature/payload), the signature ECDSA on P-256 over SHA-256,
as its SIGNATURE_SPEC.md requires. There is no transparency log: the public key is enough to check, without a network.
"""

from __future__ import annotations

import base64
import binascii
import json
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from images.push.refused import Refused

__all__ = ["claimed_digest", "is_by", "payload", "private_key", "public_key", "sign"]

TYPE = "cosign container image signature"
SCHEME = ec.ECDSA(hashes.SHA256())
HOW = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out team.key"


def payload(repository: str, digest: str) -> bytes:
    """Return what is signed: this digest. The repository is for people and is not checked, so a copy stays signed."""
    critical = {
        "identity": {"docker-reference": repository},
        "image": {"docker-manifest-digest": digest},
        "type": TYPE,
    }
    return json.dumps({"critical": critical, "optional": None}, separators=(",", ":")).encode()


def claimed_digest(signed: bytes) -> str | None:
    """Return the digest that a payload is about; None if it is no payload of an image."""
    try:
        critical = json.loads(signed)["critical"]
        return str(critical["image"]["docker-manifest-digest"]) if critical["type"] == TYPE else None
    except (ValueError, KeyError, TypeError):
        return None


def private_key(file: Path, password: str | None) -> ec.EllipticCurvePrivateKey:
    """Read SIGN_KEY=…, a PEM file; `password` opens an encrypted one."""
    try:
        found = load_pem_private_key(_read(file), password.encode() if password else None)
    except TypeError:
        told = "is encrypted" if not password else "is not encrypted"
        raise Refused(f"key {file} {told}; SIGN_KEY_PASSWORD is for encrypted ones") from None
    except (ValueError, UnsupportedAlgorithm):
        raise Refused(
            f"key {file} cannot be read, or SIGN_KEY_PASSWORD is not its password; a key is made by {HOW}"
        ) from None
    if not isinstance(found, ec.EllipticCurvePrivateKey) or not isinstance(found.curve, ec.SECP256R1):
        raise _not_p256(file)
    return found


def public_key(file: Path) -> ec.EllipticCurvePublicKey:
    """Read VERIFY_KEY=…, a PEM file."""
    try:
        found = load_pem_public_key(_read(file))
    except (ValueError, UnsupportedAlgorithm):
        raise Refused(
            f"{file} is no public key; one is made by: openssl pkey -in team.key -pubout -out team.pub"
        ) from None
    if not isinstance(found, ec.EllipticCurvePublicKey) or not isinstance(found.curve, ec.SECP256R1):
        raise _not_p256(file)
    return found


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise Refused(f"key {file} cannot be read: {error.strerror}") from None


def _not_p256(file: Path) -> Refused:
    return Refused(f"key {file} is not of ECDSA on P-256; one is made by: {HOW}")


def sign(key: ec.EllipticCurvePrivateKey, content: bytes) -> str:
    """Return the signature, as the annotation contains it."""
    return base64.b64encode(key.sign(content, SCHEME)).decode()


def is_by(key: ec.EllipticCurvePublicKey, content: bytes, signature: str) -> bool:
    try:
        key.verify(base64.b64decode(signature, validate=True), content, SCHEME)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True
