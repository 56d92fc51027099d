"""A part of a bill makes it smaller; what is left stays open."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from tests.golden.specialist.remembering import Talk

NOW = datetime(2027, 2, 9, 19, tzinfo=UTC)
Row = tuple[str, Decimal | None, date | None]


async def paid(bill: str, *said: str) -> tuple[list[Row], str]:
    """Return the bills and expenses that are there then, and the last answer."""
    talk = Talk("finance", NOW)
    await talk.say(bill)
    answer = ""
    for one in said:
        answer = (await talk.say(one)).text
    return sorted((row.kind, row.amount, row.done_on) for row in talk.records), answer


@pytest.mark.parametrize(
    ("bill", "part"),
    [
        ("The dentist bill of 120 EUR is due on 1 March", "Paid 40 EUR of the dentist bill"),
        ("The dentist bill of 120 EUR is due on 1 March", "I paid 40 euros towards the dentist bill"),
        (
            "Die Zahnarztrechnung über 120 EUR ist am 1. März fällig",
            "40 Euro von der Zahnarztrechnung bezahlt",
        ),
        (
            "La facture du dentiste de 120 € est à payer le 1er mars",
            "j'ai payé 40 € de la facture du dentiste",
        ),
        ("La factura del dentista de 120 € vence el 1 de marzo", "he pagado 40 € de la factura del dentista"),
    ],
)
async def test_a_part_of_a_bill_leaves_the_rest_open(bill: str, part: str) -> None:
    rows, answer = await paid(bill, part)
    assert rows == [("bill", Decimal(80), None), ("expense", Decimal(40), None)]
    assert "80.00" in answer or "80,00" in answer


async def test_the_last_part_pays_it() -> None:
    bill = "The dentist bill of 120 EUR is due on 1 March"
    rows, _ = await paid(bill, "Paid 40 EUR of the dentist bill", "Paid 80 EUR of the dentist bill")
    assert [(kind, done) for kind, _, done in rows] == [
        ("bill", NOW.date()),
        ("expense", None),
        ("expense", None),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Paid 118.50 EUR for the dentist bill",
        "Paid 140 EUR of the dentist bill",
        "Paid the dentist bill, 120 EUR",
    ],
)
async def test_a_sum_that_may_be_all_of_it_pays_it(said: str) -> None:
    rows, _ = await paid("The dentist bill of 120 EUR is due on 1 March", said)
    assert [done for kind, _, done in rows if kind == "bill"] == [NOW.date()]


async def test_a_part_in_another_currency_is_not_taken_off() -> None:
    rows, _ = await paid("The dentist bill of 120 CHF is due on 1 March", "Paid 40 EUR of the dentist bill")
    assert ("bill", Decimal(80), None) not in rows
