"""Days and hours kept apart from values: "Zucker am 8.12." and "blood sugar on 8 December" measure nothing (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_specialist.understanding.day import Day
from butler_specialist.understanding.times import Moment

__all__ = ["without_days"]

_DIGIT: Final = re.compile(r"\d")
_LIKE_A_VALUE: Final = re.compile(r"\d{1,2}\.\d{1,2}\.")
"""A day that is also a value at the end of a sentence: "Zucker 7.2."."""
_BEFORE_A_DAY: Final = re.compile(
    r"\b(?:on|since|until|till|am|dem|den|vom|zum|seit|bis|ab|le|du|au|depuis|el|del|dia|desde) $"
)
_UNIT: Final = re.compile(r" ?(?:mmol|mg|°|grad|degrees?|degres?|grados?|bpm|kg|kilos?|cm|lbs?)")
_NEAR: Final = 14
"""The characters before a day in which a word introduces it."""
_BESIDE: Final = 8
"""The most characters between a day and its hour: "8.12. um 9:15"."""


def without_days(text: str, folded: str, days: Sequence[Day], times: Sequence[Moment]) -> str:
    """Return the text with no figure of its days, nor of hours like "9:15"; every place stays."""
    named = [(day.start, day.end) for day in days if not _may_be_a_value(folded, day, times)]
    hours = [(one.start, one.end) for one in times if ":" in folded[one.start : one.end]]
    for start, end in (*named, *hours):
        text = text[:start] + _DIGIT.sub("_", text[start:end]) + text[end:]
    return text


def _may_be_a_value(folded: str, day: Day, times: Sequence[Moment]) -> bool:
    if _UNIT.match(folded, day.end):
        return True
    if not _LIKE_A_VALUE.fullmatch(folded, day.start, day.end):
        return False
    introduced = _BEFORE_A_DAY.search(folded[max(0, day.start - _NEAR) : day.start]) is not None
    return not introduced and not any(0 <= one.start - day.end <= _BESIDE for one in times)
