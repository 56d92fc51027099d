"""Assigns hours if a clause names several medicines: "ramipril at 8 and simvastatin at 22" (pure).

Invariant: a medicine with hours of its own beside it has no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, time
from itertools import pairwise
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.course_hours import hours_in
from butler_specialist.understanding.courses import Course
from butler_specialist.understanding.joints import ANDS
from butler_specialist.understanding.medicines import Medicine
from butler_specialist.understanding.plain_when import plain_when
from butler_specialist.understanding.sentence import Sentence

__all__ = ["Part", "parts_of"]

_JOINT: Final = re.compile(rf"[,;](?!\d)\s*(?:{ANDS})?|\s{ANDS}")

Part = tuple[int, Sentence, Course]
"""The place where the words about one medicine begin, these words, and the course they describe."""


def parts_of(sentence: Sentence, medicines: Sequence[Medicine], course: Course) -> list[Part]:
    """Return the parts of a clause in order; the whole if its medicines have no hours of their own."""
    starts = [0, *_cuts(sentence, medicines)]
    ends = [*starts[1:], len(sentence.text)]
    texts = [sentence.text[start:end] for start, end in zip(starts, ends, strict=True)]
    hours = [_hours(text, sentence.today) for text in texts]
    if len({one for one in hours if one}) < 2:
        return [(0, sentence, course)]
    own = [_meant(hours, place) for place in range(len(hours))]
    return [
        (start, replace(sentence, text=text), replace(course, hours=at))
        for start, text, at in zip(starts, texts, own, strict=True)
    ]


def _cuts(sentence: Sentence, medicines: Sequence[Medicine]) -> Iterator[int]:
    for first, second in pairwise(medicines):
        joints = list(_JOINT.finditer(sentence.folded, first.end, second.start))
        if joints:
            yield joints[-1].end()


def _hours(text: str, today: date) -> tuple[time, ...]:
    return hours_in(fold(plain_when(text, today)))


def _meant(hours: Sequence[tuple[time, ...]], place: int) -> tuple[time, ...]:
    """Return a part's hours; without any, those of the next part that has some, else of the one before."""
    return next(one for one in (*hours[place:], *reversed(hours[:place])) if one)
