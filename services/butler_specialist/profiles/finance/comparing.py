"""Compares spending with the month, week or year before (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from butler_specialist.locale import noop, say
from butler_specialist.questions.periods import Period, Unit, this_and_last
from butler_specialist.store.model import Record
from butler_specialist.understanding.money import amount_text, total_text
from butler_specialist.understanding.reading import Reading

__all__ = ["compared_in", "comparison_text"]

_THAN: Final = re.compile(
    r"\b(?:more|less|cheaper|mehr|weniger|plus|moins|mas|menos)\b[^.!?]{0,40}?\b(?:than|als|que|qu'en|im vergleich)\b"
    r"|\bcompared? (?:to|with)\b|\bim vergleich\b|\bpar rapport\b|\bcomparado\b"
)
_UNITS: Final[tuple[tuple[Unit, re.Pattern[str]], ...]] = (
    ("month", re.compile(r"\b(?:month|monat|mois|mes)\b")),
    ("week", re.compile(r"\b(?:week|woche|semaine|semana)\b")),
    ("year", re.compile(r"\b(?:year|jahr|annee|an|ano)\b")),
)
_BOTH: Final = noop("You spent {total} {period} and {other} {before}.")
_MORE: Final = noop("That is {difference} more.")
_LESS: Final = noop("That is {difference} less.")
_SAME: Final = noop("That is the same.")
_NOTHING: Final = noop("nothing")


def compared_in(reading: Reading) -> tuple[Period, Period] | None:
    """Return the two periods that a question compares, the later first."""
    if not reading.has(_THAN):
        return None
    unit = next((unit for unit, pattern in _UNITS if reading.has(pattern)), None)
    return this_and_last(unit, reading.today, reading.language) if unit is not None else None


def comparison_text(rows: Sequence[Record], periods: tuple[Period, Period], reading: Reading) -> str:
    """Return both totals, and their difference if all is in one currency."""
    language = reading.language
    later, earlier = (_sums(rows, period) for period in periods)
    totals = [total_text(sums, language) if sums else say(language, _NOTHING) for sums in (later, earlier)]
    said = say(
        language, _BOTH, total=totals[0], period=periods[0].label, other=totals[1], before=periods[1].label
    )
    currencies = {currency for _, currency in (*later, *earlier)}
    if len(currencies) != 1:
        return said
    [currency] = currencies
    more = sum((value for value, _ in later), Decimal(0)) - sum((value for value, _ in earlier), Decimal(0))
    text = _MORE if more > 0 else _LESS if more < 0 else _SAME
    return f"{said} " + say(language, text, difference=amount_text(abs(more), currency, language))


def _sums(rows: Sequence[Record], period: Period) -> list[tuple[Decimal, str]]:
    return [
        (row.amount, row.currency)
        for row in rows
        if row.kind == "expense"
        and row.amount is not None
        and row.currency
        and (period.start is None or period.start <= row.occurred_on)
        and (period.end is None or row.occurred_on < period.end)
    ]
