"""PURE: a plain text as Markdown that yields exactly that text (CommonMark, section 2.4)."""

from __future__ import annotations

import re
from typing import Final

from butler_kit.markup.addresses import between_addresses

__all__ = ["escaped"]

_MARK: Final = re.compile(
    r"(?P<ahead>^[ \t]*+[0-9]{0,9}+)(?P<opens>[-+>#.)])|(?P<mark>[\\`*_\[\]~])", re.MULTILINE
)
"""Openers of a quote, a heading or an item at the start of a line; marks anywhere."""


def escaped(plain: str) -> str:
    """Return Markdown that `read` turns back into `plain`, but for blanks at the ends of lines."""
    lines = plain.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(f"{_MARK.sub(_behind_a_backslash, text)}{rest}" for text, rest in between_addresses(lines))


def _behind_a_backslash(found: re.Match[str]) -> str:
    return f"{found['ahead'] or ''}\\{found['opens'] or found['mark']}"
