"""Amounts of money with their currency (pure).

Knows decimal points and commas, thousands marks of English, German, French and Swiss writing, currency before or
after the number. A number without a currency is no amount.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from butler_contracts.currencies import CURRENCIES
from butler_specialist.understanding.folding import fold, words

__all__ = ["NUMBER", "Amount", "amount_text", "find_amounts", "number_of", "total_text"]

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
    "fr": "CHF", "sfr": "CHF", "kronen": "DKK", "rubel": "RUB", "руб": "RUB", "рублей": "RUB", "евро": "EUR",
    "yen": "JPY", "zloty": "PLN", "buck": "USD", "bucks": "USD", "quid": "GBP",
}  # fmt: skip
_CODES: Final = words("eur usd gbp chf jpy sek nok dkk pln czk huf bgn rub inr cny aud nzd cad brl mxn")
_CENTS: Final = {"ct": "EUR", "cent": "EUR", "cents": "EUR"}

NUMBER: Final = r"\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d{1,9}(?:[.,]\d{1,2})?(?![\d])"
_NAMES: Final = "|".join(sorted(map(re.escape, [*_WORDS, *_CODES]), key=len, reverse=True))
_MARKS: Final = "|".join(sorted(map(re.escape, _SYMBOLS), key=len, reverse=True))
_AFTER: Final = re.compile(
    rf"(?<![\w.,/-])(?<!\d:)(?P<minus>-)?(?P<number>{NUMBER})(?:[.,]-{{1,2}})? {{0,2}}"
    rf"(?P<unit>{_MARKS}|(?:{_NAMES})(?![\w]))"
    r"(?: ?(?P<cents>\d{2})(?![\d.,/:-]))?"
)
_BEFORE: Final = re.compile(
    rf"(?<![\w.,/-])(?P<unit>{_MARKS}|(?:{_NAMES})\.?) ?(?P<minus>-)?(?P<number>{NUMBER})(?![\w/:]"
    rf"|[.,-]\d)"
)
_CODE_AFTER: Final = re.compile(
    rf"(?<![\w.,/-])(?<!\d:)(?P<minus>-)?(?P<number>{NUMBER}) ?(?P<unit>[a-z]{{3}})(?!\w)"
)
_CODE_BEFORE: Final = re.compile(
    rf"(?<!\w)(?P<unit>[a-z]{{3}}) ?(?P<minus>-)?(?P<number>{NUMBER})(?![\w/:]|[.,-]\d)"
)
_ALSO_WORDS: Final = frozenset({"ALL", "BAM", "COP", "CUP", "DOP", "GEL", "MAD", "MOP", "PEN", "SOS", "TOP"})
"""Other codes of ISO 4217 are currencies in capitals only, "20 TRY", and those that are also words never: "TOP 10"."""
_CENT: Final = re.compile(r"(?<![\w.,])(?P<number>\d{1,3}) ?(?P<unit>cents?|ct)\b")
_UNITS_AFTER: Final = re.compile(r"(?:million|mio|billion|thousand|tausend|mille)\b")


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum; `start` and `end` are its place in the text. Without a currency of its own, `assumed` says so."""

    value: Decimal
    currency: str
    start: int
    end: int
    assumed: bool = False


def find_amounts(text: str) -> tuple[Amount, ...]:
    """All sums in the order of the text; a part of one is never part of another."""
    folded = fold(text)
    found: list[Amount] = []
    taken = bytearray(len(folded))
    for pattern in (_AFTER, _BEFORE, _CENT, _CODE_AFTER, _CODE_BEFORE):
        for match in pattern.finditer(folded):
            if pattern in (_CODE_AFTER, _CODE_BEFORE) and not _is_code(text, match):
                continue
            start, end = match.span()
            amount = _amount(match) if 1 not in taken[start:end] else None
            if amount is not None:
                found.append(amount)
                taken[amount.start : amount.end] = b"\x01" * (amount.end - amount.start)
    return tuple(sorted(found, key=lambda amount: amount.start))


def number_of(written: str) -> Decimal:
    """The number that is written: the last of two different marks, or a mark before one or two digits, is decimal."""
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


def amount_text(value: Decimal, currency: str) -> str:
    """`1,234.50 EUR`."""
    places = 0 if currency == "JPY" and value == value.to_integral_value() else 2
    return f"{value:,.{places}f} {currency}"


def total_text(sums: list[tuple[Decimal, str]]) -> str:
    """The totals by currency, largest first; currencies are never added up."""
    by_currency: defaultdict[str, Decimal] = defaultdict(Decimal)
    for value, currency in sums:
        by_currency[currency] += value
    ordered = sorted(by_currency.items(), key=lambda item: (-item[1], item[0]))
    *others, last = [amount_text(value, currency) for currency, value in ordered] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _is_code(text: str, match: re.Match[str]) -> bool:
    return text[match.start("unit") : match.end("unit")] in CURRENCIES - _ALSO_WORDS


def _amount(match: re.Match[str]) -> Amount | None:
    groups = match.groupdict()
    unit = groups["unit"].rstrip(".")
    value = number_of(groups["number"])
    if unit in _CENTS:
        value = value / 100
    elif groups.get("cents") and "." not in groups["number"] and "," not in groups["number"]:
        value += Decimal(groups["cents"]) / 100
    if value > Decimal(10) ** 9 or _UNITS_AFTER.match(match.string, match.end() + 1):
        return None
    end = match.end()
    if groups.get("cents") and ("." in groups["number"] or "," in groups["number"]):
        end = match.end("unit")
    currency = _SYMBOLS.get(unit) or _WORDS.get(unit) or _CENTS.get(unit) or unit.upper()
    return Amount(-value if groups.get("minus") else value, currency, match.start(), end)
