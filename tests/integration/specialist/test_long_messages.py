"""No fact of a message is dropped in silence, however long it is; what a person is told is in plain words."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from butler_contracts.errors import ErrorClass
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.store.model import RecordDraft
from tests.integration.specialist.household import Place, envelope, request_context

STATEMENT = "\n".join(
    f"{number % 28 + 1:02d}.10.2026  Stadtmarkt Berlin Mitte, Kartenzahlung girocard Nr. {number:03d}  {number}.10 EUR"
    for number in range(1, 201)
)


def api(prompt: str) -> dict[str, object]:
    return envelope(prompt, context=request_context("api"))


async def test_a_pasted_bank_statement_is_noted_whole_and_every_row_has_its_own_day(place: Place) -> None:
    async with place.specialist() as client:
        response = await client.done(api(f"My card statement, all paid:\n{STATEMENT}"))
    kept = [row for row in await place.records() if row["kind"] == "expense"]
    assert [row["amount"] for row in kept] == [Decimal(f"{number}.10") for number in range(1, 201)]
    assert [row["occurred_on"].day for row in kept] == [number % 28 + 1 for number in range(1, 201)]
    assert all(len(row["text"]) < 200 for row in kept)
    reply = (response.result or {})["reply"]
    assert "And 188 more: 200 expenses of 20,120.00 EUR in all." in reply
    assert "Spent in October 2026: 20,120.00 EUR." in reply


async def test_all_sums_of_one_line_are_noted(place: Place) -> None:
    said = " ".join(f"Paid {number}.00 EUR for thing{number}." for number in range(1, 201))
    async with place.specialist() as client:
        response = await client.done(api(said))
    assert len(await place.records()) == 200
    assert "This month so far: 20,100.00 EUR." in (response.result or {})["reply"]


async def test_what_is_beyond_the_bound_is_named_and_kept_as_text(place: Place) -> None:
    said = "\n".join(f"Paid 1.00 EUR for item{number}" for number in range(1, 1_501))
    async with place.specialist() as client:
        response = await client.done(api(said))
    kept = await place.records()
    told = "I noted 1000 of 1500 facts of this message. Please send what is missing in another one."
    assert (response.result or {})["reply"].startswith(told)
    assert len([row for row in kept if row["kind"] == "expense"]) == 1_000
    (note,) = [row for row in kept if row["kind"] == "note"]
    assert (note["title"], note["text"]) == (told, said)


async def test_lines_beyond_the_bound_are_named(place: Place) -> None:
    said = "\n".join(["x"] * 2_500)
    async with place.specialist() as client:
        response = await client.done(api(said))
    assert "I read 2000 of 2500 lines of this message." in (response.result or {})["reply"]


@pytest.mark.parametrize("place", ["relationship", "general", "finance"], indirect=True)
async def test_a_mail_with_an_endless_subject_is_noted_under_a_cut_title(place: Place) -> None:
    prompt = f"Subject: {'Invitation ' * 400}\n\nWe would be glad to have all of you with us."
    async with place.specialist() as client:
        response = await client.done(
            envelope(prompt, butler=place.name, context=request_context("email", reply_policy="none"))
        )
    assert response.status == "ok"
    (note,) = await place.records()
    assert note["title"].endswith("…")
    assert len(note["title"]) <= 300


async def test_a_record_that_may_not_be_is_our_fault_and_told_in_plain_words(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    impossible = RecordDraft(kind="Not A Kind", occurred_on=date(2026, 11, 21), text="x")
    monkeypatch.setattr(FinanceProfile, "compose", lambda *_, **__: (impossible,))
    monkeypatch.setattr(FinanceProfile, "acknowledge", lambda *_, **__: "Noted.")
    async with place.specialist() as client:
        response = await client.done(api("Paid 5 EUR for lunch"))
    assert response.error is not None
    assert response.error.error_class is ErrorClass.INTERNAL_ERROR
    assert response.error.message == "finance could not keep what it understood; its log has the reason"
