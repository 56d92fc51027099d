# ruff: noqa: E501 - patterns stay on one line
"""A weekday by its number in a month: "the last Friday of this month", "erster Montag im März" (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from butler_kit.wording.folding import one_of, words
from butler_specialist.understanding.calendar_words import MONTHS, WEEKDAYS
from butler_specialist.understanding.day import Day

__all__ = ["nth_weekdays"]

_PLACES: Final = {
    **dict.fromkeys(words("first 1st erster ersten erste premier primer"), 0),
    **dict.fromkeys(words("second 2nd zweiter zweiten zweite deuxieme segundo"), 1),
    **dict.fromkeys(words("third 3rd dritter dritten dritte troisieme tercer"), 2),
    **dict.fromkeys(words("fourth 4th vierter vierten vierte quatrieme cuarto"), 3),
    **dict.fromkeys(words("last letzter letzten letzte dernier ultimo"), -1),
}
_NAME: Final = one_of(WEEKDAYS)
_MONTH: Final = one_of(MONTHS)
_FOUND: Final = re.compile(
    rf"\b(?P<nth>{one_of(_PLACES)}) (?P<w>{_NAME}) (?:of|in|im|des|in diesem|diesen|du|de|del|d')(?: the| this| el| este)? ?"
    rf"(?:(?P<next>next month|nachsten monats?|mois prochain|proximo mes|mes que viene)"
    rf"|(?P<this>(?:this )?month|(?:laufenden )?monats?|mois|mes)|(?P<m>{_MONTH}))\b"
)


def nth_weekdays(folded: str, today: date) -> Iterator[Day]:
    """Yield each of the folded text; one in a named month is this year's or the next."""
    for match in _FOUND.finditer(folded):
        first = _month(match, today)
        day = _nth(first, WEEKDAYS[match["w"]], _PLACES[match["nth"]])
        if match["m"] and day < today:
            day = _nth(first.replace(year=first.year + 1), WEEKDAYS[match["w"]], _PLACES[match["nth"]])
        yield Day(day, match.start(), match.end(), day, day, "relative")


def _month(match: re.Match[str], today: date) -> date:
    if match["m"]:
        return date(today.year, MONTHS[match["m"]], 1)
    first = today.replace(day=1)
    return _after(first) if match["next"] else first


def _after(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1)


def _nth(first: date, weekday: int, place: int) -> date:
    """Return the weekday at a place in a month, each of which has four; -1 is the last."""
    if place < 0:
        last = _after(first) - timedelta(days=1)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    return first + timedelta(days=(weekday - first.weekday()) % 7, weeks=place)
