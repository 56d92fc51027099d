"""The part of a clause that each of several sums is about: "25 at Boots and 60 at H&M" (pure).

If the words follow the sums, each has those up to the last joint before the next; if they precede them, those from
the first joint after the previous one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from butler_specialist.understanding.joints import ANDS
from butler_specialist.understanding.money import Amount
from butler_specialist.understanding.sentence import Sentence

__all__ = ["portion_of", "portions_up_to"]

_JOINT: Final = re.compile(rf"\s*[,;]\s*(?:{ANDS})?|\s+{ANDS}")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_NO_PURPOSE: Final = re.compile(
    r"\b(?:today|yesterday|paid|spent|bezahlt|gezahlt|ausgegeben|gelassen|gekostet|on|last|this|for|and|und|depense|paye"
    r"|gastado|pagado|euros?|eur)\b"
)

_NEAREST: Final = 4
"""The sums among which the nearest verb is: "bought socks for 24.90, got 19.90 back"."""


def portion_of(sentence: Sentence, amount: Amount) -> tuple[Sentence, Amount]:
    """Return the words about one sum, and the sum in its place there.

    The whole clause if it is the only one.
    """
    return sentence.once(_portion, amount)


def _portion(sentence: Sentence, amount: Amount) -> tuple[Sentence, Amount]:
    place = _place(sentence, amount)
    bounds = None if place is None else _bounds(sentence)
    if place is None or bounds is None:
        return sentence, amount
    start, end = bounds[place], bounds[place + 1]
    text = sentence.text[start:end]
    moved = replace(amount, start=amount.start - start, end=amount.end - start)
    return replace(sentence, text=text), moved


def portions_up_to(sentence: Sentence, amount: Amount) -> tuple[Sentence, ...]:
    """Return the words about this sum and the few before it, in order; empty if sums are not separate."""
    place = _place(sentence, amount)
    return () if place is None else _portions(sentence)[max(0, place + 1 - _NEAREST) : place + 1]


def _place(sentence: Sentence, amount: Amount) -> int | None:
    """Return which of several sums it is; None if it is the only one, or none of the sentence."""
    sums = sentence.amounts
    place = bisect_left(sums, amount.start, key=lambda one: one.start)
    return place if 1 < len(sums) > place and sums[place] == amount else None


@lru_cache(maxsize=64)
def _portions(sentence: Sentence) -> tuple[Sentence, ...]:
    bounds = _bounds(sentence) or ()
    return tuple(replace(sentence, text=sentence.text[start:end]) for start, end in pairwise(bounds))


@lru_cache(maxsize=64)
def _bounds(sentence: Sentence) -> tuple[int, ...] | None:
    """Return where the portions begin and the last one ends; None if two sums have no joint between them."""
    sums, cuts = sentence.amounts, [0]
    behind = _says_something(sentence, sums[-1].end, len(sentence.text))
    for first, second in pairwise(sums):
        joints = list(_JOINT.finditer(sentence.folded, first.end, second.start))
        if not joints:
            return None
        cuts.append((joints[-1] if behind else joints[0]).end())
    return (*cuts, len(sentence.text))


def _says_something(sentence: Sentence, start: int, end: int) -> bool:
    """Return whether there are words that a sum may be for, besides a day and the verb."""
    kept = list(sentence.folded)
    for day in sentence.days:
        kept[day.start : day.end] = " " * (day.end - day.start)
    return _WORD.search(_NO_PURPOSE.sub(" ", "".join(kept[start:end]))) is not None
