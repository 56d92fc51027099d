# ruff: noqa: E501 - patterns, word lists and sample texts stay on one line
"""Cut a text into the smallest parts that may have a subject of their own: sentences, list items, clauses (pure).

Invariant: units are ascending, disjoint, not blank, and inside the ranges given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["MAX_UNITS", "Unit", "clauses", "sentences"]

MAX_UNITS = 24

_END = re.compile(
    r"(?<=[.!?…;])[\"')\]]*\s+|\s*[;•]\s*|\s+(?=(?:\(?1?\d[.)]|[-*])\s+(?!(?:jan(?:uar)?|feb(?:ruar)?|m[äa]rz|apr(?:il)?|mai|juni?|juli?|aug(?:ust)?|sep(?:t(?:ember)?)?|okt(?:ober)?|nov(?:ember)?|dez(?:ember)?)\b|bis \d|und \d|oder \d)\S)|\s+[–—]\s+|\s+(?://?|\|)\s+",
    re.IGNORECASE,
)
"""Not before the day of a month: "am 7. Juni" is not the seventh item of a list."""
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|no|nr|vs|etc|approx|ca|z\.b|e\.g|i\.e|bzw|usw|tel|str|hr|fr|sra?|mme|mlle|inc|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)|(?<![\d.,/])(?:[12]?\d|3[01])|\b[a-z])\.$",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?<![\d.])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.$")
"""A day in figures, which does not end a sentence: "vom 23.12. bis 3.1."."""
_JOIN = re.compile(
    r"(?:\s*,\s*|\s+)(?:and also|and then|and please|and|also|plus|but|oh and|btw|by the way|separately|besides|then|und außerdem|und bitte|und|außerdem|übrigens|et aussi|et|aussi|y además|y también|y|además)\s+"
    r"|\s*,\s+|:\s+",
    re.IGNORECASE,
)


_VALUE = re.compile(
    r"(?:(?:about|around|roughly|like|unos|unas|etwa|rund|ca\.?|circa|environ|alrededor de|so) )?\d[\d.,/]{0,12}[ °]{0,2}(?:k |(?:€|euros?|eur|pounds?|quid|dollars?|bucks)\b)?"
    r"(?: (?:i think|oder so|denke ich|je crois|creo|or so|ou plus))?(?=[.!]?$|[,;])",
    re.IGNORECASE,
)
"""Only a number or a sum, which belongs to the clause before it."""
_SOFT = frozenset({",", ":"})
Cut = Literal["line", "sentence", "joint", "soft"]
"""A line end or list item; a sentence's end; a joining word; only a comma or colon."""


_ITEM = re.compile(r"(?:\(?1?\d[.)]|[-*])\s")


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of the text by its half-open range, and what divides it from the part before it."""

    start: int
    end: int
    cut: Cut = "line"

    def of(self, text: str) -> str:
        """Return the unit's text."""
        return text[self.start : self.end]


def sentences(text: str, ranges: Iterable[tuple[int, int]]) -> list[Unit]:
    """Return the sentences and list items in `ranges`, at most `MAX_UNITS`; the rest stays in the last."""
    found: list[Unit] = []
    for start, end in ranges:
        cuts = [match for match in _END.finditer(text, start, end) if not _abbreviated(text, start, match)]
        units = _between(text, start, end, cuts)
        found.extend(replace(unit, cut=_cut(text, unit, start)) for unit in units)
    if len(found) > MAX_UNITS:
        last = found[MAX_UNITS - 1]
        found = [*found[: MAX_UNITS - 1], replace(last, end=found[-1].end)]
    return found


def clauses(text: str, unit: Unit) -> list[Unit]:
    """Return the clauses of a sentence, or the unit itself if it has only one."""
    cuts = [
        cut
        for cut in _JOIN.finditer(text, unit.start, unit.end)
        if not _VALUE.match(text, cut.end(), unit.end)
    ]
    found = _between(text, unit.start, unit.end, cuts)
    kinds: dict[int, Cut] = {cut.end(): "soft" if cut.group().strip() in _SOFT else "joint" for cut in cuts}
    marked = [replace(clause, cut=kinds.get(clause.start, unit.cut)) for clause in found]
    return marked if len(marked) > 1 else [unit]


def _cut(text: str, unit: Unit, start: int) -> Cut:
    """Return whether a unit begins a line or list item, or a sentence inside a line."""
    opens = unit.start == start or _ITEM.match(text, unit.start) is not None
    return "line" if opens else "sentence"


def _abbreviated(text: str, start: int, match: re.Match[str]) -> bool:
    before = text[max(start, match.start() - 6) : match.start()]
    if not before.endswith("."):
        return False
    if _DATE.search(before) and not text[match.end() : match.end() + 1].isupper():
        return True
    return _ABBREVIATION.search(before) is not None


def _between(text: str, start: int, end: int, cuts: list[re.Match[str]]) -> list[Unit]:
    return [
        Unit(left, right)
        for left, right in _spans(text, start, end, cuts)
        if any(char.isalnum() for char in text[left:right])
    ]


def _spans(text: str, start: int, end: int, cuts: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    left = start
    for cut in [*cuts, None]:
        right = end if cut is None else cut.start()
        stripped = text[left:right]
        first = left + len(stripped) - len(stripped.lstrip())
        last = left + len(stripped.rstrip())
        if first < last:
            yield first, last
        left = end if cut is None else cut.end()
