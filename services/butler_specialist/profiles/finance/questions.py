"""Questions about money and their answers from the records (pure)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from butler_specialist.locale import noop, say
from butler_specialist.profiles.finance.debts import DEBT, debts_text
from butler_specialist.profiles.finance.kinds import EXPENSE
from butler_specialist.profiles.finance.places import PLACE, with_places
from butler_specialist.profiles.finance.plans import is_asked
from butler_specialist.profiles.finance.subjects import about as about_text
from butler_specialist.profiles.finance.subjects import narrowed, subject_of
from butler_specialist.profiles.profile import Lookup
from butler_specialist.questions.periods import Period, month_of, period_of
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.wording import joined, more_text, short_day
from butler_specialist.store.model import MOST_ROWS, Record
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.language import Language
from butler_specialist.understanding.money import amount_text, total_text
from butler_specialist.understanding.purpose import for_what
from butler_specialist.understanding.reading import Reading

__all__ = ["answer", "lookup"]

_BILLS: Final = re.compile(
    r"\b(?:bills?|invoices?|due|owe|rechnung(?:en)?|fallig|offen|factures?|echeance|facturas?|vencen?"
    r"|to pay|have to pay|need to pay|bezahlen|a payer|(?:dois|devons|doit-on) payer|por pagar"
    r"|(?:debo|debemos) pagar)\b"
)
_SUBSCRIPTIONS: Final = re.compile(
    r"\b(?:subscriptions?|renew\w*|abos?|abonnements?|suscripcion\w*|memberships?)\b"
)
_REFUNDS: Final = re.compile(r"\b(?:refund\w*|erstatt\w*|rembours\w*|reembols\w*)")
_INCOME: Final = re.compile(
    r"\b(?:earn\w*|income|salary|verdient|gehalt|einnahmen|gagne|salaire|ganado|sueldo|receive\w*)\b"
)
_LARGEST: Final = re.compile(
    r"\b(?:biggest|largest|highest|most expensive|gro(?:ss|ß)te\w*|hochste\w*|teuerste\w*|plus (?:grosse"
    r"|grande)|mayor)\b"
)
_DEBTS: Final = re.compile(
    r"\b(?:owes?|owed|debts?|lent|borrow(?:ed|s)?|schuld(?:e|en|et|est)|geliehen|dettes?|prete|emprunte"
    r"|deudas?|preste|(?:doit|dois|devons|deben?|debo|debemos)(?! (?:payer|pagar)))\b"
)
_OWED_BY_US: Final = re.compile(
    r"\b(?:(?:i|we) owe|schulde ich|schulden wir|(?:dois|devons)|doit-on|debo|debemos|debts|dettes|deudas)\b"
)
_DUE: Final = re.compile(r"\b(?:bills?|invoices?|due|rechnung(?:en)?|factures?|facturas?)\b")
_LEFT: Final = re.compile(
    r"\b(?:left|remain\w*|balance|budget|afford|ubrig|kontostand|reste|restant|solde|queda|quedan|saldo|presupuesto)\b"
)
LEFT: Final = "left"
_LOOKED_UP: Final = {
    EXPENSE: (EXPENSE, "refund", PLACE),
    LEFT: (EXPENSE, "refund", "income", PLACE),
    DEBT: (DEBT, "bill"),
}
_SHOWN: Final = 8
_TOLD: Final = noop(
    "I keep no balance and no budget, so I cannot say what is left. Of what I was told: {what} {period}."
)


def lookup(reading: Reading) -> Lookup | None:
    """What a question is about; None when the message asks nothing."""
    if not is_question(reading) or any(not is_asked(sentence) for sentence, _ in reading.sums):
        return None
    period = _period(reading)
    return Lookup(_LOOKED_UP.get(_topic(reading), (_topic(reading),)), period.start, period.end)


def answer(reading: Reading, rows: Sequence[Record]) -> str:
    """The answer, with currencies apart; an empty result is said so."""
    topic, period = _topic(reading), _period(reading)
    subject = None if topic == LEFT else subject_of(reading)
    language = reading.language
    newest = say(language, "Only the newest {number} entries were counted.", number=MOST_ROWS)
    cut = f" {newest}" if len(rows) >= MOST_ROWS else ""
    rows = with_places(rows)
    if subject is not None:
        subject, rows = narrowed(rows, subject)
    if topic == LEFT:
        return _left(rows, period, reading)
    about = about_text(reading, subject)
    chosen = [row for row in rows if row.kind == topic and (row.done_on is None or period.end is not None)]
    if topic == DEBT:
        return f"{_debts(rows, reading, about)}{cut}"
    if not chosen:
        nothing = say(language, _NOTHING[topic], about=about, period=period.label)
        return nothing + _refunds(rows, topic, language)
    if reading.has(_LARGEST):
        largest = _largest(chosen, reading)
        return say(language, _THE_LARGEST[topic], period=period.label, entries=largest)
    total, shown = total_text(_sums_of(chosen, topic), language), joined(_entries(chosen, reading), language)
    said = say(language, _SAID[topic], total=total, about=about, period=period.label, entries=shown)
    return f"{said}{_refunds(rows, topic, language)}{cut}"


_SAID: Final = {
    "expense": noop("You spent {total}{about} {period}: {entries}."),
    "bill": noop("Bills of {total}{about} are noted {period}: {entries}."),
    "subscription": noop("Subscriptions of {total}{about} are noted {period}: {entries}."),
    "refund": noop("You got back {total}{about} {period}: {entries}."),
    "income": noop("You received {total}{about} {period}: {entries}."),
}
_NOTHING: Final = {
    "expense": noop("No expense{about} is recorded {period}."),
    "bill": noop("No bill{about} is recorded {period}."),
    "subscription": noop("No subscription{about} is recorded {period}."),
    "refund": noop("No refund{about} is recorded {period}."),
    "income": noop("No income{about} is recorded {period}."),
}
_THE_LARGEST: Final = {
    "expense": noop("The largest expense {period} is {entries}."),
    "bill": noop("The largest bill {period} is {entries}."),
    "subscription": noop("The largest subscription {period} is {entries}."),
    "refund": noop("The largest refund {period} is {entries}."),
    "income": noop("The largest income {period} is {entries}."),
}


def _topic(reading: Reading) -> str:
    if reading.has(_DEBTS) and not reading.has(_DUE):
        return DEBT
    for topic, pattern in (
        ("refund", _REFUNDS),
        ("subscription", _SUBSCRIPTIONS),
        ("income", _INCOME),
        ("bill", _BILLS),
    ):
        if reading.has(pattern):
            return topic
    return LEFT if reading.has(_LEFT) else EXPENSE


def _period(reading: Reading) -> Period:
    named = period_of(reading)
    if named is not None:
        return named
    if _topic(reading) == LEFT:
        return month_of(reading.today, reading.language)
    if _topic(reading) in ("bill", "subscription"):
        return Period(reading.today, None, say(reading.language, "from today on"))
    return Period(None, None, say(reading.language, "so far"))


def _left(rows: Sequence[Record], period: Period, reading: Reading) -> str:
    """What is left nobody knows who does not know what there was; only what was told is said."""
    language = reading.language
    told = [
        say(language, text, total=total_text(sums, language))
        for text, kind in ((noop("you received {total}"), "income"), (noop("you spent {total}"), EXPENSE))
        if (sums := _sums_of(rows, kind))
    ]
    what = joined(told, language) if told else say(language, "nothing is recorded")
    said = say(language, _TOLD, what=what, period=period.label)
    return said + _refunds(rows, EXPENSE, language)


def _debts(rows: Sequence[Record], reading: Reading, about: str) -> str:
    """The debts, and to whoever asks what is owed also the bills that are to come."""
    debts = [row for row in rows if row.kind == DEBT]
    language = reading.language
    said = debts_text(debts, reading) if debts else say(language, "No debt{about} is recorded.", about=about)
    bills = [
        row for row in rows if row.kind == "bill" and row.occurred_on >= reading.today and row.done_on is None
    ]
    if not bills or not reading.has(_OWED_BY_US):
        return said
    entries = joined(_entries(bills, reading), language)
    return said + " " + say(language, "Bills to pay: {entries}.", entries=entries)


def _sums_of(rows: Sequence[Record], kind: str) -> list[tuple[Decimal, str]]:
    return [
        (row.amount, row.currency)
        for row in rows
        if row.kind == kind and row.amount is not None and row.currency
    ]


def _largest(chosen: Sequence[Record], reading: Reading) -> str:
    """The largest sum of each currency."""
    by_currency: dict[str, Record] = {}
    for row in chosen:
        known = by_currency.get(row.currency or "")
        if row.amount is not None and (known is None or (known.amount or 0) < row.amount):
            by_currency[row.currency or ""] = row
    return joined([_entry(row, reading) for row in by_currency.values()], reading.language)


def _entries(chosen: Sequence[Record], reading: Reading) -> list[str]:
    """The newest entries; those that read the same are one, with how often: their sum is said in full elsewhere."""
    often = Counter(_entry(row, reading) for row in chosen)
    shown = list(often.items())[:_SHOWN]
    more = len(chosen) - sum(number for _, number in shown)
    language = reading.language
    said = [entry if number == 1 else f"{entry[:-1]}, {_times(number, language)})" for entry, number in shown]
    return [*said, more_text(more, language)] if more else said


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


def _refunds(rows: Sequence[Record], topic: str, language: Language) -> str:
    back = _sums_of(rows, "refund")
    if not back or topic != "expense":
        return ""
    return " " + say(language, "Refunds of {total} came in.", total=total_text(back, language))
