"""The household's own authority: key pairs, key set, and the short-lived tokens of its processes (D2, D3).

Two issuers: the local authority vouches for any role, the Switchboard's key only for the Switchboard. Tokens of
processes live an hour and are replaced when half of that is gone, so a stopped supervisor revokes them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from butler_cli.local.state import StateDir, write_private
from butler_kit.auth import DenyList, write_deny_list
from butler_kit.auth.jwks import ISSUER_LOCAL, ISSUER_SWITCHBOARD
from butler_kit.auth.keys import generate_key_pair, load_private_key, public_jwk, write_jwks
from butler_kit.auth.signer import TokenSigner, audience_of, connector_claims
from butler_kit.time import Clock, SystemClock

if TYPE_CHECKING:
    # Only a start reads manifests; the verbs that ask a running household need not wait for their models.
    from butler_resources.kinds import Butler, Connector

__all__ = [
    "PROCESS_TOKEN_TTL_S",
    "TokenGrant",
    "dashboard_token",
    "ensure_keys",
    "grant_for_butler",
    "grant_for_connector",
    "local_key_file",
    "operator_token",
    "sign_token",
    "switchboard_key_file",
    "write_tokens",
]

PROCESS_TOKEN_TTL_S: Final = 3600
"""Longest life of a process's token (D2)."""
REWRITE_AFTER_S: Final = PROCESS_TOKEN_TTL_S / 2
DASHBOARD_SESSION_S: Final = 12 * 3600
"""How long a browser that opened a one-time link stays signed in."""


@dataclass(frozen=True)
class TokenGrant:
    """The subject and claims of one process's token."""

    subject: str
    claims: Mapping[str, Any]


def local_key_file(state: StateDir) -> Path:
    """Private key of the household's authority."""
    return state.keys_dir / "local.pem"


def switchboard_key_file(state: StateDir) -> Path:
    """Private key with which Switchboard signs its calls to butlers."""
    return state.keys_dir / "switchboard.pem"


def ensure_keys(state: StateDir) -> None:
    """Create what is missing of keys, key set and deny list; existing keys stay."""
    keys = []
    for path, issuer in (
        (local_key_file(state), ISSUER_LOCAL),
        (switchboard_key_file(state), ISSUER_SWITCHBOARD),
    ):
        if path.exists():
            keys.append(public_jwk(load_private_key(path), issuer))
        else:
            keys.append(generate_key_pair(path, issuer))
    write_jwks(state.jwks_file, keys)
    if not state.revoked_file.exists():
        write_deny_list(state.revoked_file, DenyList())


def grant_for_butler(butler: Butler) -> TokenGrant:
    """Return a butler's grant: it registers and answers only under its own name."""
    return TokenGrant(butler.name, {"role": "butler", "name": butler.name})


def grant_for_connector(connector: Connector) -> TokenGrant:
    """Return a connector's grant: it submits only for its own source, up to its tier."""
    spec = connector.spec
    return TokenGrant(connector.name, connector_claims(spec.type, spec.endpoint_identity, spec.max_tier))


def sign_token(
    state: StateDir, grant: TokenGrant, *, audience: str, ttl_s: int, clock: Clock | None = None
) -> str:
    """Sign a token of the local authority for `audience`, a receiver's name such as `switchboard`."""
    signer = TokenSigner(local_key_file(state), ISSUER_LOCAL, clock or SystemClock())
    return signer.sign(audience_of(audience), grant.subject, ttl_s, grant.claims)


def operator_token(state: StateDir, *, audience: str = "switchboard", ttl_s: int = 300) -> str:
    """Return a token with which a command line verb calls a service as the household's operator."""
    return sign_token(state, TokenGrant("operator", {"role": "operator"}), audience=audience, ttl_s=ttl_s)


def dashboard_token(state: StateDir) -> str:
    """Return a token for a browser's session at the dashboard, never renewed there, valid nowhere else."""
    grant = TokenGrant("household", {"role": "dashboard", "static": True})
    return sign_token(state, grant, audience="dashboard", ttl_s=DASHBOARD_SESSION_S)


def write_tokens(state: StateDir, grants: Iterable[tuple[str, TokenGrant]]) -> None:
    """Give each process (name, grant) a fresh token for Switchboard."""
    for process, grant in grants:
        token = sign_token(state, grant, audience="switchboard", ttl_s=PROCESS_TOKEN_TTL_S)
        write_private(state.token_file(process), token + "\n")
