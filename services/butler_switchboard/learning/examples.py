"""PURE: the household's own examples of which butler was right, and what they agree on for a text (D71, ADR 0111).

Invariant: an example is what a member wrote themselves, understood without the conversation around it, and never what
is to stay between them and a butler. What is found depends on the examples alone: not on their order, the time or the
machine.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from uuid import UUID

from butler_kit.textmodel.features import MARKS, fold_as_long, tokens, word_features
from butler_kit.wording.privacy import keeps_private
from butler_switchboard.routing.rules.follow_up import own_words, pointing

__all__ = [
    "AGREE",
    "LIKE",
    "MOST_EXAMPLES",
    "Agreed",
    "Example",
    "agreed",
    "example_of",
    "likeness",
    "taught",
    "version_of",
]

MOST_EXAMPLES: Final = 200
"""The newest that are looked at."""
LIKE: Final = 0.74
"""How alike two texts are, from 0 to 1, of which one says something about the other."""
AGREE: Final = 3
"""So many examples of one person are an agreement."""
_PERSONS: Final = 2
"""Or one of each of so many persons."""
_MOST_CHARS: Final = 300
_FEWEST_WORDS: Final = 2
_SHORT: Final = 3
_SHORT_VALUE: Final = 0.45
_VERSION_DIGITS: Final = 12
_SUBJECT: Final = "Subject: "
_NO_WORDS: Final = frozenset(token for _, token in MARKS)


@dataclass(frozen=True, slots=True)
class Example:
    """A part of a message, as its writer wrote it, and the butler that they said was the right one."""

    request_id: UUID
    segment_id: str
    person: UUID
    text: str
    butler: str


@dataclass(frozen=True, slots=True)
class Agreed:
    """The butler that like examples agree on, the likest one, and how alike it is."""

    butler: str
    likest: Example
    likeness: float
    by: tuple[Example, ...]


def taught(text: str, subject: str | None = None) -> str | None:
    """Return what a text may teach, or be judged by; None if it is long, points back, or says too little."""
    said = own_words(text, subject)
    if said.startswith(_SUBJECT):
        said = said.partition("\n")[2].strip()
    if not 0 < len(said) <= _MOST_CHARS or pointing(said, subject=None) is not None:
        return None
    words = [word for word, _ in tokens(said) if word not in _NO_WORDS]
    return said if len(words) >= _FEWEST_WORDS else None


def example_of(*, request_id: UUID, segment_id: str, person: UUID, text: str, butler: str) -> Example | None:
    """Return a correction as an example; None for one that teaches nothing, or that was said in confidence."""
    if keeps_private(text, fold_as_long):
        return None
    said = taught(text)
    return Example(request_id, segment_id, person, said, butler) if said is not None else None


def agreed(text: str, examples: Iterable[Example]) -> Agreed | None:
    """Return what the examples that are like `text` agree on; None if they are too few, or any says otherwise."""
    near = sorted(
        ((likeness(text, one.text), one) for one in examples),
        key=lambda found: (-found[0], str(found[1].request_id), found[1].segment_id),
    )
    like = [(how, one) for how, one in near if how >= LIKE]
    if len({one.butler for _, one in like}) != 1:
        return None
    if len(like) < AGREE and len({one.person for _, one in like}) < _PERSONS:
        return None
    how, likest = like[0]
    return Agreed(likest.butler, likest, how, tuple(one for _, one in like))


def likeness(one: str, other: str) -> float:
    """Return how alike two texts are in their words, from 0 to 1 (cosine)."""
    first, second = sorted((_direction(one), _direction(other)), key=len)
    return min(1.0, sum(value * second[bucket] for bucket, value in first.items() if bucket in second))


@lru_cache(maxsize=4 * MOST_EXAMPLES)
def _direction(text: str) -> Mapping[int, float]:
    """Return the features of a text's words, of length 1 together; a short word says less."""
    sums: dict[int, float] = {}
    for word, _ in tokens(text):
        weight = _SHORT_VALUE if len(word) <= _SHORT and word.isalpha() else 1.0
        for bucket, value in word_features(word):
            sums[bucket] = sums.get(bucket, 0.0) + weight * value
    length = math.sqrt(math.fsum(value * value for value in sums.values()))
    return MappingProxyType({bucket: value / length for bucket, value in sums.items()} if length else {})


def version_of(examples: Iterable[Example]) -> str:
    """Return the version of a set of examples: the same for the same set, in any order."""
    lines = sorted(
        repr((str(one.request_id), one.segment_id, str(one.person), one.butler, one.text)) for one in examples
    )
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:_VERSION_DIGITS]
