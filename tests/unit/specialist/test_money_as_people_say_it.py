"""Sums in people's own words are kept as what they are; wishes, offers and questions are never expenses."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import read

NOW = datetime(2027, 2, 9, 19, tzinfo=UTC)
FINANCE = FinanceProfile()


def kept(said: str) -> tuple[RecordDraft, ...]:
    return FINANCE.compose(read(said, NOW, currency="EUR"), household=True)


@pytest.mark.parametrize(
    ("said", "sums"),
    [
        ("lent diego a tenner for the bus", ["10"]),
        ("20 balles de courses chez Lidl et 7,50 à la pharmacie", ["20", "7.50"]),
        ("veinte pavos en el chino y 3,50 en la panadería", ["20", "3.50"]),
        ("gestern 'nen Fuffi getankt", ["50"]),
        ("paid 12k for the new boiler", ["12000"]),
        ("paid €12k for the new boiler", ["12000"]),
        ("spent 25 at Boots and 60 at H&M on saturday", ["25", "60"]),
        ("20 € bei Lidl und 7,50 beim Bäcker", ["20", "7.50"]),
        ("just got back from aldi, 43.80, and the chemist was another 12", ["43.80", "12"]),
        ("groceries 52.10 last friday", ["52.10"]),
        ("got paid today, 1450", ["1450"]),
        ("für die kita 180 überwiesen", ["180"]),
    ],
)
def test_a_sum_is_read_as_people_say_it(said: str, sums: list[str]) -> None:
    assert [(draft.amount, draft.currency) for draft in kept(said)] == [(Decimal(one), "EUR") for one in sums]


@pytest.mark.parametrize(
    "said",
    [
        "ran 12k this morning",
        "compré 2 pavos para navidad",
        "dentist 15.30",
        "cake at the bakery 10.30",
        "my pin at Aldi is 1234",
        "locker 214 and 12 for bikes",
        "meet at 10.30 for coffee",
    ],
)
def test_another_number_is_no_sum(said: str) -> None:
    assert [draft.amount for draft in kept(said)] == [None]


@pytest.mark.parametrize(
    "said",
    [
        "we should buy a sofa for 800 euros",
        "I'd like new shoes, 120 EUR",
        "saving up for a bike, 900 euros",
        "we didn't buy the lamp for 40 EUR",
        "ich würd mir gern so ein e-bike holen, kostet aber 2500 euro",
        "wir haben die Lampe für 40 € nicht gekauft",
        "on devrait s'acheter un lave-vaisselle, 400 euros chez Darty",
        "tendríamos que comprar una tele nueva, unos 600 euros",
        "does the cinema cost 30 euros?",
        "kostet das Schwimmbad 6 Euro?",
        "ça coûte 15 euros le cinéma ?",
        "¿la entrada cuesta 12 euros?",
    ],
)
def test_what_is_planned_or_asked_is_no_expense(said: str) -> None:
    assert [(draft.kind, draft.amount) for draft in kept(said)] == [("note", None)]


@pytest.mark.parametrize(
    "said",
    ["can you note 30 euros for the cinema?", "I wanted to buy shoes and bought them for 30 euros"],
)
def test_what_is_to_be_noted_or_was_bought_is_an_expense(said: str) -> None:
    assert [(draft.kind, draft.amount) for draft in kept(said)] == [("expense", Decimal(30))]


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ("spent 25 at Boots and 60 at H&M", [(None, "Boots"), (None, "H&M")]),
        ("Paid 12.50 for lunch at Exki and 3.20 for coffee", [("lunch", "Exki"), ("coffee", None)]),
        ("hab grad bei rewe 37,45 gelassen, und 4,20 beim Bäcker", [(None, "rewe"), (None, "Bäcker")]),
        ("20 € de courses chez Lidl et 7,50 à la pharmacie", [("courses", "Lidl"), ("pharmacie", None)]),
    ],
)
def test_each_of_several_sums_has_the_words_about_it(
    said: str, called: list[tuple[str | None, str | None]]
) -> None:
    assert [(draft.title, draft.party) for draft in kept(said)] == called


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("got paid today, 1450", "income"),
        ("j'ai touché ma bourse, 550 euros", "income"),
        ("marraine m'a donné 100 euros", "income"),
        ("Oma hat mir 50 Euro geschenkt", "income"),
        ("grandma gave me 50 euros", "income"),
        ("la abuela me ha dado 20 euros", "income"),
        ("amazon refunded me 35.50 for the lamp", "refund"),
        ("Zara me devolvió 29,95", "refund"),
        ("gym's 29 quid monthly", "subscription"),
        ("facture edf 132,60 à régler avant le 28", "bill"),
    ],
)
def test_what_comes_in_or_is_due_is_no_expense(said: str, kind: str) -> None:
    assert [draft.kind for draft in kept(said)] == [kind]
