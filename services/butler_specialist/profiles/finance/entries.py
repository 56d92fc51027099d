"""How sums and entries are listed in an answer (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.locale import say
from butler_specialist.profiles.listed import NOTHING_LISTED, Listed, first_of
from butler_specialist.questions.wording import joined, more_text, short_day
from butler_specialist.store.model import Record
from butler_specialist.understanding.money import amount_text
from butler_specialist.understanding.purpose import for_what
from butler_specialist.understanding.reading import Reading

__all__ = ["entries_of", "largest_of", "listed_of", "sums_of"]

_SHOWN: Final = 8


def sums_of(rows: Sequence[Record], kind: str) -> list[tuple[Decimal, str]]:
    return [
        (row.amount, row.currency)
        for row in rows
        if row.kind == kind and row.amount is not None and row.currency
    ]


def largest_of(chosen: Sequence[Record], reading: Reading) -> str:
    """Return the largest sum of each currency."""
    by_currency: dict[str, Record] = {}
    for row in chosen:
        known = by_currency.get(row.currency or "")
        if row.amount is not None and (known is None or (known.amount or 0) < row.amount):
            by_currency[row.currency or ""] = row
    return joined([_entry(row, reading) for row in by_currency.values()], reading.language)


def entries_of(chosen: Sequence[Record], reading: Reading) -> list[str]:
    """Return the newest entries; equal ones once, with their number, as their sum is stated elsewhere."""
    often = Counter(_entry(row, reading) for row in chosen)
    shown = list(often.items())[:_SHOWN]
    more = len(chosen) - sum(number for _, number in shown)
    language = reading.language
    said = [entry if number == 1 else f"{entry[:-1]}, {_times(number, language)})" for entry, number in shown]
    return [*said, more_text(more, language)] if more else said


def listed_of(chosen: Sequence[Record], reading: Reading) -> Listed:
    """Return the same as stored records.

    Nothing if two read the same, since a place cannot distinguish them.
    """
    if len({_entry(row, reading) for row in chosen}) < len(chosen):
        return NOTHING_LISTED
    return first_of(chosen, _SHOWN)


def _times(number: int, language: Language) -> str:
    return say(language, "twice") if number == 2 else say(language, "{number} times", number=number)


def _entry(row: Record, reading: Reading) -> str:
    language = reading.language
    sum_text = say(language, "no amount")
    if row.amount is not None:
        sum_text = amount_text(row.amount, row.currency or "", language)
    paid = say(language, ", paid") if row.done_on is not None else ""
    day = f"{short_day(row.occurred_on, reading.today, language)}{paid}"
    what = for_what(row.title, language)
    if row.kind == "expense" and row.party and fold(row.party) not in fold(what):
        what += say(language, " at {subject}", subject=row.party)
    return f"{sum_text}{what[:-1]}, {day})" if what.endswith(")") else f"{sum_text}{what} ({day})"
