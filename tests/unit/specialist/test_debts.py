"""Who owes whom is a debt: never an expense, and a bill only where it is due on a day."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import read

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
FINANCE = FinanceProfile()


def kept(said: str, *, household: bool = True) -> RecordDraft:
    (draft,) = FINANCE.compose(read(said, NOW), household=household)
    return draft


@pytest.mark.parametrize(
    ("said", "debtor", "creditor"),
    [
        ("Tom owes me 20 euros for the concert tickets", "Tom", "you"),
        ("Tom still owes us 20 EUR", "Tom", "you"),
        ("My brother owes me 20 EUR", "My brother", "you"),
        ("I lent Tom 20 EUR", "Tom", "you"),
        ("Lent 20 EUR to Tom", "Tom", "you"),
        ("Tom borrowed 20 EUR", "Tom", "you"),
        ("Tom schuldet mir 20 Euro", "Tom", "you"),
        ("Ich habe Tom 20 Euro geliehen", "Tom", "you"),
        ("Tom me doit 20 euros", "Tom", "you"),
        ("J'ai prêté 20,50 € à Tom", "Tom", "you"),
        ("Tom me debe 20 euros", "Tom", "you"),
        ("I owe Tom 20 EUR", "you", "Tom"),
        ("We owe the plumber 180 EUR", "you", "the plumber"),
        ("I borrowed 20 EUR from Tom", "you", "Tom"),
        ("Ich schulde Tom 20 Euro", "you", "Tom"),
        ("Ich habe mir von Tom 20 Euro geliehen", "you", "Tom"),
        ("Je dois 20 euros à Tom", "you", "Tom"),
        ("Le debo 20 euros a Tom", "you", "Tom"),
    ],
)
def test_a_debt_says_who_owes_and_to_whom(said: str, debtor: str, creditor: str) -> None:
    draft = kept(said)
    assert (draft.kind, draft.details["debtor"], draft.details["creditor"]) == ("debt", debtor, creditor)
    assert draft.party == (creditor if debtor == "you" else debtor)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("We owe the plumber 180 EUR, due on 5 December", "bill"),
        ("I owe 20 EUR for the bus", "bill"),
        ("Tom paid me back 20 EUR", "refund"),
        ("Tom gave us back 20 EUR", "refund"),
        ("Tom hat mir 20 Euro zurückgezahlt", "refund"),
        ("I paid Tom 20 EUR for the tickets", "expense"),
    ],
)
def test_what_is_due_given_back_or_paid_is_no_debt(said: str, kind: str) -> None:
    assert kept(said).kind == kind


def test_a_stranger_s_claim_is_a_demand() -> None:
    assert kept("You owe me 20 EUR", household=False).kind == "bill"
    assert kept("Tom owes me 20 EUR", household=False).kind == "bill"
