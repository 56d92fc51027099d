"""PURE: which deliveries wait for approval, for how long, who decides (MSR-03.1, D44, docs/adr/0072)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from butler_kit.config import ApprovalsConfig

__all__ = ["MOST_WAITING", "UNASKED", "Gate", "gate_of"]

UNASKED: Final = "notify"
"""The tool with which a butler speaks of its own accord: every `send`, on whichever channel."""
MOST_WAITING: Final = 500
"""The most deliveries that wait for an approval, or for room after it; further ones have to retry later."""


@dataclass(frozen=True, slots=True)
class Gate:
    """`tools` are held for `expires_after_s` seconds; `approvers` names contacts, empty for the owner."""

    tools: frozenset[str]
    expires_after_s: float
    approvers: tuple[str, ...]

    def holds(self, tool: str, intent: str) -> bool:
        """Return whether a delivery of this intent, carried out by this tool, has to wait."""
        return tool in self.tools or (intent == "send" and UNASKED in self.tools)


def gate_of(config: ApprovalsConfig | None) -> Gate | None:
    """Return the configured gate; None if nothing waits."""
    if config is None:
        return None
    return Gate(frozenset(config.gated_tools), config.expires_after_s, config.approvers)
