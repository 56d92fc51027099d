"""PURE: what waits for an approval, for how long, and who may decide (MSR-03.1, D44, docs/adr/0072)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from butler_kit.config import ApprovalsConfig

__all__ = ["MOST_WAITING", "UNASKED", "Gate", "gate_of"]

UNASKED: Final = "notify"
"""The tool by which a butler speaks of its own accord: every `send`, whichever channel carries it."""
MOST_WAITING: Final = 500
"""Deliveries that wait for an approval, or for room after it; further ones come again later."""


@dataclass(frozen=True, slots=True)
class Gate:
    """`tools` are held for `expires_after_s` seconds; `approvers` are names of contacts, none for the owner."""

    tools: frozenset[str]
    expires_after_s: float
    approvers: tuple[str, ...]

    def holds(self, tool: str, intent: str) -> bool:
        """Whether a delivery of this intent, carried out by this tool, waits."""
        return tool in self.tools or (intent == "send" and UNASKED in self.tools)


def gate_of(config: ApprovalsConfig | None) -> Gate | None:
    """What is configured; None where nothing waits."""
    if config is None:
        return None
    return Gate(frozenset(config.gated_tools), config.expires_after_s, config.approvers)
