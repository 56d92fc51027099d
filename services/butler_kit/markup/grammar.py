"""PURE: which Markdown is read: CommonMark without what a message has no use for, and with care for what is no markup.

Invariant: a star, a dash or a bracket that may as well be what somebody wrote stays what it is: in words, in sums, in
names and in addresses nothing is marked up (docs/adr/0102). No HTML, no entities, no references.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import east_asian_width

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from butler_kit.markup.addresses import address_at

__all__ = ["grammar"]

_WITHOUT: Final = ("html_block", "html_inline", "reference", "lheading", "code", "entity", "autolink", "hr")
_RUN: Final = re.compile(r"\*++|_++")
_GLUE: Final = frozenset("/\\@=&%$#+|^")
"""What makes one word of what stands on both its sides, as letters and digits do."""
_AROUND: Final = frozenset({"()", "[]", "{}", '""', "''", "“”", "„“", "«»", "‘’"})


def grammar() -> MarkdownIt:
    """A reader of it; it has no state between two texts."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable(list(_WITHOUT))
    reader.inline.ruler.before("emphasis", "literal_marks", _literal_marks)
    reader.inline.ruler.before("escape", "address", _address)
    reader.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return reader


def _literal_marks(state: StateInline, silent: bool) -> bool:
    """Stars and dashes that are no marks are text: in a word or a sum, alone in quotes, the two dashes of a name."""
    run = _RUN.match(state.src, state.pos, state.posMax)
    if run is None:
        return False
    before = state.src[run.start() - 1] if run.start() > 0 else " "
    behind = state.src[run.end()] if run.end() < state.posMax else " "
    name = run[0].startswith("__")
    if not name and not (_glues(before) and _glues(behind)) and before + behind not in _AROUND:
        return False
    if not silent:
        state.append_pending(run[0])
    state.pos = run.end()
    return True


def _glues(char: str) -> bool:
    """Whether it is of a word; scripts without spaces between words have no such letters."""
    return char in _GLUE or (char.isalnum() and east_asian_width(char) not in "WF")


def _address(state: StateInline, silent: bool) -> bool:
    """An address of the web is text as it stands, whatever is in it."""
    if state.src[state.pos] != ":":
        return False
    rest = address_at(state.src, state.pos, state.posMax)
    if rest and not silent:
        state.append_pending(rest)
    state.pos += len(rest)
    return bool(rest)
