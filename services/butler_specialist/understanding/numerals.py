"""Whole numbers from 1 to 999 in words, folded: "zwölf", "twenty-five", "quatre-vingt-dix" (pure). EN, DE, FR, ES."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from butler_kit.wording.folding import words

__all__ = ["numeral_after", "numeral_before"]


def _in_order(text: str) -> list[str]:
    return text.split()


_EN: Final = _in_order(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_DE: Final = _in_order(
    "ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn"
    " achtzehn neunzehn"
)
_FR: Final = _in_order(
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit"
    " dix-neuf"
)
_ES: Final = _in_order(
    "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete"
    " dieciocho diecinueve"
)
_EN_TENS: Final = _in_order("twenty thirty forty fifty sixty seventy eighty ninety")
_DE_TENS: Final = _in_order("zwanzig dreißig vierzig funfzig sechzig siebzig achtzig neunzig")
_FR_TENS: Final = _in_order("vingt trente quarante cinquante soixante")
_FR_TENS_ABROAD: Final = {"septante": 70, "huitante": 80, "octante": 80, "nonante": 90}
"""As in Belgium and Switzerland."""
_ES_TENS: Final = _in_order("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_ES_HUNDREDS: Final = _in_order(
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
_JOINTS: Final = words("and und et y")
_PART_OF_MORE: Final = words(
    "hundred hundert cent cien ciento thousand tausend mille mil million millions millionen millones"
    " or oder ou o to bis a hasta point komma virgule coma minus half halb demi medio"
)
"""Words before a numeral that is not the whole number."""
_LONGEST: Final = 6
"""The most words of one number."""
_SIGNS: Final = ".,;!?)\n"


def numeral_before(folded: str, end: int) -> tuple[int, int] | None:
    """Return the number whose words end at `end`, and their start.

    None if they are part of something else.
    """
    spoken = folded[max(0, end - 80) : end].replace("-", " ")
    if not spoken.strip() or spoken != spoken.rstrip(" ") + " ":
        return None
    said = spoken.split()[-_LONGEST - 1 :]
    for first in range(max(0, len(said) - _LONGEST), len(said)):
        number = _NUMERALS.get(" ".join(said[first:]))
        if number is not None:
            before = next((word for word in reversed(said[:first]) if word not in _JOINTS), "")
            whole = before not in _PART_OF_MORE and before not in _NUMERALS and not before[-1:].isdigit()
            return (number, end - len(" ".join(said[first:])) - 1) if whole else None
    return None


def numeral_after(folded: str, start: int) -> tuple[int, int] | None:
    """Return the number below a hundred whose words begin at `start`, and their end."""
    said = folded[start : start + 40].replace("-", " ").split(" ")
    if said[0].rstrip(_SIGNS) not in _FIRST_WORDS:
        return None
    for count in range(min(4, len(said)), 0, -1):
        text = " ".join(said[:count])
        bare = text.rstrip(_SIGNS)
        number = _NUMERALS.get(bare)
        if number is not None and number < 100:
            return number, start + len(bare)
    return None


def _tens(units: list[str], tens: list[str], joined: str) -> Iterator[tuple[str, int]]:
    """Yield 1 to 99: `{ten}` and `{unit}` in the order of `joined`."""
    yield from ((unit, number) for number, unit in enumerate(units, 1))
    for step, ten in enumerate(tens, 2):
        yield ten, step * 10
        yield from ((joined.format(ten=ten, unit=units[n - 1]), step * 10 + n) for n in range(1, 10))


def _french() -> Iterator[tuple[str, int]]:
    yield from ((unit, number) for number, unit in enumerate(_FR, 1))
    for step, ten in enumerate(_FR_TENS, 2):
        yield ten, step * 10
        for n in range(1, 20 if ten == "soixante" else 10):
            yield f"{ten} {'et ' if n in (1, 11) else ''}{_FR[n - 1]}", step * 10 + n
    for ten, number in _FR_TENS_ABROAD.items():
        yield ten, number
        yield from ((f"{ten} {'et ' if n == 1 else ''}{_FR[n - 1]}", number + n) for n in range(1, 10))
    yield from (("quatre vingts", 80), ("quatre vingt", 80))
    yield from ((f"quatre vingt {_FR[n - 1]}", 80 + n) for n in range(1, 20))


def _spanish() -> Iterator[tuple[str, int]]:
    yield from _tens(_ES, _ES_TENS, "{ten} y {unit}")
    yield from ((f"veinti{unit}", 20 + n) for n, unit in enumerate(_ES[:9], 1))


def _hundreds(
    below: list[tuple[str, int]], hundreds: list[str], joints: tuple[str, ...]
) -> Iterator[tuple[str, int]]:
    for step, hundred in enumerate(hundreds, 1):
        yield hundred, step * 100
        yield from (
            (f"{hundred}{joint}{said}", step * 100 + number) for said, number in below for joint in joints
        )


def _all() -> Iterator[tuple[str, int]]:
    english, german = list(_tens(_EN, _EN_TENS, "{ten} {unit}")), list(_tens(_DE, _DE_TENS, "{unit}und{ten}"))
    french, spanish = list(_french()), list(_spanish())
    yield from (*english, *german, *french, *spanish)
    yield from _hundreds(english, [f"{unit} hundred" for unit in _EN[:9]], (" and ", " "))
    yield from _hundreds(english, ["a hundred"], (" and ",))
    yield from _hundreds(german, [f"{unit}hundert" for unit in _DE[:9]], ("", "und"))
    yield from _hundreds(german, ["hundert"], ("", "und"))
    yield from _hundreds(french, ["cent", *(f"{unit} cent" for unit in _FR[1:9])], (" ",))
    yield from ((f"{unit} cents", 100 * n) for n, unit in enumerate(_FR[1:9], 2))
    yield from _hundreds(spanish, _ES_HUNDREDS, (" ",))
    yield "cien", 100


_NUMERALS: Final = {said.replace("-", " "): number for said, number in _all()} | {
    "una": 1,
    "eine": 1,
    "une": 1,
}
_FIRST_WORDS: Final = frozenset(said.split()[0] for said in _NUMERALS)
