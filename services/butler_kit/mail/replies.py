"""The part of a mail that its sender wrote now: everything before the mail it answers. Pure.

Invariant: bounded time (lines and text are cut for the search, never in the result); a forwarded mail keeps
everything, because that is why it was sent; something is always left.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from mailparser_reply.parser import EmailMessage

from butler_kit.mail.forwards import marked, place_in

__all__ = ["own_part"]

_LANGUAGES: Final = ("en", "de", "es", "fr", "it", "nl", "pl", "sv", "da", "cs")
_SEARCHED_CHARS: Final = 32_000
_SEARCHED_LINE: Final = 300
_FORWARDED: Final = re.compile(r"\s*(?:fwd?|wg|tr|rv|vb|vl|enc|pd|i|doorst)\s*:", re.IGNORECASE)
_ANSWERED: Final = re.compile(r"\s*(?:re|aw|antw|sv|rép|réf|odp)(?:\[\d{1,3}\])?\s*:", re.IGNORECASE)


def own_part(text: str, *, subject: str, refers: bool = False) -> str:
    """Return the text before the mail that is answered; a forwarded mail stays, below `MARK`.

    A mail is forwarded if the subject or the line above it says so, or if nothing suggests an answer: neither the
    subject nor, by `refers`, the fields References and In-Reply-To (which some programs write into both).
    """
    lines = text.split("\n")
    searched = [line[:_SEARCHED_LINE].strip() for line in "\n".join(lines)[:_SEARCHED_CHARS].split("\n")]
    quoted, place = _quoted_at(searched), place_in(searched)
    if place is not None and (quoted is None or place.line <= quoted):
        answers = refers or _ANSWERED.match(subject) is not None
        begin, passed_on = place.line, place.explicit or not answers
    elif quoted is not None:
        begin, passed_on = quoted, False
    else:
        return text
    if passed_on or _FORWARDED.match(subject):
        return marked(lines, begin)
    return "\n".join(lines[:begin]).strip() or text


def _quoted_at(lines: list[str]) -> int | None:
    """Return the line above the first quoted mail, in the words of ten languages."""
    searched = "\n".join(lines)
    found = _header().search(searched)
    if found is None:
        return None
    # The match may begin with the line end before the header.
    begin = found.start() + len(found.group()) - len(found.group().lstrip())
    return searched.count("\n", 0, begin)


@cache
def _header() -> re.Pattern[str]:
    # The library's expression for the line above a quoted mail; its further steps (signatures, disclaimers)
    # take minutes for some texts and are not needed.
    pattern: re.Pattern[str] = EmailMessage(text="", languages=list(_LANGUAGES)).HEADER_REGEX
    return pattern
