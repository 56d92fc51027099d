# ruff: noqa: E501 - patterns stay on one line
"""Reads the time that a correction gives, relative to an earlier one: "make it 9", "an hour later" (pure)."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.store.model import Record
from butler_specialist.understanding.calendar_words import HOURS
from butler_specialist.understanding.corrections import Correction
from butler_specialist.understanding.day import Day
from butler_specialist.understanding.told_words import MOVED_BY

__all__ = ["at_of", "moved_by", "says_an_hour", "says_when", "shifted"]

_HOUR: Final = re.compile(
    r"^\W*+(?:(?:and|und|et|y|then|dann|only|erst|schon)\s++)*+(?:(?:at|um|gegen|a las|a la|a|to|auf|for|vers|about|around|by|until|till|bis)\s++)?+"
    rf"(?P<hour>\d{{1,2}}|{'|'.join(HOURS)})(?:[:.h](?P<minute>[0-5]\d))?(?:\s*+(?:uhr|h|heures?|o'clock|ish|horas))?\W*+$"
)
_SHIFT: Final = re.compile(
    r"^\W*+(?:(?P<half>half an hour|eine halbe stunde|une demi-heure|media hora)|(?P<count>an?|one|two|three|\d{1,3}|eine?n?|zwei|drei|une?|deux|trois"
    r"|una?|dos|tres)\s++(?P<unit>hours?|minutes?|mins?|days?|weeks?|stunden?|minuten?|tage?|wochen?|heures?|jours?|semaines?|horas?|minutos?|dias?|semanas?))"
    r"\s++(?P<way>later|earlier|after|before|sooner|spater|fruher|danach|davor|vorher|plus tard|plus tot|apres|avant|mas tarde|despues|antes|mas temprano)\W*+$"
)
_COUNTS: Final = {"two": 2, "three": 3, "zwei": 2, "drei": 3, "deux": 2, "trois": 3, "dos": 2, "tres": 3}
_BEFORE: Final = (
    "earlier",
    "before",
    "sooner",
    "fruher",
    "davor",
    "vorher",
    "plus tot",
    "avant",
    "antes",
    "mas temprano",
)
_EARLIER: Final = ("forward", "up", "earlier", "vorverlegt", "nach vorn", "fruher", "avance", "adelanta")
_TWELVE: Final = 12


def says_an_hour(said: str) -> bool:
    """Return whether the text is only a time, in the morning or the evening."""
    return _HOUR.match(fold(said)) is not None


def says_when(said: str) -> bool:
    """Return whether the text is only a time, or only a shift such as "an hour later"."""
    return says_an_hour(said) or _SHIFT.match(fold(said)) is not None


def at_of(said: str, row: Record) -> time | None:
    """Return the time on its own, in the half of the day nearest to the entry's time."""
    found = _HOUR.match(fold(said))
    if found is None:
        return None
    hour = int(found["hour"]) if found["hour"].isdigit() else HOURS[found["hour"]]
    minute = int(found["minute"] or 0)
    if hour > 23 or row.occurred_at is None:
        return None
    if not 1 <= hour <= _TWELVE or found["hour"].startswith("0"):
        return time(hour, minute)
    before = row.occurred_at.hour * 60 + row.occurred_at.minute
    return min(
        (time(half % 24, minute) for half in (hour % _TWELVE, hour % _TWELVE + _TWELVE)),
        key=lambda at: abs(at.hour * 60 + at.minute - before),
    )


def shifted(said: str, row: Record) -> Correction | None:
    """Return the entry's time, shifted earlier or later as the text says."""
    found = _SHIFT.match(fold(said))
    if found is None:
        return None
    return _by(row, found["half"], found["count"], found["unit"], earlier=found["way"] in _BEFORE)


def moved_by(folded: str, row: Record) -> Correction | None:
    """Return the same for a clause that says the entry was moved by some amount."""
    found = MOVED_BY.search(folded)
    if found is None:
        return None
    half = found["half"] or found["halb"] or found["demi"] or found["media"]
    count = found["count"] or found["zahl"] or found["combien"] or found["cuanto"]
    unit = found["unit"] or found["einheit"] or found["unite"] or found["unidad"]
    words = {found["back"], found["way"], found["nach"], found["fr"], found["es"]} - {None}
    return _by(row, half, count, unit, earlier=any(word.startswith(_EARLIER) for word in words if word))


def _by(
    row: Record, half: str | None, count: str | None, unit: str | None, *, earlier: bool
) -> Correction | None:
    number = 1 if half or not count else _COUNTS.get(count, 0) or (int(count) if count.isdigit() else 1)
    by = _span("half" if half else (unit or "")[:2], number) * (-1 if earlier else 1)
    if by % timedelta(days=1) and row.occurred_at is None:
        return None
    before = datetime.combine(row.occurred_on, row.occurred_at or time())
    after = before + by
    day = _day(after.date()) if after.date() != row.occurred_on else None
    return Correction(at=after.time() if row.occurred_at is not None else None, day=day)


def _span(unit: str, number: int) -> timedelta:
    if unit == "half":
        return timedelta(minutes=30)
    if unit in ("mi",):
        return timedelta(minutes=number)
    if unit in ("da", "ta", "jo", "di"):
        return timedelta(days=number)
    if unit in ("we", "wo", "se"):
        return timedelta(weeks=number)
    return timedelta(hours=number)


def _day(day: date) -> Day:
    return Day(day, 0, 0, day, day)
