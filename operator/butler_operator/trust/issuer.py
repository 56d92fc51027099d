"""The cluster's own issuer of service-account tokens, as its discovery documents describe it (D2; KEP-1393).

Invariant: only public members of the cluster's keys are copied, each key bound to the cluster's issuer, and only keys
that the verifier itself accepts; omitted keys are reported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD, parse_jwks

__all__ = ["ClusterIssuer", "discovered"]

_MEMBERS: Final = ("kty", "use", "alg", "kid", "n", "e", "crv", "x", "y")
Jwk = dict[str, Any]


@dataclass(frozen=True)
class ClusterIssuer:
    """The issuer's name, its usable keys by `kid`, and why others are left out."""

    issuer: str
    keys: tuple[Jwk, ...]
    left_out: tuple[str, ...] = ()


def discovered(configuration: Mapping[str, Any], jwks: Mapping[str, Any]) -> ClusterIssuer:
    """Read `/.well-known/openid-configuration` and `/openid/v1/jwks`.

    Raises `ValueError` when they name no issuer or one of ours, or hold no key that can be used.
    """
    issuer = configuration.get("issuer")
    if not isinstance(issuer, str) or not issuer or issuer in (ISSUER_LOCAL, ISSUER_SWITCHBOARD):
        raise ValueError("the API server's openid-configuration names no issuer of its own")
    entries = jwks.get("keys")
    keys: dict[str, Jwk] = {}
    left_out: list[str] = []
    for entry in entries if isinstance(entries, list) else []:
        key = {name: entry[name] for name in _MEMBERS if name in entry} | {"iss": issuer}
        problem = _unusable(key)
        if problem is None:
            keys[key["kid"]] = key
        else:
            left_out.append(problem)
    if not keys:
        because = f": {'; '.join(left_out)}" if left_out else ""
        raise ValueError(f"the API server has no RS256 or ES256 key for service accounts{because}")
    return ClusterIssuer(issuer, tuple(keys[kid] for kid in sorted(keys)), tuple(left_out))


def _unusable(key: Jwk) -> str | None:
    try:
        parse_jwks(json.dumps({"keys": [key]}).encode())
    except ValueError as error:
        return f"key {str(key.get('kid'))[:60]} ({key.get('alg')}) {error}"
    return None
