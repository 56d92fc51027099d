"""Whom a block of a manifest asks: rules on `family`, `provider`, `baseUrl`, `apiKeySecretRef` and `model` (D28, D57).

Invariant: a family that asks a model has all that it needs to be asked, and its key goes nowhere in clear.
"""

from __future__ import annotations

from typing import Final, Literal

from butler_contracts.model_urls import KEY_IN_CLEAR, PRIVATE_HTTP, key_in_clear
from butler_resources.kinds.rules import Rule

__all__ = ["ASKED", "Family", "Provider"]

Family = Literal["rules", "api", "codex", "claude-code", "opencode"]
Provider = Literal["openai", "anthropic"]


def _needed(field: str, what: str, *families: str) -> Rule:
    listed = ", ".join(f"'{family}'" for family in families)
    return Rule(
        # The server tries the rule on `{}` too, the default of `runtime`, before it has filled in the family.
        cel=f"!has(self.family) || !(self.family in [{listed}]) || has(self.{field})",
        message=f"this runtime family needs `{field}`: {what}",
        holds=lambda block: block.family not in families or getattr(block, field) is not None,
    )


ASKED: Final = (
    Rule(
        cel="(has(self.family) && self.family == 'api') || !has(self.provider)",
        message="`provider` belongs to family api; remove it or choose that family",
        holds=lambda block: block.family == "api" or block.provider is None,
        path=".provider",
    ),
    _needed("provider", "openai or anthropic", "api"),
    _needed("model", "its name on the server", "api", "claude-code", "opencode"),
    Rule(
        cel="!has(self.apiKeySecretRef) || !has(self.baseUrl) || self.baseUrl.startsWith('https://') || "
        f"self.baseUrl.matches('{PRIVATE_HTTP}')",
        message=KEY_IN_CLEAR,
        holds=lambda block: block.api_key_secret_ref is None or not key_in_clear(block.base_url or ""),
        path=".baseUrl",
    ),
)
"""Of `Runtime` and `Canary`."""
