"""Do once in the parent, while it imports, what every process of a household does first (ADR 0019).

The first time fills caches: of libraries, of abstract base classes, of OpenSSL. A process that is forked afterwards
finds them filled and shares them with the others. Nothing is opened, and nothing here is secret.
"""

from __future__ import annotations

import argparse
import ssl
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from butler_kit.config import parse_config
from butler_kit.mcp.tools import schema_for
from butler_kit.telemetry import SPAWNER, Metrics
from butler_specialist.settings import SpecialistConfig

__all__: list[str] = []

_PUBLIC_KEY: Final = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
"""Test 1 of RFC 8032."""
_BUTLER_TOML: Final = '[butler]\nname = "rehearsed"\nrole = "specialist"\nport = 1\nprofile = "general"\n'


def _rehearse() -> None:
    argparse.ArgumentParser(prog="butlers", description="rehearsed").add_argument("--config", type=Path)
    Ed25519PublicKey.from_public_bytes(_PUBLIC_KEY)
    ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    schema_for({"type": "object", "properties": {"one": {"type": "object"}}, "required": ["one"]})
    parse_config(_BUTLER_TOML, "rehearsed", SpecialistConfig, {})
    Metrics(SPAWNER)


_rehearse()
