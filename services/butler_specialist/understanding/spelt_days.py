# ruff: noqa: E501 - patterns stay on one line
"""Days of a month in words: "the third of December", "am vierzehnten Januar", "le trois mars" (pure).

Also "el uno de mayo". Invariant: a word that also counts things is a day only before its month. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from butler_kit.wording.folding import one_of
from butler_specialist.understanding.calendar_words import MONTHS

__all__ = ["spelt_days"]


def _numbered(said: str, first: int = 1) -> dict[str, int]:
    return {word.replace("_", " "): number for number, word in enumerate(said.split(), first)}


def _with_ones(ten: str, ones: list[str], start: int, joint: str) -> dict[str, int]:
    return {f"{ten}{joint}{one}": start + place for place, one in enumerate(ones, 1)}


_EN_ONES: Final = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"]
_EN: Final = (
    _numbered(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
        " sixteenth seventeenth eighteenth nineteenth twentieth"
    )
    | _with_ones("twenty", _EN_ONES, 20, "-")
    | _with_ones("twenty", _EN_ONES, 20, " ")
    | {"thirtieth": 30, "thirty-first": 31, "thirty first": 31}
)
_DE_ONES: Final = ["ein", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht", "neun"]
_DE: Final = (
    _numbered(
        "ersten zweiten dritten vierten funften sechsten siebten achten neunten zehnten elften zwolften dreizehnten vierzehnten"
        " funfzehnten sechzehnten siebzehnten achtzehnten neunzehnten zwanzigsten"
    )
    | {f"{one}undzwanzigsten": 20 + place for place, one in enumerate(_DE_ONES, 1)}
    | {"dreissigsten": 30, "dreißigsten": 30, "einunddreissigsten": 31, "einunddreißigsten": 31}
)
_FR: Final = _numbered(
    "premier deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf"
    " vingt vingt_et_un vingt-deux vingt-trois vingt-quatre vingt-cinq vingt-six vingt-sept vingt-huit vingt-neuf trente"
    " trente_et_un"
)
_ES: Final = _numbered(
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho"
    " diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve"
    " treinta treinta_y_uno"
) | {"primero": 1}
_MONTH: Final = rf"(?P<m>{one_of(MONTHS)})"
_WAYS: Final[tuple[tuple[re.Pattern[str], Mapping[str, int]], ...]] = (
    (re.compile(rf"\b(?:the )?(?P<d>{one_of(_EN)}) of {_MONTH}\b"), _EN),
    (re.compile(rf"\b(?!may\b|march\b|mar\b){_MONTH} (?:the )?(?P<d>{one_of(_EN)})\b"), _EN),
    (re.compile(rf"\b(?P<d>{one_of(_DE)}) {_MONTH}\b"), _DE),
    (re.compile(rf"\b(?:le|du|au|ce) (?P<d>{one_of(_FR)}) {_MONTH}\b"), _FR),
    (re.compile(rf"\b(?:el|del|al|dia|este) (?:dia )?(?P<d>{one_of(_ES)}) de {_MONTH}\b"), _ES),
)


def spelt_days(folded: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """Yield each day of the folded text: its match, its month, its day."""
    for pattern, numbers in _WAYS:
        for match in pattern.finditer(folded):
            yield match, MONTHS[match["m"]], numbers[match["d"]]
