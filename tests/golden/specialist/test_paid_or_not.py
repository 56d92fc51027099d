"""Whether a bill is paid is answered from what is noted: the sum, the day, and else one honest sentence."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_specialist.understanding.dates import day_text
from tests.golden.specialist.conversations import BERLIN
from tests.golden.specialist.remembering import Talk

TUESDAY = datetime(2026, 11, 24, 10, 0, tzinfo=BERLIN)


async def _last(*texts: str) -> str:
    talk, said = Talk("finance", TUESDAY), ""
    for text in texts:
        said = (await talk.say(text)).text
    return said


BILLS = [
    (
        "Electricity bill 80 EUR due on Friday",
        "is the electricity bill paid?",
        "paid the electricity bill",
        ("Not paid yet: 80.00 EUR, Electricity bill", "27 November"),
        ("Yes, paid on Tuesday, 24 November 2026: 80.00 EUR",),
    ),
    (
        "Stromrechnung 80 EUR fällig am Freitag",
        "habe ich die Stromrechnung schon bezahlt?",
        "Stromrechnung bezahlt",
        ("Noch nicht bezahlt: 80,00 EUR, Stromrechnung", "27. November"),
        ("Ja, bezahlt am Dienstag, 24. November 2026: 80,00 EUR",),
    ),
    (
        "Facture d'électricité 80 EUR à payer vendredi",
        "la facture d'électricité est-elle payée ?",
        "la facture d'électricité est payée",
        ("Pas encore payé : 80,00 EUR, Facture d'électricité", "27 novembre"),
        ("Oui, payé le mardi 24 novembre 2026 : 80,00 EUR",),
    ),
    (
        "Factura de la luz 80 EUR vence el viernes",
        "¿está pagada la factura de la luz?",
        "he pagado la factura de la luz",
        ("Aún sin pagar: 80,00 EUR, Factura de la luz", "27 de noviembre"),
        ("Sí, pagado el martes, 24 de noviembre de 2026: 80,00 EUR",),
    ),
]


@pytest.mark.parametrize(("bill", "asked", "paid", "before", "after"), BILLS)
async def test_a_bill_is_not_paid_until_somebody_says_so(
    bill: str, asked: str, paid: str, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    said = await _last(bill, asked)
    assert [part for part in before if part not in said] == []
    said = await _last(bill, paid, asked)
    assert [part for part in after if part not in said] == []


async def test_an_old_payment_does_not_pay_the_next_bill() -> None:
    said = await _last(
        "paid 800 EUR rent on 2 November", "Rent bill 800 EUR due on Friday", "did I pay the rent?"
    )
    assert said.startswith("Not paid yet: 800.00 EUR")
    assert "Paid before: 800.00 EUR" in said
    assert "2 November 2026" in said


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("did I pay the rent?", "Neither a bill nor a payment of “rent” is noted here"),
        ("habe ich die Miete schon bezahlt?", "Zu „Miete“ ist hier weder eine Rechnung noch eine Zahlung"),
        ("ai-je payé le loyer ?", "Ni facture ni paiement pour « loyer »"),
        ("¿he pagado el alquiler?", "No hay ninguna factura ni ningún pago de «alquiler»"),
        ("what is still open?", "No unpaid bill is noted"),
        ("was ist noch offen?", "keine offene Rechnung"),
        ("qu'est-ce qui reste à payer ?", "Aucune facture impayée"),
        ("¿qué queda por pagar?", "ninguna factura pendiente"),
    ],
)
async def test_what_is_not_noted_is_said_to_be_unknown(asked: str, answer: str) -> None:
    assert answer in await _last("Spent 60 EUR at Lidl", asked)


async def test_what_is_open_are_the_unpaid_bills_and_our_debts_the_next_first() -> None:
    told = ("Water bill 30 EUR due on 3 December", "Phone bill 20 EUR due on Friday", "I owe Ada 15 EUR")
    said = await _last(*told, "paid the phone bill", "what is still open?")
    assert said.index("15.00 EUR, Ada") < said.index("30.00 EUR, Water bill")
    assert "20.00 EUR" not in said


@pytest.mark.parametrize(
    ("debt", "asked", "back", "before", "after"),
    [
        ("Tom owes me 20 EUR", "has Tom paid me back?", "Tom paid me back", "Not yet", "Yes, paid back on"),
        (
            "Tom schuldet mir 20 EUR",
            "hat Tom mir das Geld zurückgezahlt?",
            "Tom hat mir die 20 Euro zurückgezahlt",
            "Noch nicht",
            "Ja, zurückgezahlt am",
        ),
        ("Tom me doit 20 EUR", "est-ce que Tom m'a remboursé ?", "Tom m'a remboursé", "Pas encore", "Oui"),
        (
            "Tom me debe 20 EUR",
            "¿me ha devuelto Tom el dinero?",
            "Tom me ha devuelto el dinero",
            "Todavía",
            "Sí",
        ),
    ],
)
async def test_whether_somebody_paid_back_is_what_is_noted_of_the_debt(
    debt: str, asked: str, back: str, before: str, after: str
) -> None:
    assert (await _last(debt, asked)).startswith(before)
    assert (await _last(debt, back, asked)).startswith(after)
    other = await _last(debt, asked.replace("Tom", "Ben"))
    assert "20" not in other


@pytest.mark.parametrize(
    "asked",
    [
        "what did I pay?",
        "how much did I pay at Lidl?",
        "combien ai-je payé chez Lidl ?",
        "¿cuánto pagué en Lidl?",
    ],
)
async def test_a_question_for_a_sum_is_answered_with_the_sum(asked: str) -> None:
    assert "60" in await _last("Spent 60 EUR at Lidl", asked)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["water", "phone", "gas", "internet", "heating"]),
            st.integers(1, 900),
            st.integers(1, 20),
            st.booleans(),
        ),
        min_size=1,
        max_size=4,
        unique_by=lambda one: one[0],
    ),
    st.data(),
)
def test_the_answer_is_what_the_record_says(
    bills: list[tuple[str, int, int, bool]], data: st.DataObject
) -> None:
    name, sum_of, _, is_paid = data.draw(st.sampled_from(bills))

    async def talked() -> tuple[Talk, str]:
        talk = Talk("finance", TUESDAY)
        for thing, value, ahead, paid in bills:
            due = (TUESDAY + timedelta(days=ahead)).strftime("%d.%m.%Y")
            await talk.say(f"{thing} bill {value} EUR due on {due}")
            if paid:
                await talk.say(f"paid the {thing} bill")
        return talk, (await talk.say(f"is the {name} bill paid?")).text

    talk, said = asyncio.run(talked())
    [record] = [row for row in talk.records if row.kind == "bill" and name in (row.title or "").lower()]
    assert (record.done_on is not None) is is_paid
    assert f"{sum_of}.00 EUR" in said
    assert day_text(record.done_on or record.occurred_on) in said
    assert said.startswith("Yes, paid on" if is_paid else "Not paid yet")
    assert not [other for other, *_ in bills if other != name and f"{other} bill" in said.lower()]
