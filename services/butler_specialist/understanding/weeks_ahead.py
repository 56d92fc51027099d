# ruff: noqa: E501 - patterns stay on one line
"""Weekdays counted in weeks, or with their date: "jeudi en quinze", "viernes 19" (pure).

Also "in drei Wochen am Montag". "Friday in two weeks" counts from the coming Friday; "in two weeks on Friday" is
the Friday of the week that lies two weeks ahead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.calendar_words import COUNTS, DAY_PARTS, WEEKDAYS
from butler_specialist.understanding.day import Day

__all__ = ["numbered_weekdays", "weeks_ahead"]

_NAME: Final = one_of(WEEKDAYS)
_PART: Final = rf"(?:{DAY_PARTS})?"
_N: Final = rf"(?P<n>\d{{1,2}}|{'|'.join(COUNTS)})"
_WEEKS: Final = r"(?:weeks?|wochen?|semaines?|semanas?)"
_IN: Final = r"(?:in|dans|en|dentro de)"
_DAY: Final = rf"(?:(?:on|am|le|el|next|nachsten?) )?(?P<w>{_NAME}){_PART}"
_FROM_THE_DAY: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_DAY} {_IN} (?:(?P<fortnight>a fortnight|vierzehn tagen|14 tagen|14 days|quinze jours|15 jours|quince dias)"
        rf"|{_N} {_WEEKS})\b",
        rf"\b{_DAY} (?:en (?:(?P<eight>huit)|(?P<fifteen>quinze))|(?P<week>week|wk)(?! ?(?:end|\d|ago))|(?P<two>fortnight))\b",
        rf"\b(?:(?P<a>a)|(?P<b>two)) weeks? (?:on|from) {_DAY}\b",
    )
)
_OF_THE_WEEK: Final = re.compile(
    rf"\b{_IN} (?:(?P<fortnight>a fortnight|vierzehn tagen|14 tagen|quinze jours)|{_N} {_WEEKS}),? {_DAY}\b"
)
_NUMBERED: Final = re.compile(
    rf"\b(?P<w>{_NAME}),? (?:the |den |dem |le |el )?(?P<d>[12]?\d|3[01])(?:st|nd|rd|th|\.)?(?![\w:./,-]*\d|\w)"
    r"(?! ?(?:uhr|[ap]\.?m|h|heures?|o'clock|€|eur|kg)\b)(?! for \d)"
)
_FROM_NOW: Final = re.compile(
    r"\b(?:a week|(?P<two>(?:a )?fortnight|two weeks)) (?:from )?(?P<from>today|tomorrow)\b"
    r"|\b(?P<heute>heute|morgen) in (?:einer woche|acht tagen|(?P<zwei>zwei wochen|vierzehn tagen|14 tagen))\b"
    r"|\b(?P<hoy>hoy|manana) en (?:ocho dias|(?P<quince>quince dias|dos semanas))\b"
    r"|\b(?P<jour>aujourd'hui|demain) en (?:huit|(?P<quinze>quinze))\b"
)
_TOMORROW: Final = frozenset({"tomorrow", "morgen", "manana", "demain"})
_AROUND: Final = (-31, 93)
"""The days around today in which a weekday has to match its number."""
_FAR: Final = 4
"""The days before the counted one; further back nobody means the weekday of the same week."""
_TWO: Final = ("fortnight", "fifteen", "two", "b")


def weeks_ahead(folded: str, today: date) -> Iterator[Day]:
    """Yield each of the folded text."""
    for pattern in _FROM_THE_DAY:
        for match in pattern.finditer(folded):
            coming = today + timedelta(days=(WEEKDAYS[match["w"]] - today.weekday()) % 7)
            yield _found(match, coming + timedelta(weeks=_count(match)))
    for match in _FROM_NOW.finditer(folded):
        said = match.groupdict()
        first = said["from"] or said["heute"] or said["hoy"] or said["jour"]
        two = said["two"] or said["zwei"] or said["quince"] or said["quinze"]
        yield _found(match, today + timedelta(days=first in _TOMORROW, weeks=2 if two else 1))
    for match in _OF_THE_WEEK.finditer(folded):
        yield _found(match, _of_the_week(today + timedelta(weeks=_count(match)), WEEKDAYS[match["w"]]))


def numbered_weekdays(folded: str, today: date) -> Iterator[Day]:
    """Yield "viernes 19": the next day, else the last, on which number and weekday agree."""
    for match in _NUMBERED.finditer(folded):
        days = [today + timedelta(days=shift) for shift in range(*_AROUND)]
        agreed = [day for day in days if day.day == int(match["d"]) and day.weekday() == WEEKDAYS[match["w"]]]
        meant = next((day for day in agreed if day >= today), agreed[-1] if agreed else None)
        if meant is not None:
            yield _found(match, meant)


def _of_the_week(counted: date, weekday: int) -> date:
    """Return the weekday in the week of a counted day.

    "In three weeks on Monday", said on a Sunday, is the Monday after it.
    """
    day = counted + timedelta(days=weekday - counted.weekday())
    return day + timedelta(weeks=1) if (counted - day).days > _FAR else day


def _found(match: re.Match[str], day: date) -> Day:
    return Day(day, match.start(), match.end(), day, day, "relative")


def _count(match: re.Match[str]) -> int:
    groups = match.groupdict()
    if any(groups.get(name) for name in _TWO):
        return 2
    written = groups.get("n")
    return (COUNTS.get(written) or int(written)) if written else 1
