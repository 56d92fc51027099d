"""Whatever is told of money: the record holds it, the answer states it, and a month's total is what was spent."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_contracts.language import Language
from butler_kit.wording.language import language_of
from butler_specialist.locale import say
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.reply import Reply
from butler_specialist.understanding.household import NOBODY
from butler_specialist.understanding.money import amount_text, find_amounts
from tests.golden.specialist.conversations import MemoryRecords

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
FINANCE = FinanceProfile()

PHRASES: Final = [
    ("Paid {sum} for {what}{rest}", "expense"),
    ("Spent {sum} at Lidl on {what}{rest}", "expense"),
    ("The {what} cost me {sum}{rest}", "expense"),
    ("Bought {what} for {sum}{rest}", "expense"),
    ("Receipt for {what}: {sum}{rest}", "expense"),
    ("{sum} für {what} bezahlt{rest}", "expense"),
    ("Wir haben {sum} für {what} ausgegeben{rest}", "expense"),
    ("J'ai payé {sum} pour {what}{rest}", "expense"),
    ("Pagué {sum} por {what}{rest}", "expense"),
    ("The bill for {what} is {sum}{rest}", "bill"),
    ("Die Rechnung für {what} über {sum} ist fällig{rest}", "bill"),
    ("{what} is {sum} a month{rest}", "subscription"),
    ("Refund of {sum} for {what}{rest}", "refund"),
    ("Salary came in: {sum}{rest}", "income"),
    ("Tom owes me {sum} for {what}{rest}", "debt"),
    ("I owe Tom {sum} for {what}{rest}", "debt"),
    ("Tom schuldet mir {sum} für {what}{rest}", "debt"),
    ("Tom me doit {sum} pour {what}{rest}", "debt"),
    ("Tom me debe {sum} por {what}{rest}", "debt"),
]
WHAT: Final = ["shoes", "groceries", "Leo's swimming course", "concert tickets", "Kaffee"]
REST: Final = [
    "",
    " yesterday",
    " on 3 March 2026",
    " at 17:30",
    ", order 88124",
    ", table for 4 people",
    ", room 12",
]
"""None of their numbers is a sum; only the third moves it out of November."""
WRITTEN: Final = ["{0:.2f}", "{0:,.2f}", "german", "whole", "marked"]
NAMED: Final = {"": "", " EUR": "EUR", " €": "EUR", " USD": "USD", " Franken": "CHF", " THB": "THB"}

NOT_COUNTED: Final = {"en": "not counted", "de": "nicht gezählt", "fr": "pas compté", "es": "no se cuenta"}
MARCH: Final = {
    "en": "Spent in March",
    "de": "Ausgegeben im März",
    "fr": "Dépensé en mars",
    "es": "Gastado en marzo",
}
AND: Final = {"en": "and", "de": "und", "fr": "et", "es": "y"}
ASKED: Final[dict[Language, tuple[str, str, str]]] = {
    "en": (
        "What did I spend this month?",
        "You spent {} in November 2026: ",
        "No expense is recorded in November 2026.",
    ),
    "de": (
        "Was habe ich diesen Monat ausgegeben?",
        "{} hast du im November 2026 ausgegeben: ",
        "Keine Ausgabe im November 2026 notiert.",
    ),
    "fr": (
        "Combien ai-je dépensé ce mois ?",
        "Tu as dépensé {} en novembre 2026 : ",
        "Aucune dépense n'est notée en novembre 2026.",
    ),
    "es": (
        "¿Cuánto he gastado este mes?",
        "Has gastado {} en noviembre de 2026: ",
        "No hay ningún gasto anotado en noviembre de 2026.",
    ),
}


@dataclass(frozen=True)
class Told:
    """A message, and what whoever wrote it meant."""

    text: str
    kind: str
    value: Decimal
    named: str
    november: bool


def _written(value: Decimal, way: str) -> tuple[str, Decimal]:
    match way:
        case "german":
            return f"{value:,.2f}".translate(str.maketrans(",.", ".,")), value
        case "whole":
            return str(int(value)), Decimal(int(value))
        case "marked":
            return f"{int(value)},-", Decimal(int(value))
    return way.format(value), value


@st.composite
def told(draw: st.DrawFn) -> Told:
    phrase, kind = draw(st.sampled_from(PHRASES))
    cents = draw(st.integers(min_value=100, max_value=999_999))
    named = draw(st.sampled_from(list(NAMED)))
    way = draw(st.sampled_from([way for way in WRITTEN if way != "marked" or not named]))
    written, value = _written(Decimal(cents) / 100, way)
    rest = draw(st.sampled_from(REST))
    text = phrase.format(sum=f"{written}{named}", what=draw(st.sampled_from(WHAT)), rest=rest)
    return Told(text, kind, value, NAMED[named], "March" not in rest)


def _say(text: str, records: MemoryRecords, currency: str, number: int = 0) -> Reply:
    answering = Answering(NOW + timedelta(seconds=number), True, records, NOBODY, currency)
    reply = asyncio.run(FINANCE.respond(text, answering))
    records.add(reply.records, sender="1")
    return reply


def _sums(text: str) -> list[tuple[Decimal, str]]:
    """The sums that an answer states in its own words."""
    own = re.sub("„.*?“|“.*?”|«.*?»", "", text)
    return [(amount.value, amount.currency) for amount in find_amounts(own)]


@settings(max_examples=400, deadline=None)
@given(said=told(), household=st.sampled_from(["", "EUR", "CHF", "SEK"]))
def test_the_record_and_the_answer_are_what_was_meant(said: Told, household: str) -> None:
    reply = _say(said.text, MemoryRecords(), household)
    (record,) = reply.records
    currency = said.named or household
    if not currency:
        assert (record.kind, record.amount, record.currency) == ("note", None, None)
        assert _sums(reply.text) == []
        assert NOT_COUNTED[language_of(said.text)] in reply.text
        return
    assert (record.kind, record.amount, record.currency) == (said.kind, said.value, currency)
    assert set(_sums(reply.text)) == {(said.value, currency)}
    language = language_of(said.text)
    taken = say(language, "No currency was named; I took {currency}, the household's.", currency=currency)
    assert (taken in reply.text) == (not said.named)
    total = say(language, "This month so far: {total}.", total=amount_text(said.value, currency, language))
    of_march = MARCH[language] in reply.text
    assert (total in reply.text or of_march) == (said.kind == "expense")


@settings(max_examples=60, deadline=None)
@given(messages=st.lists(told(), min_size=1, max_size=8), household=st.sampled_from(["", "EUR", "CHF"]))
def test_a_month_s_total_is_what_was_spent_in_it_and_nothing_else(
    messages: list[Told], household: str
) -> None:
    records = MemoryRecords()
    spent: Counter[str] = Counter()
    for number, said in enumerate(messages):
        reply = _say(said.text, records, household, number)
        currency = said.named or household
        if said.kind == "expense" and said.november and currency:
            spent[currency] += said.value  # type: ignore[assignment]
            language = language_of(said.text)
            total = say(language, "This month so far: {total}.", total=_total(spent, language))
            assert total in reply.text
    for language, (question, some, none) in ASKED.items():
        asked = _say(question, records, household, len(messages))
        assert asked.text.startswith(some.format(_total(spent, language)) if spent else none)


@pytest.mark.parametrize("bought", ["Bought concert tickets for 1,00 €", "Bought concert tickets for 1"])
def test_what_is_bought_for_a_sum_is_spent_also_where_it_closes_a_bill(bought: str) -> None:
    records = MemoryRecords()
    _say("The bill for concert tickets is 1.00 EUR, room 12", records, "EUR")
    _say("Tom owes me 1.00 EUR for concert tickets", records, "EUR", 1)
    reply = _say(bought, records, "EUR", 2)
    assert [(one.kind, one.amount) for one in reply.records] == [("expense", Decimal(1))]
    assert "This month so far: 1.00 EUR." in reply.text
    assert [change.cause for change in reply.changes] == ["done"]
    assert "Paid: 1.00 EUR, concert tickets" in reply.text


def _total(spent: Counter[str], language: Language) -> str:
    ordered = sorted(spent.items(), key=lambda item: (-item[1], item[0]))
    said = [amount_text(Decimal(value), currency, language) for currency, value in ordered]
    return f"{', '.join(said[:-1])} {AND[language]} {said[-1]}" if len(said) > 1 else said[0]
