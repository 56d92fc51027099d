# ruff: noqa: E501 - patterns stay on one line
"""The period that a question is about: this month, last week, November, since Monday (pure)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final, Literal

from butler_contracts.language import Language
from butler_kit.wording.folding import fold, one_of
from butler_specialist.locale import calendar, joined, noop, say
from butler_specialist.questions.recognise import asks_plans
from butler_specialist.understanding.calendar_words import MONTHS
from butler_specialist.understanding.dates import day_text, find_days
from butler_specialist.understanding.day import Side
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.tense import side_of

__all__ = ["Period", "Unit", "month_of", "period_of", "period_words", "this_and_last", "without_period"]

Unit = Literal["month", "week", "year"]


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` up to but not including `end`; `label` fits after a statement: "in November 2026"."""

    start: date | None
    end: date | None
    label: str


_THIS_MONTH: Final = re.compile(
    r"\b(?:this month|diesen monat|in diesem monat|ce mois|este mes)\b|этом месяце"
)
_LAST_MONTH: Final = re.compile(
    r"\b(?:last month|previous month|letzten monat|im letzten monat|vorigen monat|le mois dernier"
    r"|mois dernier|el mes pasado|mes pasado)\b"
)
_THIS_WEEK: Final = re.compile(r"\b(?:this week|diese woche|in dieser woche|cette semaine|esta semana)\b")
_LAST_WEEK: Final = re.compile(
    r"\b(?:last week|letzte woche|vorige woche|la semaine derniere|la semana pasada)\b"
)
_NEXT_WEEK: Final = re.compile(
    r"\b(?:next week|nachste woche|la semaine prochaine|la proxima semana|la semana que viene)\b"
)
_NEXT_MONTH: Final = re.compile(
    r"\b(?:next month|nachsten monat|le mois prochain|el proximo mes|el mes que viene)\b"
)
_WEEKEND: Final = re.compile(
    r"\b(?:(?:this|the coming|on the|at the|over the|the|next)(?: coming)? weekend|(?:dieses|kommendes|nachstes|am|ubers|das|zum) wochenende|(?:ce|le|au)(?: prochain)? week-?end|(?:este|el|proximo) fin de semana|(?:este|el) finde)\b"
)
_NEXT_WEEKEND: Final = re.compile(
    r"\b(?:next weekend|nachstes wochenende|prochain week-?end|week-?end prochain|proximo fin de semana|(?:fin de semana|finde) (?:proximo|que viene))\b"
)
"""At a weekend it is the one after it."""
_LAST_WEEKEND: Final = re.compile(
    r"\b(?:last weekend|(?:letztes|letzten|voriges|vergangenes) wochenende|(?:le )?week-?end dernier|(?:el )?(?:fin de semana|finde) pasado)\b"
)
_THIS_YEAR: Final = re.compile(r"\b(?:this year|dieses jahr|in diesem jahr|cette annee|este ano)\b")
_LAST_YEAR: Final = re.compile(r"\b(?:last year|letztes jahr|l'annee derniere|el ano pasado)\b")
_MONTH: Final = re.compile(
    rf"\b(?:in|im|en|for|during|since|seit|depuis|desde"
    rf"|of)\s+(?:el mes de )?(?P<m>{one_of(MONTHS)})\b(?!\.? ?\d{{1,2}}(?:st|nd|rd|th)?\b)(?:,? (?:de )?(?P<y>\d{{4}}))?"
)
"""A month as a whole, not "since November 15"."""
_YEAR: Final = re.compile(r"\b(?:in|im jahr|en|for) (?P<y>20\d{2})\b")
_SINCE: Final = re.compile(r"\b(?:since|seit|depuis|desde)\b")


def month_of(day: date, language: Language = "en") -> Period:
    """The month that `day` lies in."""
    start, name = day.replace(day=1), calendar.MONTHS[language][day.month - 1]
    return Period(start, _next_month(start), say(language, "in {month} {year}", month=name, year=day.year))


def period_of(reading: Reading, *, usual: Side = "past") -> Period | None:
    """Return the period that the text names, or None.

    The verb decides whether a month or weekday alone is the last one or the next; `usual` applies if it does not.
    """
    for pattern, period in _NAMED:
        if pattern.search(reading.folded):
            return _to_come(period(reading.today, reading.language), reading)
    if _LAST_WEEKEND.search(reading.folded):
        return _weekend(reading.today, reading.language, -1)
    if _WEEKEND.search(reading.folded):
        return _weekend(reading.today, reading.language, _weeks_on(reading))
    if asks_plans(reading):
        usual = "future"
    side = (side_of(reading.folded, None) or usual) if usual == "future" else usual
    return _written_month(reading, side) or _written_year(reading) or _written_day(reading, side)


def this_and_last(unit: Unit, today: date, language: Language) -> tuple[Period, Period]:
    """Return this month, week or year, and the one before."""
    if unit == "month":
        return month_of(today, language), month_of(today.replace(day=1) - timedelta(days=1), language)
    if unit == "week":
        return _week(today, language, 0, noop("this week")), _week(today, language, -1, noop("last week"))
    return _year(today.year, language), _year(today.year - 1, language)


def without_period(text: str, today: date) -> str:
    """Return the question without the words of its period."""
    for start, end in reversed(_spans(text, today)):
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split()).rstrip(" ?")


