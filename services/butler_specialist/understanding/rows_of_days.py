# ruff: noqa: E501 - patterns stay on one line
"""Several weekdays on which something recurs: "every Monday and Wednesday at 5" (pure). EN, DE, FR, ES.

Invariant: each clause made from such a row has one of its days and all the other words.
"""

from __future__ import annotations

import re
from typing import Final

from butler_kit.wording.folding import fold, one_of
from butler_specialist.understanding.calendar_words import WEEKDAYS

__all__ = ["days_apart", "rows_of_days"]

_NAME: Final = one_of(WEEKDAYS)
_MORE: Final = (
    rf"(?:\s*(?:,|&|/|\band\b|\bund\b|\bet\b|\by\b)\s*(?:(?:and|und|et|y) )?(?:on |every |jeden |chaque |cada |les? |los |el )?"
    rf"(?:{_NAME})s?\b)"
)
_ROW: Final = re.compile(
    rf"\b(?P<each>every |each |jede[nrsm]? |chaque |cada |tous les |todos los |les |los |on (?=(?:{_NAME})s\b)|(?=(?:{_NAME})s\b))"
    rf"(?P<days>(?:{_NAME})s?\b{_MORE}{{1,6}})"
)
_DAY: Final = re.compile(rf"\b(?:{_NAME})s?\b")


def rows_of_days(folded: str) -> list[tuple[int, int]]:
    """Return where they stand."""
    return [match.span("days") for match in _ROW.finditer(folded)]


def days_apart(clause: str) -> tuple[str, ...]:
    """Return the clause once per day of its row; unchanged if it has none, or several rows."""
    rows = list(_ROW.finditer(fold(clause)))
    if len(rows) != 1:
        return (clause,)
    [row] = rows
    before, after = clause[: row.start("days")], clause[row.end("days") :]
    days = _DAY.finditer(fold(clause), *row.span("days"))
    return tuple(f"{before}{clause[day.start() : day.end()]}{after}" for day in days)
