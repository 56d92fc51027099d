"""Days: written out, numeric, relative to the message's own day (pure).

The message's day is in the household's time zone (D56). A day without a year is the nearest one, or the nearest one
on the side that the caller asks for. Days precede months, except in ISO 8601 or where that is impossible; "4.20." is no
day at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold, one_of
from butler_kit.wording.language import language_of
from butler_specialist.locale import calendar, say
from butler_specialist.understanding.calendar_words import (
    AGO,
    COUNTS,
    MONTHS,
    RELATIVE_DAYS,
    UNITS,
    WITHIN,
)
from butler_specialist.understanding.day import Day
from butler_specialist.understanding.days_of_months import days_of_months
from butler_specialist.understanding.feasts import feasts
from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.money import find_amounts
from butler_specialist.understanding.nth_weekdays import nth_weekdays
from butler_specialist.understanding.recurrence import is_recurrence
from butler_specialist.understanding.spelt_days import spelt_days
from butler_specialist.understanding.weekdays import weekdays, with_their_weekdays
from butler_specialist.understanding.weeks_ahead import numbered_weekdays, weeks_ahead

__all__ = ["date_text", "day_text", "find_days"]

_MONTH: Final = one_of(MONTHS)
_RELATIVE: Final = one_of(RELATIVE_DAYS)
_UNIT: Final = one_of(UNITS)

_ISO: Final = re.compile(r"(?<![\d-])(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?![\d])(?!-\d)")
_NUMERIC: Final = re.compile(
    r"(?<![\d.,/])(?P<a>\d{1,2})(?P<sep>[./])(?P<b>\d{1,2})(?:(?P=sep)(?P<y>\d{4}|\d{2})(?!\d)"
    r"|(?<=\d)(?P<dot>\.)(?!\d))(?![/])"
)
_INTRODUCED: Final = re.compile(
    r"\b(?:on|due|until|till|since|am|bis|bis zum|vom|zum|seit|ab|le|el|du|au|del) "
    r"(?P<d>\d{1,2})(?P<sep>[./])(?P<m>\d{1,2})(?![\d./]*\d)(?! ?(?:uhr|[ap]\.?m\b|h\b|[€$£%]|eur|usd|chf|kg|mg|km))"
)
"""A day and a month without a year, told from a fraction only by the word before: "on 3/12", "am 3.12"."""
_ORDINAL: Final = re.compile(
    r"\b(?:(?:on |by |until |from |since )?the (?P<d>\d{1,2})(?:st|nd|rd|th)|(?:am|zum|vom|dem) (?P<tag>\d{1,2})\."
    r"|(?:le|(?:d?el )?dia|el) (?P<jour>\d{1,2})(?:er)?)"
    r"(?= ?(?:[,;!?)\n]|\.(?!\d)|$|(?:of (?:the|this|next) month|at|from|to|and|we|i|is|um|ab|von|und"
    r"|a|las|et|y|with|mit|avec|con)\b))"
)
"""A day of this, the last or the next month: "on the 3rd"."""
_ON_THE: Final = re.compile(
    r"\b(?:on|by|until|till) the (?P<d>\d{1,2})(?:st|nd|rd|th)\b"
    r"(?! ?(?:floor|time|day|attempt|try|page|street|avenue|line|row|birthday|place|anniversary"
    r"|round|week|visit|of\b|and last))"
)
"""The same before any other word: "on the 12th bout the dress"."""
_AM: Final = re.compile(
    r"\b(?:am|bis zum|ab dem|vom) (?P<d>\d{1,2})\.(?= [^\W\d])(?! ?(?:tag|stock|geburtstag|platz|mal)\b)"
)
"""The same in German, before any word: "hat am 19. zu"."""
_AUF_DEN: Final = re.compile(r"(?<=\bauf den )(?P<d>\d{1,2})\.(?!\d)")
"""The day to which something is moved: "vom 24. auf den 26."."""
_DAY_MONTH: Final = re.compile(
    rf"(?<![\w.,])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?: of"
    rf"| de)? ?(?P<m>{_MONTH})\b\.?(?:,? (?:de )?(?P<y>\d{{4}})\b)?"
)
_FROM_DAY: Final = re.compile(
    r"(?<![\w.,:])(?P<d>\d{1,2})(?:st|nd|rd|th|\.)? ?(?=(?:to|-|bis|bis zum|au|al|until) ?\d{1,2}(?:st"
    r"|nd|rd|th|er|\.)?"
    rf"(?: of| de)? ?(?P<m>{_MONTH})\b\.?(?:,? (?:de )?(?P<y>\d{{4}})\b)?)"
)
"""The first day of "5 to 7 December"."""
_NOT_COUNTED: Final = (
    r"(?! ?(?:[€£$%]|(?:euros?|eur|usd|gbp|chf|dollars?|pounds?|franken|%|kg|kilos?|km|mg|ml)\b))"
)
"""Words after a number that is no day: "ab Januar 12 Euro"."""
_NUMERIC_FROM: Final = re.compile(
    r"(?<![\d.,/])(?P<d>\d{1,2})\.? ?(?:-|–|bis(?: zum)?) ?(?=\d{1,2}\.(?P<m>\d{1,2})\.(?P<y>\d{4})?(?!\d))"
)
"""The first day of "27.-29.11."."""
_MONTH_DAY: Final = re.compile(
    rf"\b(?P<m>{_MONTH})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:.,]*\d){_NOT_COUNTED}(?:,? (?P<y>\d{{4}})\b)?"
)
_MONTH_DAY_YEAR: Final = re.compile(
    rf"\b(?P<m>{_MONTH})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})\b"
)
_WORD: Final = re.compile(rf"\b(?:{_RELATIVE})\b")
_OFFSETS: Final[tuple[tuple[re.Pattern[str], int], ...]] = (
    *((re.compile(pattern.replace("UNIT", _UNIT) + r"\b"), -1) for pattern in AGO),
    *((re.compile(pattern.replace("UNIT", _UNIT) + r"\b"), 1) for pattern in WITHIN),
)
_DIGIT: Final = re.compile(r"\d")
_CLOCK: Final = re.compile(r"\b(?:at|um|a las?) $")
_FRIDAY: Final = re.compile(r"fr\.? ?\d")
"""Also a sum of francs: "Fr. 4.12."."""
_MOST_DAYS: Final = 64
"""The most days of one text; each is compared with those before it, and nobody names more."""


@kept
def find_days(text: str, today: date) -> tuple[Day, ...]:
    """Return all days in the order of the text, without overlaps.

    Impossible ones (31 February) are left out.
    """
    folded = fold(text)
    found: list[Day] = []
    for reader in _READERS if _DIGIT.search(folded) else _IN_WORDS:
        for day in reader(folded, today):
            if len(found) == _MOST_DAYS:
                break
            if not any(day.start < other.end and other.start < day.end for other in found) and not _is_him(
                text, day
            ):
                found.append(day)
    return tuple(with_their_weekdays(sorted(found, key=lambda day: day.start), folded))


def _is_him(text: str, day: Day) -> bool:
    """Return whether it is the pronoun and a sum: "y yo a él 25", which without its accent is "the 25th"."""
    return text[day.start : day.start + 3].casefold() == "él "


def day_text(day: date, language: Language = "en") -> str:
    """`Saturday, 21 November 2026`."""
    weekday, written = calendar.WEEKDAYS[language][day.weekday()], date_text(day, language)
    return say(language, "{weekday}, {date}", weekday=weekday, date=written)


def date_text(day: date, language: Language = "en", *, year: bool = True) -> str:
    """`21 November 2026`, or without the year."""
    number = "1er" if language == "fr" and day.day == 1 else day.day
    written = say(language, "{day} {month}", day=number, month=calendar.MONTHS[language][day.month - 1])
    return say(language, "{date} {year}", date=written, year=day.year) if year else written


def _fixed(match: re.Match[str], year: int, month: int, day: int) -> Iterator[Day]:
    try:
        found = date(year, month, day)
    except ValueError:
        return
    if 1900 <= found.year <= 2200:
        yield Day(found, match.start(), match.end(), found, found)


def _yearless(match: re.Match[str], month: int, day: int, today: date) -> Iterator[Day]:
    years = range(today.year - 4, today.year + 5)
    options = [option for year in years if (option := _existing(year, month, day))]
    return _between(match, options, today)


def _between(match: re.Match[str], options: list[date], today: date) -> Iterator[Day]:
    """Yield the day meant among the possible ones, given in order."""
    before = [option for option in options if option <= today]
    after = [option for option in options if option >= today]
    if before and after:
        nearest = min((before[-1], after[0]), key=lambda option: abs((option - today).days))
        yield Day(nearest, match.start(), match.end(), before[-1], after[0])


def _dated(match: re.Match[str], month: int, today: date) -> Iterator[Day]:
    day, year = int(match["d"]), match.groupdict().get("y")
    return _fixed(match, int(year), month, day) if year else _yearless(match, month, day, today)


def _iso(folded: str, _: date) -> Iterator[Day]:
    for match in _ISO.finditer(folded):
        yield from _fixed(match, int(match["y"]), int(match["m"]), int(match["d"]))


def _month_day_year(folded: str, today: date) -> Iterator[Day]:
    for match in _MONTH_DAY_YEAR.finditer(folded):
        yield from _dated(match, MONTHS[match["m"]], today)


def _day_month(folded: str, today: date) -> Iterator[Day]:
    for match in _DAY_MONTH.finditer(folded):
        yield from _dated(match, MONTHS[match["m"]], today)


def _from_day(folded: str, today: date) -> Iterator[Day]:
    for match in _FROM_DAY.finditer(folded):
        yield from _dated(match, MONTHS[match["m"]], today)


def _numeric_from(folded: str, today: date) -> Iterator[Day]:
    for match in _NUMERIC_FROM.finditer(folded):
        if 1 <= int(match["m"]) <= 12:
            yield from _dated(match, int(match["m"]), today)


def _month_day(folded: str, today: date) -> Iterator[Day]:
    for match in _MONTH_DAY.finditer(folded):
        yield from _dated(match, MONTHS[match["m"]], today)


def _numeric(folded: str, today: date) -> Iterator[Day]:
    found = list(_NUMERIC.finditer(folded))
    sums = _sums(folded) if any(match["dot"] for match in found) else b""
    for match in found:
        first, second, year = int(match["a"]), int(match["b"]), match["y"]
        if year:
            day, month = (second, first) if second > 12 >= first else (first, second)
            full = int(year) if len(year) == 4 else 2000 + int(year)
            yield from _fixed(match, full, month, day)
        elif match["sep"] == "." and 1 not in sums[match.start() : match.end()] and not _is_hour(match):
            yield from _yearless(match, second, first, today)


def _is_hour(match: re.Match[str]) -> bool:
    """Return whether it is an hour before a full stop: "um 8.10.", but "am 8.10." and "um den 8.10."."""
    start = match.start()
    return int(match["a"]) < 24 and _CLOCK.search(match.string, max(0, start - 6), start) is not None


def _sums(folded: str) -> bytes:
    """Return a mask with a one for each character of a sum: "€9.10." is no day."""
    ones = bytearray(len(folded))
    for one in find_amounts(folded):
        if not _FRIDAY.match(folded, one.start):
            ones[one.start : one.end] = b"\x01" * (one.end - one.start)
    return bytes(ones)


def _introduced(folded: str, today: date) -> Iterator[Day]:
    for match in _INTRODUCED.finditer(folded):
        first, second = int(match["d"]), int(match["m"])
        day, month = (second, first) if second > 12 >= first and match["sep"] == "/" else (first, second)
        if month <= 12:
            yield from _yearless(match, month, day, today)


def _ordinal(folded: str, today: date) -> Iterator[Day]:
    found = (pattern.finditer(folded) for pattern in (_ORDINAL, _ON_THE, _AM, _AUF_DEN))
    for match in chain.from_iterable(found):
        written = int(next(said for said in match.groups() if said))
        months = (today.year * 12 + today.month - 1 + shift for shift in range(-2, 3))
        options = [option for month in months if (option := _existing(month // 12, month % 12 + 1, written))]
        yield from (replace(day, bare=True) for day in _between(match, options, today))


def _spelt(folded: str, today: date) -> Iterator[Day]:
    for match, month, day in spelt_days(folded):
        yield from _yearless(match, month, day, today)


def _feast(folded: str, today: date) -> Iterator[Day]:
    for match, options in feasts(folded, today):
        yield from _between(match, options, today)


def _existing(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _shifted(match: re.Match[str], today: date, days: int) -> Iterator[Day]:
    day = today + timedelta(days=days)
    yield Day(day, match.start(), match.end(), day, day, "relative")


def _offset(folded: str, today: date) -> Iterator[Day]:
    for pattern, sign in _OFFSETS:
        for match in pattern.finditer(folded):
            yield from _shifted(match, today, sign * _count(match["n"]) * UNITS[match["unit"]])


def _count(written: str) -> int:
    return COUNTS.get(written) or int(written)


def _word(folded: str, today: date) -> Iterator[Day]:
    for match in _WORD.finditer(folded):
        word = match.group()
        if word == "morgen" and folded[: match.start()].rstrip().endswith(
            ("guten", "heute", "heut", "gestern", "am")
        ):
            continue
        if word == "hier" and language_of(folded, "de") == "de":
            continue
        if word == "manana" and folded[: match.start()].rstrip().endswith((" la", "esta")):
            continue
        if is_recurrence(folded, *match.span()):
            continue
        yield from _shifted(match, today, RELATIVE_DAYS[word])


_WITH_FIGURES: Final = (
    _iso, _feast, _month_day_year, _day_month, _from_day, _numeric_from, _month_day, _numeric, _introduced,
    days_of_months, _ordinal,
)  # fmt: skip
_IN_WORDS: Final = (_feast, _spelt, days_of_months, nth_weekdays, weeks_ahead, _offset, _word, weekdays)
"""The readers of days named without figures."""
_READERS: Final = (
    *_WITH_FIGURES, _spelt, nth_weekdays, numbered_weekdays, weeks_ahead, _offset, _word, weekdays,
)  # fmt: skip
"""In order of precedence."""
