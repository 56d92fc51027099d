"""A server's answer as a model reads it: bounded, fenced, other content only named (pure; SWB-04.1)."""

from __future__ import annotations

from typing import Final

from butler_kit.runtime.fence import fence
from butler_specialist.outside.model import Said

__all__ = ["MOST_BYTES", "answer_text"]

MOST_BYTES: Final = 8_000
"""The most UTF-8 bytes of one answer."""
_LEFT_OUT: Final = 8
_CUT: Final = "… (the rest is left out)"


def answer_text(said: Said, *, boundary: str, most: int = MOST_BYTES) -> str:
    """Return what a session reads of an answer, with at most `most` bytes of its text."""
    named = [f"({what}, not shown)" for what in said.left_out[:_LEFT_OUT]]
    whole = "\n".join(part for part in (said.text, *named) if part) or "(nothing)"
    return fence(_cut(whole, min(most, MOST_BYTES)), boundary=boundary)


def _cut(text: str, most: int) -> str:
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most:
        return raw.decode("utf-8")
    return raw[:most].decode("utf-8", "ignore") + _CUT
