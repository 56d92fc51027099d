"""The dates of a stay (pure): the days next to arrival and departure, else the days of the stay in order.

Invariant: the day on which a stay was booked, can be cancelled or was written about is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

from butler_specialist.understanding.day import Day
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.travels import legs

__all__ = ["days_of_a_stay", "is_made_on", "names_a_side"]

_IN: Final = re.compile(
    r"\bcheck(?:ing)?-? ?in\b|\barriv\w+\b|\banreise\w*\b|\bankunft\b|\barrivee\b|\b(?:llegada|entrada)\b"
)
_OUT: Final = re.compile(
    r"\bcheck(?:ing)?-? ?out\b|\bleav\w+\b|\bdepart(?:ure|ing)?\b|\babreise\w*\b|\bsalida\b"
)
_MADE_ON: Final = re.compile(
    r"^\W*(?:date|sent|datum|gesendet|fecha|enviado|envoye)\b\W*"
    r"|\b(?:booked|made|reserved|created|issued|confirmed|cancell?ed|paid|due) on\b"
    r"|\b(?:booking|reservation|invoice|order) date\b"
    r"|\bcancell\w+|\b(?:gebucht|reserviert|erstellt|bezahlt|storniert) am\b|\b(?:buchungs|rechnungs|bestell)datum\b"
    r"|\bstornier\w+|\bannul\w+|\bcancelacion\b|\bdate de (?:la )?reservation\b|\bfecha de (?:la )?reserva\b"
)


def names_a_side(sentence: Sentence) -> bool:
    """Return whether it names the arrival or the departure."""
    return sentence.has(_IN) or sentence.has(_OUT)


def is_made_on(sentence: Sentence) -> bool:
    """Return whether its day is that of the booking, its cancellation or a mail, not of the stay."""
    return sentence.has(_MADE_ON) and not names_a_side(sentence)


def days_of_a_stay(about: Sequence[Sentence], reading: Reading) -> tuple[date, date | None]:
    """Return arrival and departure; the latter may be unknown."""
    arrival, departure = _beside(_IN, reading), _beside(_OUT, reading)
    said = [sentence for sentence in about if not is_made_on(sentence)] or about
    days = list(_in_order([day for sentence in said for day in sentence.days]))
    if arrival is None:
        arrival = next((day for day in days if day != departure), days[0])
    if departure is None:
        departure = next((second for first, second in pairwise(days) if first == arrival), None)
    return arrival, departure if departure and departure > arrival else None


def _in_order(named: Sequence[Day]) -> Iterator[date]:
    """Yield the days; a weekday after a day is the next one from there: "from Friday 5 March to Sunday"."""
    before: date | None = None
    for day in named:
        meant = day.on("future")
        if before is not None and day.form == "weekday" and meant < before:
            meant = before + timedelta(days=(meant.weekday() - before.weekday()) % 7)
        before = meant
        yield meant


def _beside(side: re.Pattern[str], reading: Reading) -> date | None:
    """Return the day of the clause that names the side.

    The first after the word, else its only one, else the next line's.
    """
    for place, sentence in enumerate(reading.sentences):
        named = side.search(sentence.folded)
        if named is None or legs(sentence):
            continue
        behind = [day for day in sentence.days if day.start >= named.end()]
        below = [] if sentence.days else reading.sentences[place + 1 : place + 2]
        found = behind or sentence.days or [day for line in below if line.is_heading for day in line.days]
        if found:
            return found[0].on("future")
    return None
