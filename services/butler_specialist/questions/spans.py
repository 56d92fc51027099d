"""How long an event lasts (pure): "conference 12-15 May" is on the 14th too."""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.store.model import Record
from butler_specialist.understanding.dates import find_days

__all__ = ["LONGEST", "last_day"]

LONGEST: Final = timedelta(days=62)
"""Events that began longer ago are not looked for."""
_MOST_CHARS: Final = 300
_TO: Final = re.compile(
    r",? ?(?:-|to|till|until|through|bis(?: zum)?|au|jusqu'au|al|hasta(?: el)?|a)(?: the| den| dem)? ?"
)


def last_day(row: Record) -> date:
    """Return its last day, if its words, its stay or its invitation name one; else its own."""
    until = row.details.get("until")
    if row.kind in ("stay", "appointment") and isinstance(until, str):
        return date.fromisoformat(until)
    if len(row.text) > _MOST_CHARS:
        return row.occurred_on
    folded, days = fold(row.text), find_days(row.text, row.occurred_on)
    ends = [
        second.on("future")
        for first, second in pairwise(days)
        if first.on("future") == row.occurred_on and _TO.fullmatch(folded[first.end : second.start])
    ]
    return next((end for end in ends if timedelta(0) < end - row.occurred_on <= LONGEST), row.occurred_on)
