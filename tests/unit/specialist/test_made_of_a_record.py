"""What is made of a record, what was paid of a bill, what is off a list, is as private as the record (ADR 0100)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from butler_kit.wording.privacy import PrivacyWord
from butler_specialist.changes.take_back import removals
from butler_specialist.changes.tick import _spent
from butler_specialist.store.model import Record
from butler_specialist.store.visibility import Policy, made_of
from butler_specialist.understanding.whose_word import WhoseWord

ADA, BEN = UUID(int=1), UUID(int=2)
TODAY = date(2026, 11, 27)
CASE: Any = SimpleNamespace(
    said="I paid it",
    reading=SimpleNamespace(today=TODAY),
    request=SimpleNamespace(sentence=SimpleNamespace(text="got it")),
)


def kept(kind: str, audience: Any, *, shared_with: tuple[str, ...] = ()) -> Record:
    return Record(
        kind,
        TODAY,
        "told",
        title="canary",
        amount=Decimal(5),
        audience=audience,
        shared_with=shared_with,
        contact_id=ADA,
    )


def test_what_was_paid_of_a_private_bill_is_its_teller_s() -> None:
    spent = _spent(CASE, kept("bill", "private"), TODAY)
    assert (spent.title, spent.audience, spent.shared_with) == ("canary", "private", (str(ADA),))


def test_what_is_off_a_list_is_known_to_who_put_it_there_and_to_whom_it_was_shared() -> None:
    [gone] = removals(CASE, [kept("list_item", "private", shared_with=(str(BEN),))])
    assert (gone.audience, gone.shared_with) == ("private", (str(BEN), str(ADA)))


def test_what_is_the_household_s_stays_so() -> None:
    assert _spent(CASE, kept("bill", None), TODAY).audience is None
    assert _spent(CASE, kept("bill", "household"), TODAY).audience == "household"


def test_a_word_about_the_rest_of_the_message_does_not_share_it() -> None:
    derived = made_of(kept("bill", "private"), kept("expense", None))
    everybody = WhoseWord(PrivacyWord("household", "", "tell everyone"))
    assert everybody.of_all([derived]) == (derived,)
    assert everybody.of(kept("bill", "private")).audience == "household"


def told(**said: Any) -> dict[str, Any]:
    return {"kind": "note", "party": None, "sender_class": "household", "audience": None, **said}


def test_operators_are_not_shown_what_is_not_for_the_whole_household() -> None:
    policy = Policy(private=("bill",), personal=("measurement",))
    for withheld in (
        told(audience="private"),
        told(audience="private", shared_with=["Ben"]),
        told(kind="bill"),
        told(kind="measurement"),
    ):
        assert policy.withholds(withheld), withheld
    for shown in (
        told(),
        told(kind="bill", audience="household"),
        told(kind="measurement", party="Leo"),
        told(kind="bill", sender_class="external"),
    ):
        assert not policy.withholds(shown), shown
