"""PURE: cuts a text that is longer than a message, counted like Telegram in UTF-16 units.

Invariants: the same text always has the same cuts; nothing but blanks lies between two pieces.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import combining

__all__ = ["Cut", "pieces", "units"]

Cut = tuple[int, int]
"""Half-open, in characters of the text."""

_BREAK: Final = re.compile(r"[^\S\u00a0\u2007\u202f]")
"""White space at which a line may end, unlike that between a sum and its currency."""
_LINE_ENDS: Final = re.compile(r"(?:[^\S\n]*+\n)*+")
"""The rest of the line that is cut, and empty lines after it, but not the leading blanks of the next line."""
_JOINER: Final = "\u200d"
_EXTENDS: Final = re.compile("[\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
"""Characters that change the emoji before them: its form, its skin tone, the region of a flag."""


def units(text: str) -> int:
    """The length of the text in UTF-16 units."""
    return len(text) + sum(1 for char in text if ord(char) > 0xFFFF)


def pieces(
    text: str, room: int, *, whole: Sequence[Sequence[Cut]] = (), code: Sequence[Cut] = ()
) -> Iterator[Cut]:
    """Yield pieces of at most `room` units of a text without trailing blanks.

    Cuts fall on a paragraph, else a line, else a space. `whole` lists sets of ranges to keep uncut, each disjoint and
    in order: the first set as long as possible, then the next. A word, or such a range, is cut only if it is longer
    than a message; a word then between two characters as a person sees them. Lines of `code` keep leading blanks.
    """
    levels = [*(_Whole(cuts) for cuts in whole), _Whole(())]
    start = _next(text, 0, room, code)
    while (longest := _longest(text, start, room)) < len(text):
        cut = _cut(text, start, longest, levels)
        yield start, start + len(text[start:cut].rstrip())
        start = _next(text, cut, room, code)
    yield start, longest


def _next(text: str, cut: int, room: int, code: Sequence[Cut]) -> int:
    """Return where the next piece begins; blanks that would fill it do not count as indented code."""
    word = _word(text, cut)
    line = _LINE_ENDS.match(text, cut)
    kept = line is not None and any(begin <= line.end() and word < end for begin, end in code)
    return line.end() if line is not None and kept and word - line.end() <= room // 2 else word


def _word(text: str, start: int) -> int:
    """Return where the first word after `start` begins."""
    return len(text) - len(text[start:].lstrip())


class _Whole:
    """The ranges of a text that are not to be cut."""

    def __init__(self, whole: Sequence[Cut]) -> None:
        self._starts = [start for start, _ in whole]
        self._ends = [end for _, end in whole]

    def start_around(self, index: int) -> int | None:
        """Return the start of the range that a cut here would split; None if there is none."""
        place = bisect_right(self._starts, index - 1) - 1
        return self._starts[place] if place >= 0 and index < self._ends[place] else None


def _cut(text: str, start: int, longest: int, levels: Sequence[_Whole]) -> int:
    first = _word(text, start)
    found = (_between(text, first, longest, whole) for whole in levels)
    return next((cut for cut in found if cut is not None), None) or _within_a_word(text, first, longest)


def _between(text: str, first: int, longest: int, whole: _Whole) -> int | None:
    """Return the best place between two words that splits no range; None if there is none."""
    middle = first + max(0, longest - first) // 2
    for boundary in ("\n\n", "\n"):
        found = text.rfind(boundary, middle, longest)
        while found > first and (around := whole.start_around(found)) is not None:
            found = text.rfind(boundary, middle, around)
        if found > first:
            return found
    index = longest
    while index > first:
        around = whole.start_around(index)
        if around is None and _BREAK.match(text, index):
            return index
        index = index - 1 if around is None else around
    return None


def _within_a_word(text: str, start: int, longest: int) -> int:
    cut = longest
    while cut > start and _joined(text, start, cut):
        cut -= 1
    return cut if cut > start else longest


def _joined(text: str, start: int, index: int) -> bool:
    """Return whether a person sees one character around `index` (the common cases of UAX 29)."""
    before, behind = text[index - 1], text[index]
    if _is_flag(before) and _is_flag(behind):
        ahead = index - start
        run = next((n for n in range(ahead) if not _is_flag(text[index - 1 - n])), ahead)
        return run % 2 == 1
    return before == _JOINER or behind == _JOINER or bool(_EXTENDS.match(behind) or combining(behind))


def _is_flag(char: str) -> bool:
    """Whether it is one half of a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _longest(text: str, start: int, room: int) -> int:
    """Return the end of the longest piece of at most `room` units that begins at `start`."""
    used = 0
    for index in range(start, len(text)):
        used += 2 if ord(text[index]) > 0xFFFF else 1
        if used > room:
            return index
    return len(text)
