"""Amounts of money with their currency (pure).

Supports decimal points and commas, the thousands separators of English, German, French and Swiss writing, a
currency before or after the number, cents behind it, and numbers in words. A number without a currency is no
amount, and neither is a weight in pounds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from butler_contracts.currencies import CURRENCIES
from butler_contracts.language import Language
from butler_kit.wording.folding import fold, one_of, words
from butler_specialist.locale import calendar, joined
from butler_specialist.understanding.kept import kept
from butler_specialist.understanding.numerals import numeral_after, numeral_before

__all__ = [
    "MOST_SUMS",
    "NUMBER",
    "Amount",
    "amount_text",
    "currency_in",
    "find_amounts",
    "number_of",
    "total_text",
]

_SYMBOLS: Final = {
    "€": "EUR",
    "$": "USD",
    "£": "GBP",
    "¥": "JPY",
    "₽": "RUB",
    "₹": "INR",
    "zł": "PLN",
    "us$": "USD",
}
_WORDS: Final = {
    "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "dolares": "USD", "pound": "GBP",
    "pounds": "GBP", "pfund": "GBP", "livres": "GBP", "libras": "GBP", "franken": "CHF", "francs": "CHF",
    "franke": "CHF", "fr": "CHF",
    "sfr": "CHF", "kronen": "DKK", "rubel": "RUB", "руб": "RUB", "рублей": "RUB", "евро": "EUR",
    "yen": "JPY", "zloty": "PLN", "buck": "USD", "bucks": "USD", "quid": "GBP",
}  # fmt: skip
_CODES: Final = words("eur usd gbp chf jpy sek nok dkk pln czk huf bgn rub inr cny aud nzd cad brl mxn")
_CENTS: Final = {"ct": "EUR", "cent": "EUR", "cents": "EUR"}
_CENT_WORDS: Final = r"(?:cents?|ct|centimes?|centimos?|pence|rappen|kopeken)\b"

NUMBER: Final = r"\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d{1,9}(?:[.,]\d{1,2})?(?![\d])"
_NAMES: Final = one_of([*_WORDS, *_CODES])
_MARKS: Final = one_of(_SYMBOLS)
_AFTER: Final = re.compile(
    rf"(?<![\w.,/-])(?<!\d:)(?P<minus>-)?(?P<number>{NUMBER})(?:[.,]-{{1,2}})?"
    rf"(?: ?(?P<kilo>k|mil|tausend|thousand|grand)(?= ?[^\W\d]|[€$£]| [€$£]))? {{0,2}}"
    rf"(?P<unit>{_MARKS}|(?:{_NAMES})(?![\w]))"
)
_SPELT: Final = re.compile(r"(?<= )(?P<unit>euros?|dollars?|dolares|quid|bucks?|pounds?|franken|francs)\b")
"""A currency after a number in words."""
_TAIL: Final = re.compile(
    r"(?P<joint> (?:(?P<word>and|und|et|y|con) )?|)(?:(?P<cents>\d{1,2})(?![\d/:-]|[.,]\d))?"
)
_CENT_WORD: Final = re.compile(r" ?(?:cents?|ct|centimes?|centimos?|pence|rappen)\b")
_CENTS_END: Final = re.compile(
    r"\s*(?:$|[.,;!?)\n]| -|(?:for|at|on|in|to|from|with|and|each|today|yesterday|paid|cash|fur|bei|beim|an|am|im|mit"
    r"|und|heute|gestern|bezahlt|gezahlt|ausgegeben|gekostet|bar|pour|chez|a|au|aux|avec|et|hier|por|para|en|con|y"
    r"|ayer|hoy)\b)"
)
"""What may follow unnamed cents: "11 Euro 80 bezahlt", but not "20 euros 15 minutes ago"."""
_WEIGHED: Final = re.compile(r" (?:of|de) | d'")
_POUNDS: Final = frozenset({"pound", "pounds", "pfund", "livres", "libras"})
_BEFORE: Final = re.compile(
    rf"(?<![\w.,/-])(?P<unit>{_MARKS}|(?:{_NAMES})\.?) ?(?P<minus>-)?(?P<number>{NUMBER})"
    rf"(?P<kilo>k\b)?(?![\w/:]|[.,-]\d)"
)
_CODE_AFTER: Final = re.compile(
    rf"(?<![\w.,/-])(?<!\d:)(?P<minus>-)?(?P<number>{NUMBER}) ?(?P<unit>[a-z]{{3}})(?!\w)"
)
_CODE_BEFORE: Final = re.compile(
    rf"(?<!\w)(?P<unit>[a-z]{{3}}) ?(?P<minus>-)?(?P<number>{NUMBER})(?![\w/:]|[.,-]\d)"
)
_CENT: Final = re.compile(r"(?<![\w.,])(?P<number>\d{1,3}) ?(?P<unit>cents?|ct)\b")
_IN_FIGURES: Final = (_AFTER, _SPELT, _BEFORE, _CENT, _CODE_AFTER, _CODE_BEFORE)
"""In order of precedence; without any figure only a number in words is a sum."""
_DIGIT: Final = re.compile(r"\d")
_ALSO_WORDS: Final = frozenset({"ALL", "BAM", "COP", "CUP", "DOP", "GEL", "MAD", "MOP", "PEN", "SOS", "TOP"})
"""Other ISO 4217 codes are currencies only in capitals, "20 TRY".

