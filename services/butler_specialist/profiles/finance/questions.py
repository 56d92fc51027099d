# ruff: noqa: E501 - patterns stay on one line
"""Questions about money and their answers from the records (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.changes.wording import MOST_NAMED
from butler_specialist.locale import noop, say
from butler_specialist.profiles.answering import Lookup
from butler_specialist.profiles.finance.comparing import compared_in, comparison_text
from butler_specialist.profiles.finance.debts import DEBT, debts_asked, debts_text
from butler_specialist.profiles.finance.entries import entries_of, largest_of, listed_of, sums_of
from butler_specialist.profiles.finance.kinds import EXPENSE
from butler_specialist.profiles.finance.payers import asked_payer, of_payer
from butler_specialist.profiles.finance.paying import kinds_asked, open_rows, paying_text
from butler_specialist.profiles.finance.places import PLACE, with_places
from butler_specialist.profiles.finance.plans import is_asked
from butler_specialist.profiles.finance.prices import asks_price, asks_rate, price_text, rate_text
from butler_specialist.profiles.finance.subjects import about as about_text
from butler_specialist.profiles.finance.subjects import narrowed, subject_of
from butler_specialist.profiles.listed import NOTHING_LISTED, Listed, first_of
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.periods import Period, month_of, period_of
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.wording import joined
from butler_specialist.store.model import MOST_ROWS, Record
from butler_specialist.understanding.money import total_text
from butler_specialist.understanding.reading import Reading

__all__ = ["answer", "listed", "lookup"]

_BILLS: Final = re.compile(
    r"\b(?:bills?|invoices?|due|owe|rechnung(?:en)?|fallig|offen|factures?|echeance|facturas?|vencen?"
    r"|to pay|have to pay|need to pay|(?:has|have|had|needs?|must|is|are|still) (?:to )?be paid|(?:be)?zahlt werden|bezahlen|zahlen|a regler|recibos?|pendientes?|a payer|por pagar"
    r"|(?:dois|devons|doit-on) payer|(?:debo|debemos) pagar)\b"
)
_SUBSCRIPTIONS: Final = re.compile(
    r"\b(?:subscriptions?|renew\w*|abos?|abonnements?|suscripcion\w*|memberships?)\b"
)
_REFUNDS: Final = re.compile(r"\b(?:refund\w*|erstatt\w*|rembours\w*|reembols\w*)")
_INCOME: Final = re.compile(
    r"\b(?:earn\w*|income|salary|verdient|gehalt|einnahmen|eingenommen|reinbekommen|gagne|salaire|rentre d'argent"
    r"|ganado|sueldo|ingres\w+|cobrado|receive\w*)\b"
)
_LARGEST: Final = re.compile(
    r"\b(?:biggest|largest|highest|most expensive|gro(?:ss|ß)te\w*|hochste\w*|teuerste\w*|plus (?:grosse"
    r"|grande|gros|chere?)|mayor|mas caro|mas cara|gaste mas|gastado mas|(?:spent|spend) (?:the )?most)\b"
)
_DEBTS: Final = re.compile(
    r"\b(?:owes?|owed|debts?|lent|borrow(?:ed|s)?|schuld(?:e|en|et|est)|geliehen|dettes?|prete|emprunte"
    r"|deudas?|preste|(?:doit|dois|devons|deben?|debo|debemos)(?! (?:payer|pagar)))\b"
)
_OWED_BY_US: Final = re.compile(
    r"\b(?:(?:i|we) owe|schulde ich|schulden wir|(?:dois|devons)|doit-on|debo|debemos|debts|dettes|deudas)\b"
)
_PAST: Final = re.compile(
    r"\b(?:(?:how much|what) (?:was|were)|did|war|waren|gekostet|hat|etait|a coute|ont coute|fue|fueron|era|costo|ha costado)\b"
)
_DUE: Final = re.compile(r"\b(?:bills?|invoices?|due|rechnung(?:en)?|factures?|facturas?)\b")
_LEFT: Final = re.compile(
    r"\b(?:left|remain\w*|balance|budget|afford|ubrig|kontostand|reste|restant|solde|queda|quedan|saldo|presupuesto)\b"
)
_STILL: Final = re.compile(
    r"\b(?:still|left|open|unpaid|outstanding|overdue|offen\w*|noch|reste\w*|encore|queda\w*|pendientes?|todavia)\b"
)
"""Questions about bills whose day may be over."""
_OF_MONEY: Final = re.compile(
    r"\b(?:how much|money|spen[dt]\w*|cost\w*|pay|pays|paid|payment\w*|price\w*|expens\w*|bought|buy|total|sums?|altogether|shopping|receipts?|biggest|most|euros?|cash"
    r"|wie ?viel\w*|geld|ausgegeben|ausgaben?|ausgabe|gekostet|koste\w*|bezahlt|gezahlt|zahl\w*|preis\w*|gekauft|kauf\w*|summe|gesamt\w*|insgesamt|teuer\w*|quittung\w*"
    r"|combien|argent|depens\w*|coute\w*|pay\w*|prix|achete\w*|total\w*|somme|cher|chere"
    r"|cuant\w*|dinero|gast\w*|cost\w*|cuesta\w*|pag\w*|precio\w*|compr\w*|suma|caro|cara)\b|[€$£]"
)
"""Words about money; a question without one, a time or a thing is about something else."""
LEFT: Final = "left"
_LOOKED_UP: Final = {
    EXPENSE: (EXPENSE, "refund", PLACE),
    LEFT: (EXPENSE, "refund", "income", PLACE),
    DEBT: (DEBT, "bill"),
}
_TOLD: Final = noop(
    "I keep no balance and no budget, so I cannot say what is left. Of what I was told: {what} {period}."
)


def lookup(reading: Reading) -> Lookup | None:
    """Return what a question is about; None if the message asks nothing."""
    if not is_question(reading) or any(not is_asked(sentence) for sentence, _ in reading.sums):
        return None
    if (both := compared_in(reading)) is not None:
        return Lookup((EXPENSE,), both[1].start, both[0].end)
    if asks_price(reading):
        return Lookup((EXPENSE, "bill", "subscription", PLACE))
    if kinds := kinds_asked(reading):
        return Lookup(kinds)
    period, topic = _period(reading), _topic(reading)
    if topic == "bill" and reading.has(_PAST) and period_of(reading) is None:
        return Lookup((topic, EXPENSE, PLACE))
    return Lookup(_LOOKED_UP.get(topic, (topic,)), period.start, period.end)


def answer(reading: Reading, rows: Sequence[Record]) -> str:
    """Return the answer, with currencies kept apart; an empty result is stated."""
    if (said := _apart(reading, rows)) is not None:
        return said
    topic, period = _topic(reading), _period(reading)
    subject = None if topic == LEFT else subject_of(reading)
    language = reading.language
    newest = say(language, "Only the newest {number} entries were counted.", number=MOST_ROWS)
    cut = f" {newest}" if len(rows) >= MOST_ROWS else ""
    rows, payer = with_places(rows), asked_payer(reading)
    if payer is not None and topic == EXPENSE:
        return _of_payer(rows, payer, subject, period, reading)
    if subject is not None:
        subject, rows = narrowed(rows, subject)
    if topic == LEFT:
        return _left(rows, period, reading)
    if subject is None and topic == EXPENSE and not reading.has(_OF_MONEY) and period_of(reading) is None:
        return Nothing(say(language, "Nothing is recorded about that."))
    about = about_text(reading, subject)
    chosen = _chosen(rows, reading)
    if topic == DEBT:
        owed = _debts(rows, reading, about)
        return f"{owed}{cut}" if cut else owed
    if not chosen and topic == "bill" and reading.has(_PAST):
        topic, chosen = EXPENSE, [row for row in rows if row.kind == EXPENSE]
        period = period_of(reading) or Period(None, None, say(language, "so far"))
    if not chosen:
        nothing = say(language, _NOTHING[topic], about=about, period=period.label)
        back = _refunds(rows, topic, language)
        return nothing + back if back else Nothing(nothing)
    if reading.has(_LARGEST):
        largest = largest_of(chosen, reading)
        return say(language, _THE_LARGEST[topic], period=period.label, entries=largest)
    total, shown = total_text(sums_of(chosen, topic), language), joined(entries_of(chosen, reading), language)
    said = say(language, _SAID[topic], total=total, about=about, period=period.label, entries=shown)
    return f"{said}{_refunds(rows, topic, language)}{cut}"


def listed(reading: Reading, rows: Sequence[Record]) -> Listed:
    """Return the entries that the answer lists one by one."""
    if unpaid := open_rows(rows, reading):
        return first_of(unpaid, MOST_NAMED)
    summed = _topic(reading) in _SAID and _apart(reading, rows) is None and asked_payer(reading) is None
    if not summed or reading.has(_LARGEST):
        return NOTHING_LISTED
    rows, subject = with_places(rows), subject_of(reading)
    rows = narrowed(rows, subject)[1] if subject is not None else rows
    return listed_of(_chosen(rows, reading), reading)


def _chosen(rows: Sequence[Record], reading: Reading) -> list[Record]:
    topic, period = _topic(reading), _period(reading)
    return [row for row in rows if row.kind == topic and (row.done_on is None or period.end is not None)]


def _apart(reading: Reading, rows: Sequence[Record]) -> str | None:
    """Return the answer to a question other than the sums of a period; None if those are asked."""
    if asks_rate(reading):
        return rate_text(reading)
    if (both := compared_in(reading)) is not None:
        return comparison_text(rows, both, reading)
    return _priced(rows, reading) if asks_price(reading) else paying_text(rows, reading)


def _priced(rows: Sequence[Record], reading: Reading) -> str:
    """Return what was told about a thing whose price is asked."""
    subject = subject_of(reading)
    found = narrowed(with_places(rows), subject)[1] if subject is not None else []
    return price_text(joined(entries_of(found, reading), reading.language), reading)


def _of_payer(
    rows: Sequence[Record], payer: str, subject: str | None, period: Period, reading: Reading
) -> str:
    """Return what one member spent on the subject."""
    language, who = reading.language, reading.whose.names.get(payer, "").split(" ")[0]
    if subject is not None and fold(subject.split()[0]) != fold(who):
        subject, rows = narrowed(rows, subject)
    else:
        subject = None
    about = about_text(reading, subject)
    found = of_payer([row for row in rows if row.kind == EXPENSE], payer, reading.whose)
    if not found:
        return Nothing(say(language, _NOTHING_OF, who=who, about=about, period=period.label))
    total, shown = total_text(sums_of(found, EXPENSE), language), joined(entries_of(found, reading), language)
    return say(language, _SPENT_BY, who=who, total=total, about=about, period=period.label, entries=shown)


_SPENT_BY: Final = noop("{who} spent {total}{about} {period}: {entries}.")
_NOTHING_OF: Final = noop("No expense of {who}{about} is recorded {period}.")
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
    if _topic(reading) == "subscription" or (_topic(reading) == "bill" and reading.has(_STILL)):
        return Period(None, None, say(reading.language, "so far"))
    if _topic(reading) == "bill" and not reading.has(_PAST):
        return Period(reading.today, None, say(reading.language, "from today on"))
    return Period(None, None, say(reading.language, "so far"))


def _left(rows: Sequence[Record], period: Period, reading: Reading) -> str:
    """Say what was received and spent: what is left is unknown, as the starting balance is."""
    language = reading.language
    told = [
        say(language, text, total=total_text(sums, language))
        for text, kind in ((noop("you received {total}"), "income"), (noop("you spent {total}"), EXPENSE))
        if (sums := sums_of(rows, kind))
    ]
    what = joined(told, language) if told else say(language, "nothing is recorded")
    said = say(language, _TOLD, what=what, period=period.label)
    return said + _refunds(rows, EXPENSE, language)


def _debts(rows: Sequence[Record], reading: Reading, about: str) -> str:
    """Return the debts; if the question is what we owe, also the coming bills."""
    debts = debts_asked([row for row in rows if row.kind == DEBT], reading)
    language = reading.language
    nothing = Nothing(say(language, "No debt{about} is recorded.", about=about))
    said = debts_text(debts, reading) if debts else nothing
    bills = [
        row for row in rows if row.kind == "bill" and row.occurred_on >= reading.today and row.done_on is None
    ]
    if not bills or not reading.has(_OWED_BY_US):
        return said
    entries = joined(entries_of(bills, reading), language)
    return said + " " + say(language, "Bills to pay: {entries}.", entries=entries)


def _refunds(rows: Sequence[Record], topic: str, language: Language) -> str:
    back = sums_of(rows, "refund")
    if not back or topic != "expense":
        return ""
    return " " + say(language, "Refunds of {total} came in.", total=total_text(back, language))
