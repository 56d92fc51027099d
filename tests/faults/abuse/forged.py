"""Tokens that nobody issued, made of what a stranger may know: the public keys, and one token that was good once."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["FORGERIES", "forged"]

FORGERIES = (
    "none", "empty bearer", "basic", "cut", "without signature", "algorithm none", "signed with a public key",
    "key id is a path", "own key in the header", "own key set in the header", "changed signature", "changed claims",
    "a megabyte",
)  # fmt: skip


def forged(kind: str, good: str, jwks_file: Path) -> list[str | None]:
    """The Authorization values of that kind; None is no header at all. `good` is a token that the port takes."""
    if kind in _PLAIN:
        return [_PLAIN[kind](good)]
    if good.count(".") != 2:
        # The webhook's token is no signed one: whatever is signed is as foreign to it as anything.
        good = f"{_part({'alg': 'ES256', 'kid': 'x'})}.{_part({'sub': 'x'})}.{_code(b'x' * 64)}"
    header, claims, signature = good.split(".")
    said = json.loads(_bytes(header))
    keys = json.loads(jwks_file.read_text("utf-8"))["keys"]
    made = {
        "without signature": [f"{header}.{claims}."],
        "algorithm none": [f"{_part({**said, 'alg': alg})}.{claims}." for alg in ("none", "None", "NONE")],
        "signed with a public key": [
            _signed(said, claims, secret) for key in keys for secret in _secrets(key)
        ],
        "key id is a path": [
            _signed({**said, "kid": kid}, claims, b"")
            for kid in ("/dev/null", "../../../dev/null", "x' OR '1'='1")
        ],
        "own key in the header": [
            f"{_part({**said, 'jwk': key})}.{claims}.{signature[::-1]}" for key in keys
        ],
        "own key set in the header": [
            f"{_part({**said, 'jku': 'http://127.0.0.1:9/keys', 'x5u': 'http://127.0.0.1:9/x'})}.{claims}.{signature}"
        ],
        "changed signature": [
            f"{header}.{claims}.{signature[:-4]}AAAA",
            f"{header}.{claims}.{_code(bytes(64))}",
        ],
        "changed claims": [
            f"{header}.{_part({**json.loads(_bytes(claims)), 'sub': 'somebody'})}.{signature}"
        ],
    }
    return [f"Bearer {token}" for token in made[kind]]


_PLAIN: Mapping[str, Any] = {
    "none": lambda _: None,
    "empty bearer": lambda _: "Bearer ",
    "basic": lambda good: f"Basic {_code(f'operator:{good}'.encode())}",
    "cut": lambda good: f"Bearer {good[: len(good) // 2]}",
    "a megabyte": lambda good: f"Bearer {good}{'a' * 1_000_000}",
}


def _signed(header: dict[str, Any], claims: str, secret: bytes) -> str:
    """HS256 where a public key is expected: the classic confusion."""
    head = _part({**header, "alg": "HS256"})
    digest = hmac.new(secret, f"{head}.{claims}".encode(), hashlib.sha256).digest()
    return f"{head}.{claims}.{_code(digest)}"


def _secrets(key: dict[str, Any]) -> list[bytes]:
    """What a careless verifier might take as the shared secret of this public key."""
    return [json.dumps(key).encode(), json.dumps(key, separators=(",", ":")).encode(), _bytes(key["x"])]


def _part(data: Mapping[str, Any]) -> str:
    return _code(json.dumps(data).encode())


def _code(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
