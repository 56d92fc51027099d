"""What was lent and came back is no debt any more; a part of it makes it smaller."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from tests.golden.specialist.remembering import Talk

NOW = datetime(2027, 2, 9, 19, tzinfo=UTC)


async def lent(told: str, back: str) -> tuple[Talk, str]:
    talk = Talk("finance", NOW)
    await talk.say(told)
    reply = await talk.say(back)
    return talk, reply.text


@pytest.mark.parametrize(
    ("told", "back"),
    [
        ("lent Diego a tenner for the bus", "Diego paid me back the tenner"),
        ("I lent Diego 10 euros", "diego finally paid me back"),
        ("I owe Becky 40 euros", "paid Becky back"),
        ("Ich habe Becky 18 Euro geliehen", "Becky hat mir das Geld zurückgegeben"),
        ("Ich schulde Becky 18 Euro", "ich habe Becky das Geld zurückgezahlt"),
        ("j'ai prêté 30 € à Diego", "diego m'a remboursé"),
        ("Diego me debe 15 euros", "Diego me ha devuelto el dinero"),
        ("Diego me debe 15 euros", "Diego me los devolvió"),
        ("Tom owes me 40 euros", "Tom doesn't owe me any more"),
        ("Tom schuldet mir 40 Euro", "Tom schuldet mir nichts mehr"),
        ("Tom me doit 40 euros", "Tom ne me doit plus rien"),
        ("Tom me debe 40 euros", "Tom ya no me debe nada"),
        ("I owe Becky 40 euros", "I don't owe Becky anything any more"),
        ("Ich schulde Becky 18 Euro", "ich schulde Becky nichts mehr"),
        ("je dois 20 euros à Paul", "je ne dois plus rien à Paul"),
        ("debo 20 euros a Ana", "ya no le debo nada a Ana"),
        ("I owe Ben 12 euros", "gave ben his 12 back"),
        ("I lent Gerda 30 euros", "yes Gerda gave it back to me yesterday"),
    ],
)
async def test_what_came_back_is_settled(told: str, back: str) -> None:
    talk, _ = await lent(told, back)
    assert [(row.kind, row.done_on) for row in talk.records] == [("debt", NOW.date())]
    assert "owe" not in (await talk.say("who owes me money?")).text


async def test_a_part_makes_the_debt_smaller() -> None:
    talk, said = await lent("I lent Diego 30 euros", "Diego paid me back 10 euros")
    assert [(row.kind, row.amount, row.done_on) for row in talk.records] == [("debt", Decimal(20), None)]
    assert "Still owed: 20.00 EUR" in said


@pytest.mark.parametrize("back", ["Becky paid me back 10 euros", "Diego paid me back 50 euros"])
async def test_what_fits_no_debt_changes_none(back: str) -> None:
    talk, _ = await lent("I lent Diego 30 euros", back)
    assert [(row.kind, row.amount) for row in talk.records if row.kind == "debt"] == [("debt", Decimal(30))]


async def test_what_came_back_in_another_currency_fits_no_debt() -> None:
    talk, _ = await lent("I lent Tom 100 CHF", "Tom paid me back 40 EUR")
    debts = [(row.amount, row.currency, row.done_on) for row in talk.records if row.kind == "debt"]
    assert debts == [(Decimal(100), "CHF", None)]


@pytest.mark.parametrize(
    ("back", "left"),
    [
        ("Tom paid me back 20 USD", [("EUR", None), ("USD", NOW.date())]),
        ("Tom paid me back 20 EUR", [("EUR", NOW.date()), ("USD", None)]),
        ("Tom paid me back 40 EUR", [("EUR", None), ("USD", None)]),
        ("Tom paid me back 40", [("EUR", None), ("USD", None)]),
        ("Tom paid me back", [("EUR", NOW.date()), ("USD", NOW.date())]),
    ],
)
async def test_of_debts_in_two_currencies_the_one_that_came_back_is_settled(
    back: str, left: list[tuple[str, date | None]]
) -> None:
    talk = Talk("finance", NOW)
    for said in ("I lent Tom 20 EUR", "I lent Tom 20 USD for the bus", back):
        await talk.say(said)
    assert [(row.currency, row.done_on) for row in talk.records if row.kind == "debt"] == left


async def test_a_sum_in_thousands_is_put_right_in_thousands() -> None:
    talk, _ = await lent("paid 12k euros for the new boiler", "no, 11.5k")
    assert [row.amount for row in talk.records] == [Decimal(11500)]


async def test_who_got_paid_ticks_nothing_off() -> None:
    talk, _ = await lent("The rent of 900 EUR is due on 1 March", "got paid today, 1450")
    assert [(row.kind, row.done_on) for row in talk.records] == [("bill", None), ("income", None)]


async def test_a_bill_that_was_settled_is_paid() -> None:
    talk, _ = await lent(
        "The water bill is 74 euros and must be paid by the 20th.", "I have settled the water bill"
    )
    assert [row.done_on for row in talk.records if row.kind == "bill"] == [NOW.date()]


@pytest.mark.parametrize("asked", ["has Diego paid me back", "did Diego give it back to me"])
async def test_who_asks_whether_it_came_back_settles_nothing(asked: str) -> None:
    talk, said = await lent("I lent Diego 30 euros", asked)
    assert [(row.kind, row.done_on) for row in talk.records] == [("debt", None)]
    assert "Settled" not in said


async def test_who_does_not_owe_a_sum_is_not_said_to_owe_nothing() -> None:
    talk, _ = await lent("I lent Diego 30 euros", "Diego doesn't owe me 50 euros")
    assert [row.done_on for row in talk.records if row.kind == "debt"] == [None]
