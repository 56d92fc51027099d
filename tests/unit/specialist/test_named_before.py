"""What is told of "him" or "her" is about who was named before, where Switchboard says who that was."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.route import TogetherV1
from butler_specialist.profiles import load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.understanding.household import Whose
from tests.golden.specialist.conversations import MemoryRecords

MONDAY = datetime(2027, 9, 13, 20, 10, tzinfo=ZoneInfo("Europe/Berlin"))
RUTH, JONAS = UUID(int=1), UUID(int=2)
WHOSE = Whose(str(RUTH), {str(RUTH): "Ruth Keller", str(JONAS): "Jonas Keller"})


async def told(text: str, before: str = "") -> Reply:
    prompt = f"{text}\n\n(Said before: {before})" if before else text
    answering = Answering(MONDAY, True, MemoryRecords(), whose=WHOSE)
    return await load_profile("relationship").respond(prompt, answering)


@pytest.mark.parametrize(
    ("text", "before", "person"),
    [
        ("his birthday is on the 28th btw", "Jonas", "Jonas"),
        ("sein Geburtstag ist am 28.", "Jonas; Fernrohr", "Jonas"),
        ("sein Geburtstag ist am 28.", "Jonas Blumen", "Jonas"),
        ("son anniversaire est le 28 septembre", "Paul", "Paul"),
        ("su cumpleaños es el 28 de septiembre", "Marta", "Marta"),
        ("his birthday is on the 28th", "Paul; Marta", None),
        ("his birthday is on the 28th", "", None),
        ("Tom's birthday is on the 28th", "Jonas", "Tom"),
    ],
)
async def test_a_birthday_is_that_of_the_contact_or_the_only_name_before(
    text: str, before: str, person: str | None
) -> None:
    [record] = (await told(text, before)).records
    assert (record.kind, record.party, record.text) == ("birthday", person, text)


async def test_a_number_is_that_of_who_was_named_before() -> None:
    [record] = (await told("her number is 0151 2345678", "Clara")).records
    assert (record.kind, record.party) == ("contact", "Clara")


async def test_whose_birthday_comes_is_said_where_its_words_do_not_say_it() -> None:
    records = MemoryRecords()
    records.add((await told("his birthday is on the 28th btw", "Jonas")).records, sender="7001")
    together = TogetherV1(answered=0, last=False)
    answering = Answering(MONDAY, True, records, whose=WHOSE, together=together)
    listed = await load_profile("relationship").respond("What's coming up this month?", answering)
    assert listed.text.startswith("Jonas: “his birthday is on the 28th btw” (Tuesday, 28 September 2027)")
