"""What a correction says is right, and what was wrong: "no, 66", "140, not 130", "to Friday at 10" (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from typing import Final

from butler_specialist.understanding.day import Day
from butler_specialist.understanding.money import number_of
from butler_specialist.understanding.sentence import Sentence
from butler_specialist.understanding.times import all_times

__all__ = ["Correction", "correction_of", "when_spans"]

_NUMBER: Final = re.compile(
    r"(?<![\w.,:/#-])(?P<first>\d{1,7}(?:[.,]\d{1,2})?)(?P<kilo>k\b)?(?: ?/ ?(?P<second>\d{2,3}))?(?![\d:/]|[.,]\d)"
)
_ON: Final = r"(?:\b(?:on|the|at|am|um|le|el|a las?|la|den|dem) )?\W{0,2}$"
_NOT: Final = re.compile(
    r"\b(?:not|nicht|pas|no|instead of|rather than|statt|anstatt|au lieu de|en vez de)\W{1,3}" + _ON
)
"""Words directly before the wrong value: "140, not 130"."""
_FROM: Final = re.compile(r"\b(?:from|von|vom|de|du|del)\W{1,3}" + _ON)
"""Words directly before the old value, if the new one follows: "from Thursday to Friday"."""
_ALONE: Final = re.compile(r"[^\W\d_]|\d")
_AS_A_SUM: Final = re.compile(r"\d{1,2}\.\d{2}")
"""A day that may also be a sum: "no, 12.11"."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The right values; `wrong` are the numbers, and `wrong_days` the days, that no longer hold."""

    value: Decimal | None = None
    second: Decimal | None = None
    currency: str | None = None
    wrong: tuple[Decimal, ...] = ()
    day: Day | None = None
    at: time | None = None
    wrong_days: tuple[Day, ...] = ()
    unclear_hour: str | None = None
    twelve: time | None = None
    """An hour on a 12-hour clock without am or pm: the half nearest to the entry's hour is meant."""

    @property
    def is_empty(self) -> bool:
        return self.value is None and self.day is None and self.at is None and self.twelve is None

    def hour_for(self, before: time | None) -> time | None:
        """Return the right hour for an entry whose hour was `before`."""
        if self.at is not None or self.twelve is None or before is None:
            return self.at
        halves = (self.twelve.replace(hour=self.twelve.hour % 12 + half) for half in (0, 12))
        return min(halves, key=lambda at: abs(_minutes(at) - _minutes(before)))


def correction_of(sentence: Sentence) -> Correction:
    """Return the new number, day and hour of a clause; what follows a "not" is the old one."""
    days, hours = sentence.named_days, sentence.named_times
    last = days[-1:]
    right_days = [day for day in days if not _is_wrong(sentence.folded, day.start, last=[day] == [*last])]
    day = right_days[-1] if right_days else None
    wrong_days = tuple(other for other in days if other is not day)
    if day is not None and _AS_A_SUM.fullmatch(sentence.text[day.start : day.end].strip()):
        as_a_sum = number_of(sentence.text[day.start : day.end].strip())
        return Correction(value=as_a_sum, wrong_days=wrong_days)
    value, second, currency, wrong = _numbers(sentence)
    times = [at for at in hours if not _is_wrong(sentence.folded, at.start, last=at is hours[-1])]
    return Correction(
        value=value,
        second=second,
        currency=currency,
        wrong=wrong,
        day=day,
        at=times[-1].at if times else None,
        wrong_days=wrong_days,
        unclear_hour=sentence.unclear_hour if not times else None,
        twelve=_twelve(sentence) if not times else None,
    )


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def when_spans(sentence: Sentence) -> tuple[tuple[int, int], ...]:
    """Return where its days and hours stand, including ambiguous hours, in the order of the text."""
    days, times = sentence.named_days, all_times(sentence.text)
    return tuple(sorted([*((day.start, day.end) for day in days), *((at.start, at.end) for at in times)]))


def _twelve(sentence: Sentence) -> time | None:
    """Return its last hour that may be morning or evening."""
    unclear = [moment for moment in all_times(sentence.text) if moment.at is None]
    right = [one for one in unclear if not _is_wrong(sentence.folded, one.start, last=one is unclear[-1])]
    return right[-1].twelve if right else None


def _numbers(sentence: Sentence) -> tuple[Decimal | None, Decimal | None, str | None, tuple[Decimal, ...]]:
    """Return the last right number, its second part, its currency, and the wrong numbers."""
    taken = when_spans(sentence)
    found = [
        match
        for match in _NUMBER.finditer(sentence.folded)
        if not any(start < match.end() and match.start() < end for start, end in taken)
    ]
    right: tuple[Decimal, Decimal | None, str | None] | None = None
    wrong: list[Decimal] = []
    for match in found:
        value = number_of(match["first"]) * (1000 if match["kilo"] else 1)
        if _is_wrong(sentence.folded, match.start(), last=match is found[-1]):
            wrong.append(value)
            continue
        amount = next((one for one in sentence.amounts if one.start <= match.start() < one.end), None)
        second = Decimal(match["second"]) if match["second"] else None
        right = (amount.value if amount else value, second, amount.currency if amount else None)
    return (*(right or (None, None, None)), tuple(wrong))


def _is_wrong(folded: str, start: int, *, last: bool) -> bool:
    """Return whether it is denied, other than by the "no" that opens a correction."""
    before = folded[max(0, start - 40) : start]
    if not last and _FROM.search(before):
        return True
    found = _NOT.search(before)
    return found is not None and _ALONE.search(folded[: start - len(before) + found.start()]) is not None