def period_words(text: str, today: date) -> str:
    """Return the words of its period."""
    return " ".join(text[start:end].strip() for start, end in _spans(text, today))


def _spans(text: str, today: date) -> list[tuple[int, int]]:
    folded = fold(text)
    patterns = (*(pattern for pattern, _ in _NAMED), _LAST_WEEKEND, _WEEKEND, _MONTH, _YEAR)
    named = [match.span() for pattern in patterns for match in pattern.finditer(folded)]
    days = [(_with_preposition(folded, day.start), day.end) for day in find_days(text, today)]
    return _apart(sorted(named) or sorted(days))


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, end in spans:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _with_preposition(folded: str, start: int) -> int:
    led = re.search(r"(?:\b(?:on|since|for|am|vom|seit|le|el|du|del|desde|depuis) )$", folded[:start])
    return led.start() if led else start


def _next_month(start: date) -> date:
    return (start + timedelta(days=32)).replace(day=1)


def _week(today: date, language: Language, shift: int, label: str) -> Period:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=shift)
    return Period(monday, monday + timedelta(days=7), say(language, label))


_COMING_UP: Final = re.compile(
    r"\b(?:coming up|still to come|lies ahead|is ahead|(?:steht|kommt) .{0,30}\b(?:noch )?an\b|a venir|viene)\b"
)


def _to_come(period: Period, reading: Reading) -> Period:
    """Return the part of the period that is not over, if the question asks what is coming up."""
    over = period.start is not None and period.end is not None and period.start < reading.today < period.end
    return replace(period, start=reading.today) if over and _COMING_UP.search(reading.folded) else period


_SATURDAY: Final = 5


def _weeks_on(reading: Reading) -> int:
    """Return how many weeks after this one the weekend is that the question asks about."""
    if reading.today.weekday() >= _SATURDAY:
        return 1 if _NEXT_WEEKEND.search(reading.folded) else 0
    return -1 if side_of(reading.folded, None) == "past" else 0


def _weekend(today: date, language: Language, weeks: int) -> Period:
    """Return Saturday and Sunday, so many weeks after those of this week."""
    saturday = today - timedelta(days=today.weekday()) + timedelta(weeks=weeks, days=_SATURDAY)
    end = saturday + timedelta(days=2)
    if weeks > 0:
        days = [day_text(day, language) for day in (saturday, saturday + timedelta(days=1))]
        return Period(saturday, end, say(language, "on {day}", day=joined(days, language)))
    label = noop("last weekend") if weeks < 0 else noop("at the weekend")
    return Period(saturday, end, say(language, label))


def _year(year: int, language: Language) -> Period:
    return Period(date(year, 1, 1), date(year + 1, 1, 1), say(language, "in {year}", year=year))


_NAMED: Final[tuple[tuple[re.Pattern[str], Callable[[date, Language], Period]], ...]] = (
    (_THIS_MONTH, month_of),
    (_LAST_MONTH, lambda today, language: month_of(today.replace(day=1) - timedelta(days=1), language)),
    (_NEXT_MONTH, lambda today, language: month_of(_next_month(today.replace(day=1)), language)),
    (_THIS_WEEK, lambda today, language: _week(today, language, 0, noop("this week"))),
    (_LAST_WEEK, lambda today, language: _week(today, language, -1, noop("last week"))),
    (_NEXT_WEEK, lambda today, language: _week(today, language, 1, noop("next week"))),
    (_THIS_YEAR, lambda today, language: _year(today.year, language)),
    (_LAST_YEAR, lambda today, language: _year(today.year - 1, language)),
)


def _written_month(reading: Reading, side: Side) -> Period | None:
    match = _MONTH.search(reading.folded)
    if match is None:
        return None
    number, today = MONTHS[match["m"]], reading.today
    other = (number < today.month) if side == "future" else -(number > today.month)
    year = int(match["y"]) if match["y"] else today.year + other
    month = month_of(date(year, number, 1), reading.language)
    if _SINCE.match(match.group()) and month.start is not None:
        return _since(month.start, reading.language)
    return month


def _written_year(reading: Reading) -> Period | None:
    match = _YEAR.search(reading.folded)
    return _year(int(match["y"]), reading.language) if match else None


def _written_day(reading: Reading, side: Side) -> Period | None:
    if not reading.days or _EITHER.search(reading.folded):
        return None
    day = reading.days[0].on(side)
    if _SINCE.search(reading.folded):
        return _since(day, reading.language)
    label = say(reading.language, "on {day}", day=day_text(day, reading.language))
    return Period(day, day + timedelta(days=1), label)


_EITHER: Final = re.compile(
    r"\b(?:today|tomorrow|yesterday|\w+day|heute|morgen|gestern|\w+tag|aujourd'hui|demain|\w+di|hoy|manana|\w+es) (?:or|oder|ou|o) (?:on |am |le |el )?(?:today|tomorrow|yesterday|\w+day|heute|morgen|gestern|\w+tag|aujourd'hui|demain|\w+di|hoy|manana|\w+es)\b"
)
"""A question about which of two days it is: it is about neither alone."""


def _since(day: date, language: Language) -> Period:
    return Period(day, None, say(language, "since {day}", day=day_text(day, language)))
