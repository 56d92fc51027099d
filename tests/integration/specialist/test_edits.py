"""What an edited message does to what was noted of it: the record and the answer say the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from tests.integration.specialist.household import Client, Place, envelope, request_context

SPENT = "Spent 60 EUR on groceries"


@dataclass
class Told:
    """One specialist, and the versions of one message, the newest first."""

    specialist: Client
    versions: list[dict[str, Any]] = field(default_factory=list)

    async def say(self, text: str, **changes: Any) -> str:
        """A message of its own; what is answered."""
        return await self._answer(envelope(text, context=request_context("api"), **changes))

    async def first(self, text: str = SPENT) -> str:
        return await self._version(text)

    async def edit(self, text: str, *, moved_to: tuple[str, ...] = (), of: int | None = None) -> str:
        """The message with other words; `of`: so many former versions are named."""
        parts = [
            {"request_id": one["request_context"]["request_id"], "segment_id": "s1"}
            for one in self.versions[:of]
        ]
        told = {"context": {"supersedes": {"parts": parts, "moved_to": list(moved_to)}}}
        return await self._version(text, input={"prompt": text, **told})

    async def taken_back(self, first: dict[str, Any], parts: list[dict[str, str]], to: str) -> str:
        """The request takes back what it was noted as, in a branch of its own; what is answered."""
        told = {"context": {"supersedes": {"parts": parts, "moved_to": [to]}}}
        text = first["input"]["prompt"]
        branch = envelope(
            text, context=first["request_context"], segment_id="s1-withdrawn", input={"prompt": text, **told}
        )
        ended = await self.specialist.done(branch)
        assert ended.result is not None, ended.error
        return str(ended.result.get("reply"))

    async def of_stranger(self, text: str) -> dict[str, Any]:
        """What somebody outside the household wrote, once it is noted."""
        data = envelope(text, context=request_context("email", sender_class="other", reply_policy="owner"))
        ended = await self.specialist.done(data)
        assert ended.result is not None, ended.error
        return data

    async def _version(self, text: str, **changes: Any) -> str:
        self.versions.insert(0, envelope(text, context=request_context("api"), **changes))
        return await self._answer(self.versions[0])

    async def _answer(self, data: dict[str, Any]) -> str:
        ended = await self.specialist.done(data)
        assert ended.result is not None, ended.error
        return str(ended.result["reply"])

    async def noted(self) -> list[tuple[str, Decimal | None, str | None]]:
        """What counts: the records that nobody withdrew."""
        rows = await self.specialist.place.records()
        return [(row["kind"], row["amount"], row["title"]) for row in rows if row["withdrawn_at"] is None]


@pytest.fixture
async def told(place: Place) -> AsyncIterator[Told]:
    async with place.specialist(extra='currency = "EUR"') as specialist:
        yield Told(specialist)


async def test_another_sum_takes_the_place_of_the_first_and_is_counted_alone(told: Told) -> None:
    await told.first()
    answer = await told.edit("Spent 66 EUR on groceries")
    assert answer.startswith(
        "Changed: 66.00 EUR instead of 60.00 EUR (groceries). Noted: 66.00 EUR for groceries"
    )
    assert answer.endswith("This month so far: 66.00 EUR.")
    assert await told.noted() == [("expense", Decimal(66), "groceries")]
    assert "You spent 66.00 EUR" in await told.say("How much did I spend this month?")


async def test_the_former_sum_is_kept_with_what_it_was_changed_by(told: Told) -> None:
    await told.first()
    await told.edit("Spent 66 EUR on groceries")
    [change] = await told.specialist.place.pool.fetch("SELECT * FROM record_changes")
    assert (change["cause"], str(change["former"]["amount"])) == ("edited", "60")
    assert str(change["request_id"]) == told.versions[0]["request_context"]["request_id"]


async def test_an_edit_without_other_facts_changes_no_record_and_says_so(told: Told) -> None:
    await told.first("Spent 60 EUR on groceries today")
    answer = await told.edit("Today spent 60 EUR on groceries!")
    assert answer.startswith("Only the words changed: 60.00 EUR (groceries).")
    assert await told.noted() == [("expense", Decimal(60), "groceries")]
    assert (await told.edit("Today spent 60 EUR on groceries!")) == "Nothing changed: 60.00 EUR (groceries)."


async def test_an_edit_of_an_edit_changes_what_the_edit_made(told: Told) -> None:
    await told.first()
    await told.edit("Spent 66 EUR on groceries")
    assert "60.00 EUR instead of 66.00 EUR" in await told.edit(SPENT)
    assert "70.00 EUR instead of 60.00 EUR" in await told.edit("Spent 70 EUR on groceries")
    assert await told.noted() == [("expense", Decimal(70), "groceries")]


async def test_an_edit_that_names_the_first_alone_replaces_its_edits_too(told: Told) -> None:
    await told.first()
    await told.edit("Spent 66 EUR on groceries, 5 EUR for bread")
    told.versions = told.versions[1:]
    await told.edit(SPENT)
    assert await told.noted() == [("expense", Decimal(60), "groceries")]


async def test_what_the_edit_leaves_out_is_withdrawn_and_what_it_adds_is_noted(told: Told) -> None:
    await told.first("Spent 60 EUR on groceries. Paid 12 EUR for a taxi")
    answer = await told.edit("Spent 60 EUR on groceries. The gas bill of 80 EUR is due on Friday")
    assert answer.startswith("Withdrawn: 12.00 EUR (a taxi). Noted: ")
    kinds = {(kind, amount) for kind, amount, _ in await told.noted()}
    assert kinds == {("expense", Decimal(60)), ("bill", Decimal(80))}


async def test_a_text_that_is_anothers_now_takes_its_facts_away(told: Told) -> None:
    await told.first()
    answer = await told.edit("My weight is 60 kg", moved_to=("health",))
    assert answer == "Withdrawn: 60.00 EUR (groceries). Your new words went to health."
    assert await told.noted() == []
    assert (await told.edit("My weight is 61 kg", moved_to=("health",))) == (
        "Nothing of your message was noted here. Your new words went to health."
    )
    assert (await told.edit(SPENT)).startswith("Noted: 60.00 EUR for groceries")
    assert await told.noted() == [("expense", Decimal(60), "groceries")]


async def test_a_text_that_nobody_may_have_takes_its_facts_away_and_is_said_to_be_nowhere(told: Told) -> None:
    await told.first()
    answer = await told.edit("My weight is 60 kg", moved_to=("switchboard",))
    assert answer == "Withdrawn: 60.00 EUR (groceries)."
    assert await told.noted() == []


async def test_a_message_that_was_anothers_all_along_is_taken_back_by_its_own_request(told: Told) -> None:
    await told.first()
    first = told.versions[0]
    parts = [{"request_id": first["request_context"]["request_id"], "segment_id": "s1"}]
    answer = await told.taken_back(first, parts, "health")
    assert answer == "Withdrawn: 60.00 EUR (groceries). It is with health now."
    assert await told.noted() == []
    [kept] = await told.specialist.place.records()
    assert (kept["amount"], kept["withdrawn_at"] is not None) == (Decimal(60), True)
    assert (await told.say("undo")).startswith("Put back: 60.00 EUR, groceries")


async def test_a_strangers_request_takes_back_its_own_facts_and_no_others(told: Told) -> None:
    await told.first()
    first = await told.of_stranger("Your bill of 80 EUR is due on Friday")
    assert len(await told.noted()) == 2
    of_member = told.versions[0]["request_context"]["request_id"]
    parts = [{"request_id": first["request_context"]["request_id"], "segment_id": "s1"}]
    await told.taken_back(first, parts, "health")
    assert await told.noted() == [("expense", Decimal(60), "groceries")]
    assert of_member != first["request_context"]["request_id"]


async def test_a_question_made_of_a_fact_withdraws_it_and_is_answered(told: Told) -> None:
    await told.first()
    answer = await told.edit("How much did I spend on groceries this month?")
    assert answer.startswith("Withdrawn: 60.00 EUR (groceries). ")
    assert "60" not in answer.removeprefix("Withdrawn: 60.00 EUR (groceries). ")
    assert await told.noted() == []


async def test_an_edited_question_is_answered_anew(told: Told) -> None:
    await told.say(SPENT)
    await told.first("How much did I spend last month?")
    assert (await told.edit("How much did I spend this month?")).startswith("You spent 60.00 EUR")


async def test_words_that_come_after_their_edit_note_nothing(told: Told) -> None:
    late = envelope(SPENT, context=request_context("api"))
    told.versions = [late]
    assert (await told.edit("Spent 66 EUR on groceries")).startswith("Noted: 66.00 EUR")
    answer = await told._answer(late)
    assert answer.startswith("You have changed this message since")
    assert await told.noted() == [("expense", Decimal(66), "groceries")]


async def test_an_edit_that_comes_twice_changes_once(told: Told) -> None:
    await told.first()
    await told.edit("Spent 66 EUR on groceries")
    again = {**told.versions[0], "subrequest": {**told.versions[0]["subrequest"], "attempt": 2}}
    again["subrequest"]["subrequest_id"] = envelope("x")["subrequest"]["subrequest_id"]
    assert "66.00 EUR instead of 60.00 EUR" in await told._answer(again)
    assert await told.specialist.place.pool.fetchval("SELECT count(*) FROM record_changes") == 1
    assert await told.noted() == [("expense", Decimal(66), "groceries")]


async def test_an_edit_of_a_message_whose_former_version_was_not_answered_is_performed_in_silence(
    place: Place, told: Told
) -> None:
    await told.first()
    silent = request_context("api", reply_policy="none")
    part = {"request_id": told.versions[0]["request_context"]["request_id"], "segment_id": "s1"}
    text = "Spent 66 EUR on groceries"
    data = envelope(
        text, context=silent, input={"prompt": text, "context": {"supersedes": {"parts": [part]}}}
    )
    ended = await told.specialist.done(data)
    assert ended.result == {"records": 0, "changes": 1}
    assert place.switchboard.notifies == []
    assert await told.noted() == [("expense", Decimal(66), "groceries")]


async def test_an_edit_by_another_person_takes_nothing_of_it_back(told: Told) -> None:
    """What a message was is its writer's, whatever parts the work names (D68)."""
    await told.first()
    part = {"request_id": told.versions[0]["request_context"]["request_id"], "segment_id": "s1"}
    context = {"supersedes": {"parts": [part], "moved_to": ["general"]}}
    other = request_context("telegram", source_sender_identity="1002")
    data = envelope(SPENT, context=other, input={"prompt": SPENT, "context": context})
    await told.specialist.done(data)
    assert await told.noted() == [("expense", Decimal(60), "groceries")]
