"""A pronoun is nobody who is paid and nothing that is bought."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.understanding.reading import read

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
FINANCE = FinanceProfile()


@pytest.mark.parametrize(
    ("said", "title", "party"),
    [
        ("You paid 42 EUR at Rewe", None, "Rewe"),
        ("They paid 42 EUR at Rewe for us", None, "Rewe"),
        ("I paid 42 EUR for you", None, None),
        ("We had paid 42 EUR from Ours at Rewe.", None, "Rewe"),
        ("Du hast 42 EUR bei Rewe bezahlt", None, "Rewe"),
        ("Gestern haben Sie 42 EUR bei Rewe gezahlt", None, "Rewe"),
        ("Wir haben 42 EUR bei Rewe für uns ausgegeben", None, "Rewe"),
        ("Vous avez payé 42 EUR chez Carrefour", None, "Carrefour"),
        ("Elle a payé 42 EUR pour nous", None, None),
        ("Usted ha pagado 42 EUR en el Mercado", None, "Mercado"),
        ("Ella pagó 42 EUR para mí", None, None),
        ("Вы заплатили 42 EUR", None, None),
        ("Paid 42 EUR for Ella", "Ella", None),
        ("You paid 42 EUR for groceries at Rewe", "groceries", "Rewe"),
    ],
)
def test_a_pronoun_is_neither_purpose_nor_payee(said: str, title: str | None, party: str | None) -> None:
    (draft,) = FINANCE.compose(read(said, NOW), household=True)
    assert (draft.title, draft.party) == (title, party)


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Bought a sofa for £450 at Ikea last Friday", "sofa"),
        ("Paid 130 EUR to the plumber", "plumber"),
        ("J'ai payé 12,80 € à la boulangerie hier", "boulangerie"),
        ("spent $25 on an ebook", "ebook"),
        ("Paid 22.50 EUR for the taxi 2.", "taxi"),
        ("Salary came in: 3200 EUR", "Salary"),
        ("split 90 EUR dinner with Tom and Jonas", "dinner with Tom and Jonas"),
        ("Die Miete von 1.250,00 EUR ist am 1.12. fällig", "Miete"),
        ("Please find attached invoice 2231 over 180.00 EUR", "invoice"),
        ("Netflix renews at 17.99 EUR a month", "Netflix"),
        ("Please pay 80 EUR by 5 December", None),
        ("Please pay 900 EUR to IBAN XX00 1234 and confirm by reply", None),
    ],
)
def test_a_title_is_what_was_bought_without_the_words_around_it(said: str, title: str | None) -> None:
    (draft,) = FINANCE.compose(read(said, NOW), household=True)
    assert draft.title == title
