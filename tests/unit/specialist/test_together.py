"""The part of each butler in a question that all are asked: what it has, or nothing at all."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.route import TogetherV1
from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.model import RecordDraft
from tests.golden.specialist.conversations import MemoryRecords

FRIDAY = datetime(2026, 11, 27, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
TODAY, LATER = FRIDAY.date(), date(2026, 12, 4)
FIRST, LAST = TogetherV1(answered=0, last=False), TogetherV1(answered=0, last=True)
DENTIST = RecordDraft(kind="appointment", occurred_on=TODAY, text="dentist", occurred_at=time(10))
BILL = RecordDraft(
    kind="bill",
    occurred_on=TODAY,
    text="the power bill",
    title="power",
    amount=Decimal("96.50"),
    currency="EUR",
)
SPENT = RecordDraft(
    kind="expense", occurred_on=TODAY, text="12 for bread", amount=Decimal(12), currency="EUR"
)
BORN = RecordDraft(
    kind="birthday", occurred_on=date(2019, 11, 28), text="Leo's birthday is on 28 November", party="Leo"
)


async def asked(
    butler: str, *kept: RecordDraft, text: str = "what's on today?", together: TogetherV1 = FIRST
) -> Reply:
    records = MemoryRecords()
    records.add(kept, sender="1001")
    answering = Answering(FRIDAY, True, records, currency="EUR", together=together)
    return await load_profile(butler).respond(text, answering)


async def test_each_tells_what_it_has_on_that_day_and_nothing_of_what_was_done_or_spent() -> None:
    health = await asked("health", DENTIST)
    assert "dentist" in health.text
    assert "10:00" in health.text
    finance = await asked("finance", BILL, SPENT)
    assert "96.50 EUR" in finance.text
    assert "bread" not in finance.text


@pytest.mark.parametrize("butler", PROFILES)
@pytest.mark.parametrize("text", ["what's on today?", "Was steht heute an?", "which reminders do I have?"])
async def test_who_has_nothing_says_nothing_and_keeps_nothing(butler: str, text: str) -> None:
    assert await asked(butler, text=text) == Reply((), "", silent=True)


async def test_the_last_one_says_so_where_nobody_had_anything_and_is_silent_where_somebody_had() -> None:
    nothing = await asked("general", together=LAST)
    assert nothing == Reply((), "I found nothing on Friday, 27 November 2026 in what I have noted.")
    german = await asked("general", text="Welche Erinnerungen habe ich?", together=LAST)
    assert german.text == "Du hast keine Erinnerungen."
    assert (await asked("general", together=TogetherV1(answered=2, last=True))).silent


async def test_another_day_is_not_told_and_the_order_is_that_of_the_day() -> None:
    later = RecordDraft(kind="appointment", occurred_on=LATER, text="physio", occurred_at=time(8))
    early = RecordDraft(kind="appointment", occurred_on=TODAY, text="blood test", occurred_at=time(8, 30))
    said = (await asked("health", DENTIST, later, early)).text
    assert "physio" not in said
    assert said.index("blood test") < said.index("dentist")


async def test_a_birthday_is_told_on_its_next_day() -> None:
    said = await asked("relationship", BORN, text="what's on this weekend?")
    assert "Leo's birthday" in said.text
    assert "2026" in said.text
    assert (await asked("relationship", BORN)).silent


ABOUT_ME = RecordDraft(
    kind="fact", occurred_on=TODAY, text="remember that I am vegetarian", title="I am vegetarian"
)
KNOW, FORGET = "what do you know about me?", "forget everything you know about me"


async def of_memory(
    text: str, *kept: RecordDraft, answered: int = 0, last: bool = False, **more: bool
) -> Reply:
    """What one of several butlers that remember says."""
    records = MemoryRecords()
    records.add(kept, sender="1001")
    together = TogetherV1(answered=answered, last=last, of="memory")
    wanted = {"memory": True, **more}
    answering = Answering(FRIDAY, True, records, currency="EUR", together=together, **wanted)  # type: ignore[arg-type]
    return await load_profile("health").respond(text, answering)


@pytest.mark.parametrize("last", [False, True])
async def test_each_that_remembers_tells_and_forgets_what_it_knows(last: bool) -> None:
    told = await of_memory(KNOW, ABOUT_ME, answered=1, last=last)
    assert "I am vegetarian" in told.text
    forgotten = await of_memory(FORGET, ABOUT_ME, answered=1, last=last)
    assert [change.cause for change in forgotten.changes] == ["forgotten"]
    assert forgotten.text.startswith("I have forgotten the one thing that I knew about you.")


@pytest.mark.parametrize("text", [KNOW, FORGET])
async def test_who_knows_nothing_of_somebody_is_silent_unless_nobody_does(text: str) -> None:
    assert (await of_memory(text)).silent
    assert (await of_memory(text, answered=1, last=True)).silent
    assert (await of_memory(text, memory=False)).silent
    assert (await of_memory(text, last=True)).text.startswith("I know nothing about you yet.")


async def test_in_a_group_each_says_the_same_whatever_it_knows() -> None:
    said = [
        await of_memory(KNOW, *kept, in_group=True, last=last)
        for kept in ((), (ABOUT_ME,))
        for last in (False, True)
    ]
    assert {one.text for one in said} == {"That is between you and me; ask me in our own chat."}
