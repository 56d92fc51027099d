"""PURE: the Markdown that is read: CommonMark without what messages do not need, careful with what is no markup.

Invariant: a star, a dash or a bracket that may be literal stays literal: nothing within words, sums, names and
addresses is markup (docs/adr/0102). No HTML, no entities, no references.
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
"""Characters that join both their sides into one word, as letters and digits do."""
_AROUND: Final = frozenset({"()", "[]", "{}", '""', "''", "“”", "„“", "«»", "‘’"})


def grammar() -> MarkdownIt:
    """Return a parser; it keeps no state between texts."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable(list(_WITHOUT))
    reader.inline.ruler.before("emphasis", "literal_marks", _literal_marks)
    reader.inline.ruler.before("escape", "address", _address)
    reader.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return reader


def _literal_marks(state: StateInline, silent: bool) -> bool:
    """Treat stars and underscores as text within a word or a sum, alone in quotes, and in pairs of a name."""
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
    """Return whether `char` is part of a word; letters of scripts without spaces between words are not."""
    return char in _GLUE or (char.isalnum() and east_asian_width(char) not in "WF")


def _address(state: StateInline, silent: bool) -> bool:
    """Keep a web address as it stands, whatever is in it."""
    if state.src[state.pos] != ":":
        return False
    rest = address_at(state.src, state.pos, state.posMax)
    if rest and not silent:
        state.append_pending(rest)
    state.pos += len(rest)
    return bool(rest)
