"""Numbers, weeks and hours as people say them in other places and in passing; which day a bill is due on."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.general.profile import GeneralProfile
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.reading import read

NOW = datetime(2027, 2, 9, 19, tzinfo=ZoneInfo("Europe/Brussels"))  # a Tuesday evening


@pytest.mark.parametrize(
    ("said", "sum_"),
    [
        ("le plein m'a coûté septante-deux euros", "72"),
        ("j'ai payé nonante-cinq euros pour les chaussures", "95"),
        ("j'ai payé huitante et un euros pour le train", "81"),
        ("j'ai payé soixante-douze euros pour le train", "72"),
    ],
)
def test_french_numbers_are_read_as_in_belgium_and_switzerland(said: str, sum_: str) -> None:
    drafts = FinanceProfile().compose(read(said, NOW, currency="EUR"), household=True)
    assert [draft.amount for draft in drafts] == [Decimal(sum_)]


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("boiler service a fortnight today", [date(2027, 2, 23)]),
        ("vet a week tomorrow", [date(2027, 2, 17)]),
        ("heute in zwei Wochen Zahnarzt", [date(2027, 2, 23)]),
        ("aujourd'hui en huit, kiné", [date(2027, 2, 16)]),
        ("mañana en quince días, revisión", [date(2027, 2, 24)]),
        ("dinner friday, 7 for 7.30", [date(2027, 2, 12)]),
        ("ping me on the 12th bout the dress fitting", [date(2027, 2, 12)]),
        ("we live on the 12th floor", []),
        ("dinner friday 19", [date(2027, 2, 19)]),
    ],
)
def test_a_week_is_counted_from_today_and_an_hour_is_no_date(said: str, days: list[date]) -> None:
    assert [day.on("future") for day in find_days(said, NOW.date())] == days


def test_a_supper_at_six_is_in_the_evening() -> None:
    [draft] = GeneralProfile().compose(read("souper chez Guylaine vendredi à 6h", NOW), household=True)
    assert (draft.occurred_on, draft.occurred_at) == (date(2027, 2, 12), time(18))


@pytest.mark.parametrize(
    "said",
    [
        "The bill for the cleaning of 30 January is EUR 85.00, payable until 1 March 2027.",
        "Rechnung für die Reinigung vom 30. Januar: 85,00 EUR, zahlbar bis zum 1. März 2027.",
        "Facture du nettoyage du 30 janvier : 85,00 EUR, à payer avant le 1er mars 2027.",
        "Factura de la limpieza del 30 de enero: 85,00 EUR, vence el 1 de marzo de 2027.",
    ],
)
def test_a_bill_is_due_on_the_day_that_is_said_to_be_so(said: str) -> None:
    drafts = FinanceProfile().compose(read(said, NOW, currency="EUR"), household=True)
    assert [(draft.kind, draft.amount) for draft in drafts] == [("bill", Decimal("85.00"))]
    assert drafts[0].occurred_on == date(2027, 3, 1)


@pytest.mark.parametrize(
    "said",
    [
        "saved 30 euros on the tyres",
        "30 Euro bei den Reifen gespart",
        "j'ai économisé 30 euros sur les pneus",
        "he ahorrado 30 euros en los neumáticos",
    ],
)
def test_what_was_saved_was_not_spent(said: str) -> None:
    drafts = FinanceProfile().compose(read(said, NOW, currency="EUR"), household=True)
    assert [draft.kind for draft in drafts] == ["note"]
