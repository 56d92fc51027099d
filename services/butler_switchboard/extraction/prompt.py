"""The input of an extraction session: the skill's text as instructions, the message fenced (pure; SWB-04.1)."""

from __future__ import annotations

from typing import Final

from butler_kit.runtime import SessionTool
from butler_kit.runtime.fence import fence
from butler_switchboard.extraction.signals import SIGNAL_TOOL, SIGNAL_TOOL_SCHEMA

__all__ = ["SIGNAL", "payload"]

SIGNAL: Final = SessionTool(
    SIGNAL_TOOL, "Record one thing that the message says of somebody.", SIGNAL_TOOL_SCHEMA
)


def payload(text: str, *, boundary: str) -> str:
    """Return the only user prompt."""
    return f"The message:\n{fence(text, boundary=boundary)}"
