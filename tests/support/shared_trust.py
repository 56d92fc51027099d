"""Clients of HTTP in this process share what they trust: to read the authorities' bundle costs each 21 ms of CPU.

A run makes some thousands of clients, nearly all for plain HTTP on this machine. What the environment may say about
trust is part of the key, so that a test that sets it gets a context of its own.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from typing import Any

import httpx._transports.default
import httpx2._transports.default

__all__ = ["share_trust"]

_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_Make = Callable[..., ssl.SSLContext]


def share_trust() -> None:
    """Have httpx, and its copy that the MCP SDK uses, make one context for all who ask for nothing particular."""
    for default in (httpx._transports.default, httpx2._transports.default):
        default.create_ssl_context = _shared(default.create_ssl_context)  # type: ignore[attr-defined]


def _shared(make: _Make) -> _Make:
    made: dict[tuple[str | None, ...], ssl.SSLContext] = {}

    def shared(verify: Any = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
        if verify is not True or cert is not None:
            return make(verify=verify, cert=cert, trust_env=trust_env)
        key = tuple(os.environ.get(name) if trust_env else None for name in _VARIABLES)
        if key not in made:
            made[key] = make(verify=True, trust_env=trust_env)
        return made[key]

    return shared
