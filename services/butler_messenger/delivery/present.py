"""PURE: how an answer looks on its channel: who speaks (MSG-6.3) and in how many parts.

Invariant: the same text always gives the same parts, so a part that has a receipt is never sent again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Final
from unicodedata import combining

__all__ = ["TELEGRAM_LIMIT", "marked_subject", "marked_text", "telegram_parts"]

TELEGRAM_LIMIT: Final = 4096
"""Longest text of one message (Bot API, sendMessage), counted here in UTF-16 units, which is never too many."""

_SUBJECT_LIMIT: Final = 200
_FALLBACK_SUBJECT: Final = "A message from your household"
_FALLBACK_REPLY: Final = "Your message"
_REPLY_MARK: Final = re.compile(r"(?:re|aw|antw|sv|rép|réf)(?:\[\d{1,3}\])? ?: ?", re.IGNORECASE)

_BREAK: Final = re.compile(r"[^\S\u00a0\u2007\u202f]")
"""White space at which a line may end, as it may not between a sum and its currency."""
_JOINER: Final = "\u200d"
_EXTENDS: Final = re.compile("[\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
"""What changes the emoji before it: its form, its skin, the region of a flag."""


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
    """The marked text cut into messages of at most `limit` UTF-16 units, each with the mark, several with `(1/3)`.

    Cuts fall on a paragraph, else a line, else a space: a word or a link is cut only where it is longer than a message,
    and then between two characters as a person sees them.
    """
    whole = marked_text(origin, text)
    if _units(whole) <= limit:
        return (whole,)
    mark = f"[{origin}]"
    body = whole.removeprefix(mark).strip()
    for digits in count(1):
        room = limit - _units(f"{mark} (/) ") - 2 * digits
        chunks = tuple(_chunks(body, room))
        if len(chunks) < 10**digits:
            break
    return tuple(f"{mark} ({number}/{len(chunks)}) {chunk}" for number, chunk in enumerate(chunks, start=1))


def _chunks(text: str, room: int) -> Iterator[str]:
    rest = text
    while _units(rest) > room:
        cut = _cut(rest, room)
        yield rest[:cut].rstrip()
        rest = rest[cut:].lstrip()
    yield rest


def _units(text: str) -> int:
    return len(text) + sum(1 for char in text if ord(char) > 0xFFFF)


def _cut(text: str, room: int) -> int:
    longest = _longest_prefix(text, room)
    for boundary in ("\n\n", "\n"):
        found = text.rfind(boundary, longest // 2, longest)
        if found > 0:
            return found
    for index in range(longest, 0, -1):
        if _BREAK.match(text, index):
            return index
    whole = longest
    while whole > 0 and _joined(text, whole):
        whole -= 1
    return whole or longest


def _joined(text: str, index: int) -> bool:
    """Whether what stands before and behind `index` is one character for a person (the common cases of UAX 29)."""
    before, behind = text[index - 1], text[index]
    if _is_flag(before) and _is_flag(behind):
        run = next((n for n in range(index) if not _is_flag(text[index - 1 - n])), index)
        return run % 2 == 1
    return before == _JOINER or behind == _JOINER or bool(_EXTENDS.match(behind) or combining(behind))


def _is_flag(char: str) -> bool:
    """Whether it is one half of a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _longest_prefix(text: str, limit: int) -> int:
    units = 0
    for index, char in enumerate(text):
        units += 2 if ord(char) > 0xFFFF else 1
        if units > limit:
            return index
    return len(text)
