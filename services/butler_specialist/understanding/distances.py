# ruff: noqa: E501 - patterns stay on one line
"""How far somebody ran, cycled, swam or walked (pure). EN, DE, FR, ES; in `km`, `m` or `mi`, as stated.

Invariant: only what was done counts, by a verb of the past or a day's entry ("10 km run today"): a wish has no
distance, and how far away a place is counts for nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

__all__ = ["Moved", "distances"]

Moved = tuple[str, Decimal, str, int, int]
"""The activity, the distance, its unit, and its place in the text."""
_FAR: Final = r"(?<![\w.,])(?P<v>\d{1,3}(?:[.,]\d{1,2})?|\d{4,5}(?= ?m\b)) ?(?P<u>km|ks?|kms|kilometers?|kilometres?|kilometros?|kilometern?|miles?|mi|meilen|millas|m|meters?|metres?|metern?|metros?)\b(?! ?/)"
_DONE: Final = {
    "running": (
        r"(?<!car )(?<!it )(?<!train )(?<!bus )ran(?! out\b)|jogged|went running|went (?:for )?a (?:run|jog)|did a run|joggte|corri|corrimos|j'ai couru|ai couru|avons couru|he corrido|hemos corrido|sali a correr",
        r"gelaufen|gejoggt|gerannt|joggen gewesen|run (?:today|this morning|done)|de course a pied|de running|corriendo",
    ),
    "cycling": (
        r"cycled|biked|went cycling|j'ai pedale|ai pedale|radelte",
        r"geradelt|rad gefahren|fahrrad gefahren|ride (?:today|this morning|done)",
    ),
    "swimming": (
        r"swam|went swimming|j'ai nage|ai nage|avons nage|nade|nadamos|he nadado|schwamm",
        r"geschwommen|swim (?:today|this morning|done)|de natation|nadando",
    ),
    "walking": (
        r"walked|hiked|went (?:for )?a (?:walk|hike)|went hiking|j'ai marche|ai marche|avons marche|camine|caminamos|he caminado|he andado",
        r"gewandert|spaziert|spazieren gegangen|de marche|de randonnee|caminando",
    ),
}
_MOST: Final = {"running": 100, "cycling": 400, "swimming": 30, "walking": 100}
"""The most kilometres; a longer distance was driven."""
_WAYS: Final = tuple(
    (code, pattern)
    for code, (before, behind) in _DONE.items()
    for pattern in (
        re.compile(rf"\b(?:{before})\b[^\d.!?\n]{{0,30}}?{_FAR}"),
        re.compile(rf"{_FAR}[^\d.!?\n]{{0,30}}?\b(?:{behind})\b"),
    )
)
_NOT_DONE: Final = re.compile(
    r"\b(?:want\w*|will|would|could|should|plan\w*|going to|hope\w*|goal|target|if|wish|never|n't|not|mochte|wollte|ziel|plane|nicht|wenn|veux|voudrais|vais|objectif|jamais|pas|si|quiero|voy a|objetivo|meta|nunca|no)\b|\?"
)
_IN_KM: Final = {"km": Decimal(1), "m": Decimal("0.001"), "mi": Decimal("1.609")}


def distances(folded: str) -> Iterator[Moved]:
    """Yield each distance of the folded text; a number counts once."""
    if _NOT_DONE.search(folded):
        return
    taken: set[int] = set()
    for code, pattern in _WAYS:
        for match in pattern.finditer(folded):
            far, unit = Decimal(match["v"].replace(",", ".")), _unit(match["u"])
            if match.start("v") not in taken and 0 < far * _IN_KM[unit] <= _MOST[code]:
                taken.add(match.start("v"))
                yield code, far, unit, match.start(), match.end()


def _unit(written: str) -> str:
    if written.startswith(("mi", "mei")):
        return "mi"
    return "m" if written.startswith("m") else "km"
