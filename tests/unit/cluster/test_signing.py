"""A signature is by a key and about a digest; a key that cannot be used is refused with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from images.push.refused import Refused
from images.push.signing import claimed_digest, is_by, payload, private_key, public_key, sign

DIGEST = "sha256:" + "a" * 64


def test_the_payload_is_byte_for_byte_what_cosign_writes() -> None:
    """As encoding/json writes SimpleContainerImage of sigstore's pkg/signature/payload."""
    assert payload("reg.example/house/butlers", DIGEST) == (
        b'{"critical":{"identity":{"docker-reference":"reg.example/house/butlers"},'
        b'"image":{"docker-manifest-digest":"' + DIGEST.encode() + b'"},'
        b'"type":"cosign container image signature"},"optional":null}'
    )


def test_a_signature_is_by_its_key_over_its_text_alone() -> None:
    key, other = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    text = payload("reg.example/house/butlers", DIGEST)
    signature = sign(key, text)
    assert is_by(key.public_key(), text, signature)
    assert not is_by(other.public_key(), text, signature)
    assert not is_by(key.public_key(), text + b" ", signature)
    assert not is_by(key.public_key(), text, "no base64!")


@pytest.mark.parametrize(
    "text", [b"", b"[]", b'{"critical": {}}', payload("a", DIGEST).replace(b"cosign", b"atomic")]
)
def test_what_is_no_payload_of_an_image_claims_nothing(text: bytes) -> None:
    assert claimed_digest(text) is None
    assert claimed_digest(payload("a", DIGEST)) == DIGEST


def written(
    folder: Path, key: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey, password: bytes = b""
) -> Path:
    encryption = BestAvailableEncryption(password) if password else NoEncryption()
    (folder / "team.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    return folder / "team.key"


def test_an_encrypted_key_is_opened_by_its_password_alone(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    file = written(tmp_path, key, b"open sesame")
    assert private_key(file, "open sesame").public_key() == key.public_key()
    with pytest.raises(Refused, match="is encrypted; SIGN_KEY_PASSWORD"):
        private_key(file, None)
    with pytest.raises(Refused, match="SIGN_KEY_PASSWORD is not its password"):
        private_key(file, "wrong")


def test_a_key_of_another_kind_is_refused_with_how_one_is_made(tmp_path: Path) -> None:
    for key in (ed25519.Ed25519PrivateKey.generate(), ec.generate_private_key(ec.SECP384R1())):
        with pytest.raises(Refused, match="is not of ECDSA on P-256; one is made by: openssl genpkey"):
            private_key(written(tmp_path, key), None)
    with pytest.raises(Refused, match="is no public key; one is made by: openssl pkey"):
        public_key(written(tmp_path, ec.generate_private_key(ec.SECP256R1())))
    with pytest.raises(Refused, match="cannot be read: No such file"):
        public_key(tmp_path / "none.pub")
