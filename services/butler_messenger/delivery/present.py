"""PURE: how an answer looks on its channel: who speaks (MSG-6.3) and in how many parts.

Invariant: the same text always gives the same parts, so a part that has a receipt is never sent again.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["TELEGRAM_LIMIT", "marked_subject", "marked_text", "telegram_parts"]

TELEGRAM_LIMIT: Final = 4096
"""Longest text of one message (Bot API, sendMessage), counted here in UTF-16 units, which is never too many."""

_SUBJECT_LIMIT: Final = 200
_FALLBACK_SUBJECT: Final = "A message from your household"
_FALLBACK_REPLY: Final = "Your message"
_REPLY_MARK: Final = re.compile(r"(?:re|aw|antw|sv|rép|réf)(?:\[\d{1,3}\])? ?: ?", re.IGNORECASE)


def marked_text(origin: str, text: str) -> str:
    """`[origin] text`; a text that already opens with the mark stays as it is."""
    mark = f"[{origin}]"
    stripped = text.strip()
    return stripped if stripped.startswith(mark) else f"{mark} {stripped}"


def marked_subject(origin: str, subject: str | None, *, reply: bool) -> str:
    """One line with the mark; a reply opens with `Re:` exactly once, whatever the asker's program writes for it.

    The mark stands where mailing lists put theirs: what is left without both is the subject of the conversation
    (RFC 5256 §2.1).
    """
    plain = " ".join((subject or "").split())
    while found := _REPLY_MARK.match(plain):
        plain = plain[found.end() :]
    mark = f"[{origin}]"
    if mark not in plain[:_SUBJECT_LIMIT]:
        plain = f"{mark} {plain or (_FALLBACK_REPLY if reply else _FALLBACK_SUBJECT)}"
    named = plain[:_SUBJECT_LIMIT].rstrip()
    return f"Re: {named}" if reply else named


def telegram_parts(origin: str, text: str, *, limit: int = TELEGRAM_LIMIT) -> tuple[str, ...]:
    """The marked text cut into messages of at most `limit` UTF-16 units, each with the mark.

    Cuts fall on a paragraph, else a line, else a space, else anywhere between two characters.
    """
    mark = f"[{origin}] "
    rest = marked_text(origin, text)
    parts: list[str] = []
    while _units(rest) > limit:
        cut = _cut(rest, limit)
        parts.append(rest[:cut].rstrip())
        rest = mark + rest[cut:].lstrip()
    return (*parts, rest)


def _units(text: str) -> int:
    return len(text) + sum(1 for char in text if ord(char) > 0xFFFF)


def _cut(text: str, limit: int) -> int:
    longest = _longest_prefix(text, limit)
    for boundary in ("\n\n", "\n", " "):
        found = text.rfind(boundary, longest // 2, longest)
        if found > 0:
            return found
    return longest


def _longest_prefix(text: str, limit: int) -> int:
    units = 0
    for index, char in enumerate(text):
        units += 2 if ord(char) > 0xFFFF else 1
        if units > limit:
            return index
    return len(text)
