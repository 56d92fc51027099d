"""Days without a month behind one that has it: "the exam is on 9 February, the other on the 12th" (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from butler_specialist.understanding.day import Day

__all__ = ["in_their_months", "to_come_in"]

_LONGEST_MONTH = 31


def in_their_months(days: Sequence[Day], behind: date | None, today: date) -> tuple[Day, ...]:
    """The days, in their order; one without a month behind a day to come is the next of its number after that."""
    told: list[Day] = []
    for day in days:
        last = to_come_in(told, today) or behind
        told.append(_next(day, last) if day.bare and last is not None else day)
    return tuple(told)


def to_come_in(days: Iterable[Day], today: date) -> date | None:
    """The last of the days, where it is written with its month and to come."""
    written = [day for day in days if day.form == "written"]
    last = written[-1] if written else None
    return last.day if last is not None and last.day > today and not last.bare else None


def _next(day: Day, after: date) -> Day:
    ahead = (after + timedelta(days=count) for count in range(1, _LONGEST_MONTH + 1))
    meant = next((one for one in ahead if one.day == day.day.day), None)
    return day if meant is None else replace(day, day=meant, before=meant, after=meant, bare=False)
