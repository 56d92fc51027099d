# ruff: noqa: E501 - mails as they come
"""A bill or an order that is passed on by mail is one sum: its total, with its day, called as its subject says."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.understanding.reading import read

NOW = datetime(2027, 2, 9, 19, tzinfo=UTC)
FINANCE = FinanceProfile()
_MARK = "---------- Forwarded message ----------"


@pytest.mark.parametrize(
    ("mail", "kind", "amount", "day", "title"),
    [
        (
            f"Subject: Fwd: Your energy bill\n\n{_MARK}\nFrom: Luminus <no@luminus.example>\n\nYour bill for January is"
            " ready. Amount due: €143.27\nPayment due date: 22 February 2027\n\nCustomer number 5520981.",
            "bill", "143.27", date(2027, 2, 22), "Your energy bill",
        ),
        (
            f"Subject: Fwd: Order confirmed\n\n{_MARK}\nFrom: ASOS <o@asos.example>\n\n1 x Wool coat          £64.00\n"
            "1 x Ankle boots        £41.50\nDelivery               £0.00\nOrder total            £105.50\n",
            "expense", "105.50", date(2027, 2, 9), "Order confirmed",
        ),
        (
            f"Subject: WG: Rechnung 2027-0088\n\n{_MARK}\nVon: Maler Kunze <b@kunze.example>\n\nNettobetrag   520,00 €\n"
            "19 % MwSt.      98,80 €\nGesamtbetrag   618,80 €\nZahlbar bis 28.02.2027 ohne Abzug.\n",
            "bill", "618.80", date(2027, 2, 28), "Rechnung 2027-0088",
        ),
        (
            f"Subject: Fwd: Factura de Orange\n\n{_MARK}\nDe: Orange <f@orange.example>\n\nYa tienes tu factura.\n"
            "Importe: 34,95 €\nFecha de vencimiento: 25/02/2027\n",
            "bill", "34.95", date(2027, 2, 25), "Factura de Orange",
        ),
    ],
)  # fmt: skip
def test_a_document_is_one_sum(mail: str, kind: str, amount: str, day: date, title: str) -> None:
    drafts = FINANCE.compose(read(mail, NOW, currency="EUR"), household=True)
    assert [(one.kind, one.amount, one.occurred_on, one.title) for one in drafts] == [
        (kind, Decimal(amount), day, title)
    ]


def test_the_sender_of_what_is_passed_on_is_who_is_paid() -> None:
    mail = f"Subject: Fwd: Your bill\n\n{_MARK}\nFrom: Luminus <no@luminus.example>\n\nAmount due: €14\nDue: 22 February"
    (draft,) = FINANCE.compose(read(mail, NOW, currency="EUR"), household=True)
    assert draft.party == "Luminus"
