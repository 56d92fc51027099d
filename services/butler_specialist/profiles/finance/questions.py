"""Questions about money and their answers from the records (pure)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from butler_specialist.profiles.finance.kinds import KINDS
from butler_specialist.profiles.finance.places import PLACE, with_places
from butler_specialist.profiles.profile import Lookup
from butler_specialist.questions.periods import Period, period_of
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.wording import joined, short_day
from butler_specialist.store.model import MOST_ROWS, Record
from butler_specialist.understanding.folding import fold, words
from butler_specialist.understanding.money import amount_text, total_text
from butler_specialist.understanding.purpose import for_what
from butler_specialist.understanding.reading import Reading

__all__ = ["answer", "lookup"]

_BILLS: Final = re.compile(
    r"\b(?:bills?|invoices?|due|owe|rechnung(?:en)?|fallig|offen|factures?|echeance|facturas?|vencen?"
    r"|to pay|have to pay|need to pay|bezahlen)\b"
)
_SUBSCRIPTIONS: Final = re.compile(
    r"\b(?:subscriptions?|renew\w*|abos?|abonnements?|suscripcion\w*|memberships?)\b"
)
_REFUNDS: Final = re.compile(r"\b(?:refund\w*|erstatt\w*|rembours\w*|reembols\w*)")
_INCOME: Final = re.compile(
    r"\b(?:earn\w*|income|salary|verdient|gehalt|einnahmen|gagne|salaire|ganado|sueldo|receive\w*)\b"
)
_LARGEST: Final = re.compile(
    r"\b(?:biggest|largest|highest|most expensive|grosste\w*|hochste\w*|teuerste\w*|plus (?:grosse"
    r"|grande)|mayor)\b"
)
_ABOUT: Final = re.compile(
    r"\b(?:on|for|fur|pour|en|para|at|bei|chez)\s+(?:the\s+|die\s+|das\s+|la\s+|les\s+"
    r"|el\s+)?(?P<what>[^\W\d_]{3,}(?: [^\W\d_]{3,})?)"
)
_NOT_SUBJECTS: Final = words(
    "this last next month week year monat woche jahr mois semaine annee mes semana ano today yesterday"
    " the total everything things january february march"
    " april may june july august september october november december januar februar marz mai juni juli"
    " oktober dezember average"
)
_SHOWN: Final = 8


def lookup(reading: Reading) -> Lookup | None:
    """What a question is about; None when the message asks nothing."""
    if not is_question(reading) or reading.sums:
        return None
    period = _period(reading)
    kinds = ("expense", "refund", PLACE) if _topic(reading) == "expense" else (_topic(reading),)
    return Lookup(kinds, period.start, period.end)


def answer(reading: Reading, rows: Sequence[Record]) -> str:
    """The answer, with currencies apart; an empty result is said so."""
    topic, period, subject = _topic(reading), _period(reading), _subject(reading)
    cut = f" Only the newest {MOST_ROWS} entries were counted." if len(rows) >= MOST_ROWS else ""
    rows = with_places(rows)
    if subject is not None:
        rows = [
            row for row in rows if fold(subject) in fold(f"{row.title or ''} {row.party or ''} {row.text}")
        ]
    about = _about(reading, subject)
    chosen = [row for row in rows if row.kind == topic]
    if not chosen:
        return f"{_NOTHING[topic].format(about=about)} {period.label}.{_refunds(rows, topic)}"
    if reading.has(_LARGEST):
        return f"The largest {topic} {period.label} is {_largest(chosen, reading)}."
    total = total_text(
        [(row.amount, row.currency) for row in chosen if row.amount is not None and row.currency]
    )
    shown = _entries(chosen, reading)
    said = _SAID[topic].format(total=total, about=about)
    return f"{said} {period.label}: {joined(shown)}.{_refunds(rows, topic)}{cut}"


_SAID: Final = {
    "expense": "You spent {total}{about}",
    "bill": "Bills of {total}{about} are noted",
    "subscription": "Subscriptions of {total}{about} are noted",
    "refund": "You got back {total}{about}",
    "income": "You received {total}{about}",
}
_NOTHING: Final = {
    "expense": "No expense{about} is recorded",
    "bill": "No bill{about} is recorded",
    "subscription": "No subscription{about} is recorded",
    "refund": "No refund{about} is recorded",
    "income": "No income{about} is recorded",
}


def _topic(reading: Reading) -> str:
    for topic, pattern in (
        ("refund", _REFUNDS),
        ("subscription", _SUBSCRIPTIONS),
        ("income", _INCOME),
        ("bill", _BILLS),
    ):
        if reading.has(pattern):
            return topic
    return KINDS[0]


def _period(reading: Reading) -> Period:
    named = period_of(reading)
    if named is not None:
        return named
    if _topic(reading) in ("bill", "subscription"):
        return Period(reading.today, None, "from today on")
    return Period(None, None, "so far")


def _subject(reading: Reading) -> str | None:
    """What the question narrows to, in its own writing."""
    for match in _ABOUT.finditer(reading.folded):
        written = reading.text[match.start("what") : match.end("what")].split()
        if fold(written[0]) not in _NOT_SUBJECTS:
            return " ".join(word for word in written if fold(word) not in _NOT_SUBJECTS)
    return None


def _about(reading: Reading, subject: str | None) -> str:
    if subject is None:
        return ""
    at = re.search(rf"\b(?:at|bei|chez)\s+{re.escape(fold(subject))}", reading.folded)
    return f" {'at' if at else 'on'} {subject}"


def _largest(chosen: Sequence[Record], reading: Reading) -> str:
    """The largest sum of each currency."""
    by_currency: dict[str, Record] = {}
    for row in chosen:
        known = by_currency.get(row.currency or "")
        if row.amount is not None and (known is None or (known.amount or 0) < row.amount):
            by_currency[row.currency or ""] = row
    return joined([_entry(row, reading) for row in by_currency.values()])


def _entries(chosen: Sequence[Record], reading: Reading) -> list[str]:
    """The newest entries; those that read the same are one, with how often: their sum is said in full elsewhere."""
    often = Counter(_entry(row, reading) for row in chosen)
    shown = list(often.items())[:_SHOWN]
    more = len(chosen) - sum(number for _, number in shown)
    said = [entry if number == 1 else f"{entry[:-1]}, {_times(number)})" for entry, number in shown]
    return [*said, f"{more} more"] if more else said


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


def _entry(row: Record, reading: Reading) -> str:
    sum_text = amount_text(row.amount, row.currency or "") if row.amount is not None else "no amount"
    day, what = short_day(row.occurred_on, reading.today), for_what(row.title)
    if row.kind == "expense" and row.party and fold(row.party) not in fold(what):
        what = f"{what} at {row.party}"
    return f"{sum_text}{what[:-1]}, {day})" if what.endswith(")") else f"{sum_text}{what} ({day})"


def _refunds(rows: Sequence[Record], topic: str) -> str:
    back = [
        (row.amount, row.currency)
        for row in rows
        if row.kind == "refund" and row.amount is not None and row.currency
    ]
    return f" Refunds of {total_text(back)} came in." if back and topic == "expense" else ""
