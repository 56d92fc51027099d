"""A mailbox query as searches of RFC 9051 §6.4.4. Pure.

Invariant: no word of a caller is ever a command: it is sent as a quoted string with its two special characters
escaped, or, where it is not ASCII, as a literal of a search of its own. (The library leaves a word without blanks
unquoted, and `{5}` at the end of a line is then a literal that the server waits for.) Control characters are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, TypeAlias

from imapclient.datetime_util import format_criteria_date

__all__ = ["Search", "Wanted", "searches"]

Search: TypeAlias = "tuple[str | list[Any], str | None]"
"""The criteria as the library takes them, and their charset; a mail is found when every search finds it."""
_KEYS: Final = (("TEXT", "text"), ("FROM", "sender"), ("SUBJECT", "subject"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Mails that arrived from day `since` on; words match in header or body, sender, subject, in any case."""

    since: date
    text: str | None = None
    sender: str | None = None
    subject: str | None = None


def searches(wanted: Wanted) -> Iterator[Search]:
    """Yield a search for the ASCII words, then one per other word. `ValueError` on control characters."""
    day = format_criteria_date(wanted.since)
    words = [(key, word) for key, name in _KEYS if (word := getattr(wanted, name)) is not None]
    for _, word in words:
        if any(ord(char) < 32 or ord(char) == 127 for char in word):
            raise ValueError("a word to look for has control characters")
    plain = [f"{key} {_quoted(word)}" for key, word in words if word.isascii()]
    yield " ".join([f"SINCE {day.decode('ascii')}", *plain]), None
    for key, word in words:
        if not word.isascii():
            yield ["SINCE", wanted.since, key, word], "UTF-8"


def _quoted(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
