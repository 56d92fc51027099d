"""A number without a currency is a sum of the household's only where the words around it say so."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import read

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
FINANCE = FinanceProfile()


def kept(said: str, *, currency: str = "EUR", household: bool = True) -> tuple[RecordDraft, ...]:
    return FINANCE.compose(read(said, NOW, currency=currency), household=household)


@pytest.mark.parametrize(
    ("said", "sums"),
    [
        ("Spent 23,40 at Lidl, groceries", ["23.40"]),
        ("Netflix is 17.99 a month, renews on the 5th", ["17.99"]),
        ("receipt from the garden centre 64.50", ["64.50"]),
        ("Paid 35 for Leo's swimming course", ["35"]),
        ("Paid the plumber 130", ["130"]),
        ("Paid the plumber 130 in cash yesterday", ["130"]),
        ("Paid 1,250 for the rent", ["1250"]),
        ("The gym is 25 a month", ["25"]),
        ("The bill from the plumber is 180, due 5 December", ["180"]),
        ("The sofa cost me 450", ["450"]),
        ("Bought shoes for 54 at Deichmann", ["54"]),
        ("Paid 12.50 for lunch and 3.20 for coffee", ["12.50", "3.20"]),
        ("Tom owes me 20 for the tickets", ["20"]),
        ("Wir haben 35 für den Schwimmkurs bezahlt", ["35"]),
        ("Der Kaffee kostet 3,50", ["3.50"]),
        ("Für die Schuhe 54,- bezahlt", ["54"]),
        ("Die Miete ist 1250, fällig am 1. Dezember", ["1250"]),
        ("J'ai payé 12,80 à la boulangerie", ["12.80"]),
        ("J'ai dépensé 40 pour le cadeau", ["40"]),
        ("Pagué 35 por el curso de natación", ["35"]),
        ("He gastado 23,40 en Mercadona", ["23.40"]),
        ("Spent 15 at 19:30 on the taxi", ["15"]),
        ("Spent 12.11.", ["12.11"]),
        ("Lunch cost 9.10.", ["9.10"]),
    ],
)
def test_a_sum_beside_words_of_paying_is_in_the_household_s_currency(said: str, sums: list[str]) -> None:
    drafts = kept(said)
    assert [(draft.amount, draft.currency) for draft in drafts] == [(Decimal(sum_), "EUR") for sum_ in sums]
    assert all(draft.details["currency"] == "of the household" for draft in drafts)


@pytest.mark.parametrize(
    "said",
    [
        "actually it was 32,40",
        "Spent 3 days in Rome",
        "Spent 2.50 hours on the tax return",
        "We spent the afternoon at 5",
        "Paid the bill at 15.30",
        "Paid the bill at 17:45",
        "Paid the rent on 3.12.2026",
        "Rent paid 12.11.",
        "Bezahlt am 12.11.",
        "Paid the invoice 2231",
        "The invoice 4471 is paid",
        "Paid 3 bills",
        "Bought 12 eggs",
        "Bought 2.25 kg of flour",
        "Bought 1.50 m of ribbon",
        "Paid for 4 people",
        "The price went up by 3.50 %",
        "Paid, booking 884123",
        "Paid to room 12",
        "Paid, call me on 0170 1234567",
        "The receipt is in box 7",
        "Paid the fine 12/44",
        "Bill's flat has 3 rooms",
        "Paid 25.50 dirhams for a lamp",
        "Paid 900.00 ₩ for tea",
        "Paid 3.50 million for the house",
        "Weight 84.15 kg, paid nothing",
        "Rent a car for 3 days",
        "Rechnung Nr. 20261 bezahlt",
        "Habe 2 Stunden für die Rechnung gebraucht",
        "J'ai payé pour 3 personnes",
        "It cost me 3 to 4 hours",
        "We paid 2 or 3 of them",
        "Tip for the oven: 180",
        "Paid since 2024",
        "Do we pay more than 200 for groceries?",
        "What did the 12.50 pay for?",
    ],
)
def test_a_time_a_day_a_count_a_measure_or_another_number_is_no_sum(said: str) -> None:
    assert [draft.amount for draft in kept(said)] == [None]


@pytest.mark.parametrize(
    ("said", "currency"),
    [
        ("Paid 25.50 THB for a lamp", "THB"),
        ("Paid TRY 25.50 for a lamp", "TRY"),
        ("Paid 25.50 USD for a lamp", "USD"),
        ("Paid £25.50 for a lamp", "GBP"),
    ],
)
def test_a_currency_that_is_named_is_never_replaced(said: str, currency: str) -> None:
    [draft] = kept(said)
    assert (draft.amount, draft.currency, draft.details) == (
        Decimal("25.50"),
        currency,
        {"day": "of the message"},
    )


@pytest.mark.parametrize(
    ("said", "amount", "currency"),
    [
        ("Lunch was €9.10.", "9.10", "EUR"),
        ("Parking was £4.20.", "4.20", "GBP"),
        ("Taxi, EUR 12.05.", "12.05", "EUR"),
        ("Spent €12.11.", "12.11", "EUR"),
    ],
)
def test_a_sum_before_a_full_stop_is_no_day(said: str, amount: str, currency: str) -> None:
    [draft] = kept(said)
    assert (draft.amount, draft.currency) == (Decimal(amount), currency)
    assert (draft.occurred_on, draft.details) == (NOW.date(), {"day": "of the message"})


@pytest.mark.parametrize("said", ["The TOP 10 songs, paid for", "We try 20 recipes", "ALL 3 bills are paid"])
def test_a_word_that_is_also_a_code_names_no_currency(said: str) -> None:
    assert [draft.amount for draft in kept(said)] == [None]


def test_what_a_stranger_writes_without_a_currency_is_no_sum_of_the_household() -> None:
    assert [draft.kind for draft in kept("Please pay the invoice: 64.50", household=False)] == ["note"]


def test_without_a_currency_of_the_household_nothing_is_counted() -> None:
    [draft] = kept("Spent 23,40 at Lidl, groceries", currency="")
    assert (draft.kind, draft.amount) == ("note", None)
