"""Which butlers ask a model, and with which key (pure): those with sessions, so not Messenger (D57, D63)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_resources.kinds import Butler, SecretRef
from butler_resources.kinds.tools import token_variable

__all__ = ["HAVE_SESSIONS", "asks_a_model", "model_key", "tool_tokens"]

HAVE_SESSIONS: Final = frozenset({"switchboard", "specialist"})


def asks_a_model(butler: Butler) -> bool:
    """Whether its sessions ask a model, over HTTP or through a command line.

    A command line with neither an address nor a key asks nobody, so its butler needs no egress.
    """
    runtime = butler.spec.runtime
    named = runtime.family == "api" or runtime.base_url is not None or runtime.api_key_secret_ref is not None
    return runtime.family != "rules" and named and butler.spec.role in HAVE_SESSIONS


def model_key(butler: Butler) -> SecretRef | None:
    """Return the secret with its model's key, if it has one."""
    return butler.spec.runtime.api_key_secret_ref if asks_a_model(butler) else None


def tool_tokens(butler: Butler) -> Mapping[str, SecretRef]:
    """Return the secrets with the tokens of its tool servers, by variable."""
    return {
        token_variable(server): server.token_secret_ref
        for server in butler.spec.tools
        if server.token_secret_ref is not None
    }
