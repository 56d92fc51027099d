"""Which part of a mail its sender wrote now: what comes before the mail it answers. Pure.

Invariant: bounded time (lines and text are cut for the search, never in the result); a forwarded mail keeps
everything, for that is why it was sent; something is always left.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from mailparser_reply.parser import EmailMessage

__all__ = ["own_part"]

_LANGUAGES: Final = ("en", "de", "es", "fr", "it", "nl", "pl", "sv", "da", "cs")
_SEARCHED_CHARS: Final = 32_000
_SEARCHED_LINE: Final = 300
_FORWARDED: Final = re.compile(r"\s*(?:fwd?|wg|tr|rv|i|doorst)\s*:", re.IGNORECASE)
_FORWARD_LINE: Final = re.compile(
    r"^\W{0,12}(?:forwarded message|begin forwarded message|weitergeleitete nachricht|message transféré"
    r"|mensaje reenviado|messaggio inoltrato)",
    re.IGNORECASE | re.MULTILINE,
)


def own_part(text: str, *, subject: str) -> str:
    """The text before the quoted mail; the whole text when nothing is quoted or nothing would be left."""
    if _FORWARDED.match(subject) or _FORWARD_LINE.search(text[:_SEARCHED_CHARS]):
        return text
    lines = text.split("\n")
    searched = "\n".join(line[:_SEARCHED_LINE].strip() for line in lines)[:_SEARCHED_CHARS]
    found = _header().search(searched)
    if found is None:
        return text
    # The match may begin with the line end before the header.
    begin = found.start() + len(found.group()) - len(found.group().lstrip())
    own = "\n".join(lines[: searched.count("\n", 0, begin)]).strip()
    return own or text


@cache
def _header() -> re.Pattern[str]:
    # The library's expression for the line above a quoted mail; its further steps (signatures, disclaimers)
    # take minutes for some texts and are not needed.
    pattern: re.Pattern[str] = EmailMessage(text="", languages=list(_LANGUAGES)).HEADER_REGEX
    return pattern
