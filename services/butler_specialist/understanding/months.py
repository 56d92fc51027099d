"""Days without a month after one that has it: "the exam is on 9 February, the other on the 12th" (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from butler_specialist.understanding.day import Day

__all__ = ["in_their_months", "to_come_in"]

_LONGEST_MONTH: Final = 31
_FEW: Final = 10
_JOINED: Final = re.compile(
    r"\W*(?:(?:and|to|or|until|till|und|bis|oder|et|au|ou|y|al|o|hasta)\b)?\W*(?:(?:on|the|am|den|dem|zum|le|el)\b\W*)*"
)


def in_their_months(days: Sequence[Day], behind: date | None, today: date, folded: str) -> tuple[Day, ...]:
    """Return the days of a folded text, in order: "the 24th and 26th of December" are in one month."""
    told: list[Day] = []
    for place, day in enumerate(days):
        after = days[place + 1] if day.bare and place + 1 < len(days) else None
        last = to_come_in(told, today) or behind
        if after is not None and not after.bare and _JOINED.fullmatch(folded, day.end, after.start):
            told.append(_of_its_month(day, after))
        else:
            told.append(_next(day, last, today) if day.bare and last is not None else day)
    return tuple(told)


def to_come_in(days: Iterable[Day], today: date) -> date | None:
    """Return the last of the days, if it is written with its month and to come."""
    written = [day for day in days if day.form == "written"]
    last = written[-1] if written else None
    return last.day if last is not None and last.day > today and not last.bare else None


def _of_its_month(day: Day, other: Day) -> Day:
    """Return the day in the month of another, on either side of today."""
    try:
        sides = {side: getattr(other, side).replace(day=day.day.day) for side in ("day", "before", "after")}
    except ValueError:
        return day
    return replace(day, bare=False, **sides)


def _next(day: Day, after: date, today: date) -> Day:
    """Return the next day of that number after a coming day; a few days earlier still counts as its month."""
    first = max(today, after - timedelta(days=_FEW))
    ahead = (first + timedelta(days=count) for count in range(1, _FEW + _LONGEST_MONTH + 1))
    meant = next((one for one in ahead if one.day == day.day.day), None)
    return day if meant is None else replace(day, day=meant, before=meant, after=meant, bare=False)
