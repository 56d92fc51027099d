"""PURE: the mark in a subject that says which butler speaks (MSG-6.3)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["marked_subject"]

_SUBJECT_LIMIT: Final = 200
_FALLBACK_SUBJECT: Final = "A message from your household"
_FALLBACK_REPLY: Final = "Your message"
_REPLY_MARK: Final = re.compile(r"(?:re|aw|antw|sv|rép|réf)(?:\[\d{1,3}\])? ?: ?", re.IGNORECASE)


def marked_subject(origin: str, subject: str | None, *, reply: bool) -> str:
    """Return one line with the mark; a reply opens with `Re:` exactly once, whatever the sender's program writes.

    The mark stands where mailing lists put theirs: without both, the subject of the conversation remains
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
