"""Which butlers ask a model, and with which key (pure): those with sessions, so not Messenger (D57, D63)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_resources.kinds import Butler, SecretRef
from butler_resources.kinds.canary import Canary
from butler_resources.kinds.runtime import Runtime
from butler_resources.kinds.tools import token_variable

__all__ = ["HAVE_SESSIONS", "asked", "canary_key", "model_key", "tool_tokens"]

HAVE_SESSIONS: Final = frozenset({"switchboard", "specialist"})


def asked(butler: Butler) -> tuple[Runtime | Canary, ...]:
    """Return the blocks of its manifest that say which model its sessions ask, over HTTP or through a command line.

    A command line with neither an address nor a key asks nobody, so its butler needs no egress.
    """
    runtime = butler.spec.runtime
    blocks: tuple[Runtime | Canary, ...] = (runtime,)
    if runtime.canary is not None:
        blocks = (runtime, runtime.canary)
    return tuple(one for one in blocks if butler.spec.role in HAVE_SESSIONS and _names_a_server(one))


def _names_a_server(block: Runtime | Canary) -> bool:
    named = block.family == "api" or block.base_url is not None or block.api_key_secret_ref is not None
    return named and block.family not in (None, "rules")


def model_key(butler: Butler) -> SecretRef | None:
    """Return the secret with its model's key, if it has one."""
    runtime = butler.spec.runtime
    return runtime.api_key_secret_ref if runtime in asked(butler) else None


def canary_key(butler: Butler) -> SecretRef | None:
    """Return the secret with the key of the model that another family tries, if it has one."""
    canary = butler.spec.runtime.canary
    return canary.api_key_secret_ref if canary is not None and canary in asked(butler) else None


def tool_tokens(butler: Butler) -> Mapping[str, SecretRef]:
    """Return the secrets with the tokens of its tool servers, by variable."""
    return {
        token_variable(server): server.token_secret_ref
        for server in butler.spec.tools
        if server.token_secret_ref is not None
    }
