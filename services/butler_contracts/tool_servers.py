"""How a butler says with its heartbeat that it works without some of its tools (pure; D58)."""

from __future__ import annotations

from typing import Final

__all__ = ["TOOLS_UNAVAILABLE"]

TOOLS_UNAVAILABLE: Final = "tools_unavailable"
"""The kind of the fault, in the place of its runtime's: it works, and says of what it cannot reach that it cannot."""
