# ruff: noqa: E501 - patterns stay on one line
"""Slang for money, in the household's currency: "a tenner", "20 balles", "veinte pavos" (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.calendar_words import COUNTS
from butler_specialist.understanding.money import NUMBER, Amount, number_of
from butler_specialist.understanding.numerals import numeral_before

__all__ = ["slang_sums"]

_UNITS: Final = (
    r"balles|euroballes|pavos|lereles|leuros|eurillos|euritos|tacken|ocken|mause|kroten|piepen|flocken"
)
_NOTES: Final = {
    "fiver": 5, "tenner": 10, "grand": 1000, "funfer": 5, "zehner": 10, "zwanziger": 20, "funfziger": 50,
    "fuffziger": 50, "fuffi": 50, "hunderter": 100, "hunni": 100,
}  # fmt: skip
_FEW: Final = COUNTS | {
    "nen": 1,
    "'nen": 1,
    "ne": 1,
    "nem": 1,
    "den": 1,
    "the": 1,
    "einem": 1,
    "his": 1,
    "her": 1,
    "their": 1,
    "seinen": 1,
    "ihren": 1,
    "einen": 1,
}
_COUNTED: Final = re.compile(
    rf"(?<![\w.,/-])(?:(?P<number>{NUMBER}) ?)?\b(?P<unit>{_UNITS})(?!\w)(?! (?:sauvages?|graues?)\b)"
)
_NOTE: Final = re.compile(
    rf"(?<![\w'])(?P<how>{one_of(_FEW)}|\d{{1,2}})"
    rf" ?(?P<note>{'|'.join(_NOTES)})(?:s|e|en)?(?![\w-])(?! (?:piano|prix|slam|birthday|geburtstag))"
)
_ROUND: Final = {
    "dizaine": 10, "quinzaine": 15, "vingtaine": 20, "trentaine": 30, "quarantaine": 40, "cinquantaine": 50,
    "soixantaine": 60, "centaine": 100, "decena": 10, "veintena": 20, "treintena": 30, "centena": 100,
}  # fmt: skip
_ROUNDLY: Final = re.compile(
    rf"\b(?:une|una) (?P<round>{'|'.join(_ROUND)}) (?:d'|de )(?:euros?|balles|pavos)\b"
)
_WITH_CENTS: Final = re.compile(
    r"\b(?:por|cuesta|costo|son|fueron|pague|gaste|he pagado|he gastado) (?P<whole>\d{1,4}) con (?P<cents>\d{2})(?![\d:/]|[.,]\d)"
)
"""As in Spanish: "por 13 con 50"."""
_ANIMALS: Final = re.compile(r"\b(?:compr\w+|cocin\w+|com(?:imos|i|er|emos)|gefangen|caught) (?:los |las )?$")
"""Turkeys and mice."""


def slang_sums(folded: str) -> Iterator[Amount]:
    """Yield the sums of a folded text, without a currency of their own."""
    for match in _COUNTED.finditer(folded):
        written = match["number"]
        spelt = None if written else numeral_before(folded, match.start("unit"))
        start = match.start() if written else spelt[1] if spelt else None
        if start is not None and not _ANIMALS.search(folded[max(0, start - 30) : start]):
            value = number_of(written) if written else Decimal(spelt[0] if spelt else 0)
            yield Amount(value, "", start, match.end(), assumed=True)
    for match in _WITH_CENTS.finditer(folded):
        value = Decimal(f"{match['whole']}.{match['cents']}")
        yield Amount(value, "", match.start("whole"), match.end(), assumed=True)
    for match in _ROUNDLY.finditer(folded):
        yield Amount(Decimal(_ROUND[match["round"]]), "", match.start(), match.end(), assumed=True)
    for match in _NOTE.finditer(folded):
        how = match["how"]
        many = int(how) if how.isdigit() else _FEW[how]
        yield Amount(Decimal(many * _NOTES[match["note"]]), "", match.start(), match.end(), assumed=True)
