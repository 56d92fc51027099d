"""Spans of time in words: "ten minutes", "an hour and a half", "zwei Tage", "une demi-heure" (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.numerals import numeral_after

__all__ = ["UNIT_NAMES", "Duration", "duration_at"]

_UNITS: Final = {
    "second": "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos",
    "minute": "m min mins minute minutes minuten minuto minutos",
    "hour": "h hr hrs hour hours std stunde stunden heure heures hora horas",
    "day": "day days tag tage tagen jour jours dia dias",
    "week": "week weeks woche wochen semaine semaines semana semanas",
    "month": "month months monat monate monaten mois mes meses",
    "year": "year years jahr jahre jahren an ans annee annees ano anos",
}
UNIT_NAMES: Final = {word: unit for unit, words in _UNITS.items() for word in words.split()}
"""The folded names of a unit, with its English name."""
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600}
_SPOKEN: Final = {
    "half an hour": 1800, "a half hour": 1800, "half hour": 1800, "an hour and a half": 5400,
    "one and a half hours": 5400, "a quarter of an hour": 900, "three quarters of an hour": 2700,
    "einer halben stunde": 1800, "eine halbe stunde": 1800, "ner halben stunde": 1800, "einer viertelstunde": 900,
    "ner viertelstunde": 900,

    "eine viertelstunde": 900, "einer dreiviertelstunde": 2700, "eineinhalb stunden": 5400,
    "anderthalb stunden": 5400, "une demi-heure": 1800, "une demi heure": 1800, "un quart d'heure": 900,
    "trois quarts d'heure": 2700, "une heure et demie": 5400, "media hora": 1800, "un cuarto de hora": 900,
    "tres cuartos de hora": 2700, "una hora y media": 5400, "hora y media": 5400,
}  # fmt: skip
_PHRASE: Final = re.compile(rf"(?:{one_of(_SPOKEN)})\b")
_ONE: Final = re.compile(r"(?:an?|einem|einer|einen|eine|ein|une?|una) ")
_TWO: Final = re.compile(r"a couple(?: of)? ")
_DIGITS: Final = re.compile(r"(?P<n>\d{1,4})(?P<half>[.,]5)? ?(?=[a-z])")
_UNIT: Final = re.compile(rf"(?:{one_of(UNIT_NAMES)})\b")
_JOINT: Final = re.compile(r",? (?:(?:and|und|et|y) )?")


@dataclass(frozen=True, slots=True)
class Duration:
    """A span: whole months and days of the calendar, and seconds of the clock."""

    months: int = 0
    days: int = 0
    seconds: int = 0

    @property
    def of_the_clock(self) -> bool:
        """Whether it ends at an hour, not just on a day."""
        return not (self.months or self.days)

    def after(self, moment: datetime) -> datetime:
        """Return the moment that much later; hours are elapsed time, whatever the clocks do meanwhile."""
        wall = datetime.combine(self.after_day(moment.date()), moment.time(), moment.tzinfo)
        return (wall.astimezone(UTC) + timedelta(seconds=self.seconds)).astimezone(moment.tzinfo)

    def before(self, moment: datetime) -> datetime:
        """Return the moment that much earlier."""
        return Duration(-self.months, -self.days, -self.seconds).after(moment)

    def after_day(self, day: date) -> date:
        """Return the day that much later; a month from 31 January is the last of February."""
        month = day.month - 1 + self.months
        year, month = day.year + month // 12, month % 12 + 1
        last = monthrange(year, month)[1]
        return day.replace(year=year, month=month, day=min(day.day, last)) + timedelta(days=self.days)


def duration_at(folded: str, start: int) -> tuple[Duration, int] | None:
    """Return the span that begins at `start`, and its end: at most one of hours and one of minutes."""
    first = _single(folded, start)
    if first is None:
        return None
    duration, end = first
    joint = _JOINT.match(folded, end)
    second = _single(folded, joint.end()) if joint and duration.seconds >= 3600 else None
    if second is None or not 0 < second[0].seconds < 3600:
        return first
    return Duration(seconds=duration.seconds + second[0].seconds), second[1]


def _single(folded: str, start: int) -> tuple[Duration, int] | None:
    phrase = _PHRASE.match(folded, start)
    if phrase:
        return Duration(seconds=_SPOKEN[phrase.group()]), phrase.end()
    counted = _count(folded, start)
    unit = _UNIT.match(folded, counted[2]) if counted else None
    if counted is None or unit is None:
        return None
    number, half, _ = counted
    found = _of(UNIT_NAMES[unit.group()], number, half=half)
    return (found, unit.end()) if found is not None else None


def _count(folded: str, start: int) -> tuple[int, bool, int] | None:
    digits = _DIGITS.match(folded, start)
    if digits:
        return int(digits["n"]), digits["half"] is not None, digits.end()
    for number, pattern in ((2, _TWO), (1, _ONE)):
        if match := pattern.match(folded, start):
            return number, False, match.end()
    spoken = numeral_after(folded, start)
    if spoken is None or folded[spoken[1] : spoken[1] + 1] != " ":
        return None
    return spoken[0], False, spoken[1] + 1


def _of(unit: str, number: int, *, half: bool) -> Duration | None:
    if unit in _SECONDS:
        return Duration(seconds=int((number + 0.5 * half) * _SECONDS[unit]))
    if half or (unit == "year" and number > 20):
        return None
    if unit in ("month", "year"):
        return Duration(months=number * (12 if unit == "year" else 1))
    return Duration(days=number * (7 if unit == "week" else 1))