Codes that are also words never are: "TOP 10".
"""
_NAMED_ALONE: Final = re.compile(
    rf"\W*(?:(?:in|auf|en) )?(?:(?:swiss|us|american|british|schweizer|amerikanischen?|britischen?) )?"
    rf"(?P<unit>{_MARKS}|{_NAMES}|[a-z]{{3}})(?: (?:suisses?|suizos|sterling))?\W*"
    rf"(?:(?:,| and| und| et| y)? ?(?:not|nicht|keine|pas|no) [^\W\d_]+\W*)?$"
)
"""A currency alone, or with the one that it was not."""
_UNITS_AFTER: Final = re.compile(r"(?:million|mio|billion|thousand|tausend|mille)\b")


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum; `start` and `end` are its place in the text; `assumed` if it names no currency of its own."""

    value: Decimal
    currency: str
    start: int
    end: int
    assumed: bool = False


_LARGEST: Final = Decimal(10) ** 9
MOST_SUMS: Final = 100
"""The most sums of one text: more than a person writes in a sentence."""


@kept
def find_amounts(text: str) -> tuple[Amount, ...]:
    """Return the sums in the order of the text, at most 100, without overlaps."""
    folded = fold(text)
    found: list[Amount] = []
    taken = bytearray(len(folded))
    for pattern in _IN_FIGURES if _DIGIT.search(folded) else (_SPELT,):
        for match in pattern.finditer(folded):
            if pattern in (_CODE_AFTER, _CODE_BEFORE) and not _is_code(text, match):
                continue
            if pattern is _BEFORE and text[match.start("unit") : match.end("unit")] == "FR":
                continue  # a flight of Ryanair's
            start, end = match.span()
            amount = _amount(match) if 1 not in taken[start:end] else None
            if amount is not None:
                found.append(amount)
                taken[amount.start : amount.end] = b"\x01" * (amount.end - amount.start)
            if len(found) == MOST_SUMS:
                return _in_order(found)
    return _in_order(found)


def currency_in(text: str) -> str | None:
    """Return the currency of words that name nothing else: "in Swiss francs", "Pfund", "€"."""
    found = _NAMED_ALONE.match(fold(text))
    if found is None:
        return None
    unit = found["unit"]
    known = _SYMBOLS.get(unit) or _WORDS.get(unit) or (unit.upper() if unit in _CODES else None)
    return known if known is not None or not _is_code(text, found) else unit.upper()


def _in_order(found: list[Amount]) -> tuple[Amount, ...]:
    return tuple(sorted(found, key=lambda amount: amount.start))


