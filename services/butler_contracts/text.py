"""Text that PostgreSQL, JSON and a terminal can all hold, and short excerpts of text that they cannot.

Invariant: no text that passes here has a NUL or a lone surrogate; no excerpt is longer than asked.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

EXCERPT_MAX: Final = 60
IDENTITY_MAX: Final = 512
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_JOINERS: Final = "\u200c\u200d"
"""Are not printed, and are part of words (Persian) and of emoji."""


def text_fault(value: str) -> str | None:
    """What makes this text unstorable, in words, or None."""
    if "\x00" in value:
        return f"has a NUL character at position {value.index(chr(0))}"
    if not value.isascii() and (found := _SURROGATE.search(value)):
        return f"has half of a surrogate pair at position {found.start()}"
    return None


def excerpt(value: object, *, limit: int = EXCERPT_MAX) -> str:
    """At most `limit` printable characters of a value, for a message; never raises."""
    if isinstance(value, str):
        shown = value[: limit + 1]
    elif (
        value is None
        or isinstance(value, bool | float)
        or (isinstance(value, int) and value.bit_length() < 128)
    ):
        shown = str(value)
    else:
        shown = f"<{type(value).__name__}>"
    clean = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in shown)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def storable(value: str) -> str:
    """The text with every NUL and lone surrogate as U+FFFD: what a connector does before it submits."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value.replace("\x00", "\N{REPLACEMENT CHARACTER}"))


def plain_line(value: str, *, most: int) -> str:
    """What somebody else wrote on one line of at most `most` characters, without what steers it or its direction."""
    shown = "".join(
        " " if char.isspace() else char
        for char in storable(value[: most * 4])
        if char.isspace() or char.isprintable() or char in _JOINERS
    )
    line = " ".join(shown.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _check_text(value: str) -> str:
    fault = text_fault(value)
    if fault:
        raise PydanticCustomError("text", "{problem}", {"problem": fault, "expected": "text without it"})
    return value


def _check_identity(value: str) -> str:
    found = _CONTROL.search(value)
    if found:
        raise PydanticCustomError(
            "identity",
            "{problem}",
            {
                "problem": f"has a control character at position {found.start()}",
                "expected": "one line of visible characters",
            },
        )
    if not value.strip():
        raise PydanticCustomError(
            "identity", "{problem}", {"problem": "is empty", "expected": "at least one visible character"}
        )
    return value


STORABLE: Final = AfterValidator(_check_text)
"""Goes after the bounds of a text field: refuses NUL and lone surrogates."""

Identity = Annotated[
    str,
    Field(min_length=1, max_length=IDENTITY_MAX),
    STORABLE,
    AfterValidator(_check_identity),
]
"""Who or what: not blank, one line, at most 512 characters."""

Line = Annotated[str, Field(max_length=IDENTITY_MAX), STORABLE, AfterValidator(_check_identity)]
"""A header-like value: one line, so nothing can be smuggled into a mail header."""

ButlerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,62}$")]
"""A butler's name: lower case, starts with a letter, at most 63 characters."""
