"""Clients of HTTP in this process share what they trust: to read the authorities' bundle costs each 21 ms of CPU.

A run makes some thousands of clients, nearly all for plain HTTP on this machine. What the environment may say about
trust is part of the key, so that a test that sets it gets a context of its own.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import httpx._transports.default
import httpx2._transports.default

__all__ = ["share_cluster_trust", "share_trust"]

_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_Make = Callable[..., ssl.SSLContext]


def share_trust() -> None:
    """Have httpx, and its copy that the MCP SDK uses, make one context for all who ask for nothing particular."""
    for default in (httpx._transports.default, httpx2._transports.default):
        default.create_ssl_context = _shared(default.create_ssl_context)  # type: ignore[attr-defined]


def share_cluster_trust() -> None:
    """The same for the client of Kubernetes, whose import is dear: for whoever has it anyway."""
    from kubernetes.aio.client import rest

    shared = SimpleNamespace(**vars(ssl) | {"create_default_context": _default_context})
    rest.ssl = shared  # type: ignore[assignment,attr-defined]


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


def _default_context(*, cafile: str | None, cadata: str | None) -> ssl.SSLContext:
    """As `ssl.create_default_context`; the client changes nothing in a context that has no certificate of its own."""
    if cafile or cadata:
        return ssl.create_default_context(cafile=cafile, cadata=cadata)
    return _system_context()


@cache
def _system_context() -> ssl.SSLContext:
    return ssl.create_default_context()