def number_of(written: str) -> Decimal:
    """Return the number as written.

    The last of two different separators, or one before one or two digits, is decimal.
    """
    compact = written.replace(" ", "").replace("'", "")
    last = max(compact.rfind("."), compact.rfind(","))
    if last < 0:
        return Decimal(compact)
    mark, digits_after = compact[last], len(compact) - last - 1
    both = "." in compact and "," in compact
    if both or (compact.count(mark) == 1 and digits_after != 3):
        whole = compact[:last].replace(".", "").replace(",", "")
        return Decimal(f"{whole or '0'}.{compact[last + 1 :]}")
    return Decimal(compact.replace(".", "").replace(",", ""))


def amount_text(value: Decimal, currency: str, language: Language = "en") -> str:
    """Return `1,234.50 EUR`, in German `1.234,50 EUR`."""
    places = 0 if currency == "JPY" and value == value.to_integral_value() else 2
    thousands, fraction = calendar.MARKS[language]
    marks = str.maketrans({",": thousands, ".": fraction})
    return f"{format(value, f',.{places}f').translate(marks)} {currency}"


def total_text(sums: list[tuple[Decimal, str]], language: Language = "en") -> str:
    """Return the totals by currency, largest first; currencies are never added together."""
    by_currency: defaultdict[str, Decimal] = defaultdict(Decimal)
    for value, currency in sums:
        by_currency[currency] += value
    ordered = sorted(by_currency.items(), key=lambda item: (-item[1], item[0]))
    return joined([amount_text(value, currency, language) for currency, value in ordered], language)


def _is_code(text: str, match: re.Match[str]) -> bool:
    return text[match.start("unit") : match.end("unit")] in CURRENCIES - _ALSO_WORDS


def _amount(match: re.Match[str]) -> Amount | None:
    groups = match.groupdict()
    unit = groups["unit"].rstrip(".")
    written = groups.get("number")
    spelt = None if written else numeral_before(match.string, match.start())
    if _is_a_weight(unit, match) or (written is None and spelt is None):
        return None
    value = Decimal(spelt[0]) if spelt else number_of(written or "")
    value *= 1000 if groups.get("kilo") else 1
    start = spelt[1] if spelt else match.start()
    end = match.end()
    if unit in _CENTS:
        value = value / 100
    elif (
        match.end() == match.end("unit") and value == value.to_integral_value() and (behind := _cents(match))
    ):
        value, end = value + behind[0], behind[1]
    if value > _LARGEST or _UNITS_AFTER.match(match.string, match.end() + 1):
        return None
    currency = _SYMBOLS.get(unit) or _WORDS.get(unit) or _CENTS.get(unit) or unit.upper()
    return Amount(-value if groups.get("minus") else value, currency, start, end)


def _is_a_weight(unit: str, match: re.Match[str]) -> bool:
    """Return whether the pounds are a weight: "2 pounds of butter", "2 Pfund Butter"."""
    if unit not in _POUNDS:
        return False
    of_something = unit == "pfund" and not _CENTS_END.match(match.string, match.end("unit"))
    return of_something or _WEIGHED.match(match.string, match.end("unit")) is not None


def _cents(match: re.Match[str]) -> tuple[Decimal, int] | None:
    """Return the cents after a whole sum, and their end: "11 Euro 80", "3 euros y 50 céntimos", "5€50"."""
    folded = match.string
    tail = _TAIL.match(folded, match.end())
    if tail is None:
        return None
    cents, end = (int(tail["cents"]), tail.end()) if tail["cents"] else (0, 0)
    if not cents and tail["joint"]:
        cents, end = numeral_after(folded, tail.end("joint")) or (0, 0)
    if not cents:
        return None
    if named := _CENT_WORD.match(folded, end):
        return Decimal(cents) / 100, named.end()
    glued = not tail["joint"] and match["unit"] in _SYMBOLS
    alone = tail["word"] in (None, "con") and cents >= 10 and (glued or _CENTS_END.match(folded, end))
    return (Decimal(cents) / 100, end) if alone else None
