"""Untrusted text as data in a prompt: between two lines that its author cannot know (pure; SWB-04.1)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["fence", "plain"]

_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Controls, bidirectional marks and whatever has no width, so that text can hide in it (Unicode TR 36)."""
_ROLE_TOKENS: Final = re.compile(
    r"<[|｜][^|｜<>\n]{0,40}[|｜]>|<</?SYS>>|<(?:start|end)_of_turn>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]"
    r"|</?(?:s|bos|eos|unk|pad|system|assistant|user|think|tool_calls?|tool_response|function_calls?|invoke|parameter)"
    r"(?:\s[^<>\n]{0,200})?>"
    r"|^(?:Human|Assistant|System):",
    re.IGNORECASE | re.MULTILINE,
)
_PASSES: Final = 8
_BRACKETS: Final = str.maketrans("<>[]", "‹›⟦⟧")


def fence(text: str, *, boundary: str) -> str:
    """Return `text` between two boundary lines, without control characters, role tokens and the boundary itself.

    `boundary` is fresh randomness of the caller, at least 16 characters; a shorter one is refused (ValueError).
    """
    if len(boundary) < 16 or not boundary.isalnum():
        raise ValueError("the boundary of a fence: expected at least 16 random letters and digits")
    clean = _without_tokens(_CONTROL.sub("", text))
    while boundary in clean:
        clean = clean.replace(boundary, "")
    return f"<<<untrusted {boundary}\n{clean}\nuntrusted {boundary}>>>"


def plain(text: str, *, most: int) -> str:
    """Return one line of `text`, at most `most` characters, cleaned as by a fence: for places without one."""
    clean = " ".join(_without_tokens(_CONTROL.sub("", text[: 4 * most])).split())
    return clean if len(clean) <= most else f"{clean[: most - 1]}…"


def _without_tokens(text: str) -> str:
    """Return `text` without role tokens; after a few passes, to bound the time, brackets are replaced."""
    for _ in range(_PASSES):
        stripped = _ROLE_TOKENS.sub("", text)
        if stripped == text:
            return text
        text = stripped
    return text.translate(_BRACKETS)
