# ruff: noqa: E501 - patterns stay on one line
"""Which of the entries just listed a request means by place: "the second", "beide", "tous" (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["PLACE_WORDS", "Placed", "placed_in"]

_ORDINALS: Final[Mapping[int, str]] = {
    0: r"first|1st|erste[nrsm]?|premiere?|primer[oa]?",
    1: r"second|2nd|zweite[nrsm]?|deuxieme|seconde?|segund[oa]",
    2: r"third|3rd|dritte[nrsm]?|troisieme|tercer[oa]?",
    3: r"fourth|4th|vierte[nrsm]?|quatrieme|cuart[oa]",
    4: r"fifth|5th|funfte[nrsm]?|cinquieme|quint[oa]",
    5: r"sixth|6th|sechste[nrsm]?|sixieme|sext[oa]",
    6: r"seventh|7th|siebte[nrsm]?|septieme|septim[oa]",
    7: r"eighth|8th|achte[nrsm]?|huitieme|octav[oa]",
    -1: r"last(?= one\b|\W*$| to\b)|letzte[nrsm]?(?! (?:eintrag|anderung))|derniere?(?! (?:entree|modification))|ultim[oa](?! (?:entrada|cambio))",
}
_BY_PLACE: Final = tuple(
    (place, re.compile(rf"\b(?:{forms})\b(?! of [^\W\d_])")) for place, forms in _ORDINALS.items()
)
_BOTH: Final = re.compile(r"\b(?:both|beide[nsm]?|les deux|toutes les deux|ambos|ambas|l[oa]s dos)\b")
_ALL: Final = re.compile(r"\b(?:all|alle[ns]?|tous|toutes|tout|tod[oa]s)\b")
_ONE: Final = re.compile(
    r"\b(?:the one|that one|den|die|das|celui|celle|el de(?:l)?|la de(?:l)?|l[oa]s? del?)(?= )"
)
PLACE_WORDS: Final = re.compile(
    rf"\b(?:{'|'.join(_ORDINALS.values())}|both|beide[nsm]?|les deux|ambos|ambas|dos|deux|all|alle[ns]?|tous|toutes|tout|tod[oa]s|celui|celle|ones?)\b"
)
"""The words that mean entries by their place, without naming any."""


@dataclass(frozen=True, slots=True)
class Placed:
    """What a request means of a list: one `place`, `both`, `all`, or the `one` with some property.

    `place` counts from 0; -1 is the last.
    """

    by: Literal["place", "both", "all", "one"]
    place: int = 0


def placed_in(folded: str) -> Placed | None:
    """Return how a folded clause refers to the list; None if it does not, or to several by their places."""
    if _BOTH.search(folded):
        return Placed("both")
    found = {place for place, pattern in _BY_PLACE if pattern.search(folded)}
    if found:
        return Placed("place", found.pop()) if len(found) == 1 else None
    if _ALL.search(folded):
        return Placed("all")
    return Placed("one") if _ONE.search(folded) else None
