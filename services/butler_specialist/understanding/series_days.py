# ruff: noqa: E501 - patterns stay on one line
"""The day on which something that recurs begins: "every other Tuesday starting the 23rd" (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_specialist.understanding.day import Day

__all__ = ["first_of_a_series"]

_EACH: Final = re.compile(
    r"\b(?:every|each|jede[nrsm]?|alle|immer|tou(?:s|tes) les|chaque|cada|todos los|todas las)\b"
)
_FROM: Final = re.compile(
    r"\b(?:starting|starts?|beginning|begins?|from|as of|ab|beginnend|angefangen|los geht'?s?|a partir d[eu]l?|des|depuis|des le|a contar d[eu]l?|desde|empezando|empieza)(?: (?:on|with|the|am|dem|den|mit|le|el))*\s*$"
)


def first_of_a_series(days: Sequence[Day], folded: str) -> Day | None:
    """Return it; None if nothing recurs, or no day is said to be the first."""
    if len(days) < 2 or _EACH.search(folded, 0, days[-1].start) is None:
        return None
    return next((day for day in days[1:] if _FROM.search(folded, 0, day.start)), None)
