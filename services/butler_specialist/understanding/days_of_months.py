"""A day by its number in this, the last or the next month: "the 1st of next month" (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from butler_specialist.understanding.day import Day

__all__ = ["days_of_months"]

_FIRST: Final = r"(?P<first>first|ersten|erster|premier|primero|uno)"
_FOUND: Final = re.compile(
    rf"(?<![\w.,:/-])(?:(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?|\b{_FIRST}) (?:(?:of|im|des|de|du|del) )?(?:the )?"
    r"(?:(?P<next>next month|(?:nachsten|kommenden) monats?|mois prochain|mes que viene|(?:mes )?proximo(?: mes)?)"
    r"|(?P<this>this month|(?:diesen|dieses|laufenden) monats?|ce mois(?:-ci)?|este mes)"
    r"|(?P<last>last month|(?:letzten|vorigen) monats?|mois dernier|mes pasado))\b"
)


def days_of_months(folded: str, today: date) -> Iterator[Day]:
    """Yield each of the folded text; one that its month does not have is left out."""
    for match in _FOUND.finditer(folded):
        months = today.year * 12 + today.month - 1 + _shift(match)
        number = int(match["d"]) if match["d"] else 1
        try:
            day = date(months // 12, months % 12 + 1, number)
        except ValueError:
            continue
        yield Day(day, match.start(), match.end(), day, day, "relative")


def _shift(match: re.Match[str]) -> int:
    return 1 if match["next"] else -1 if match["last"] else 0
