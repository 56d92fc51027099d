"""What is answered to "remind me of bills", by the butler that keeps bills and by the others that are asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.route import TogetherV1
from butler_kit.wording.standing import TOPICS
from butler_specialist.profiles import PROFILES, load_profile
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.model import Asker, Reminder, ReminderStop, StandingWish
from butler_specialist.upcoming.occasions import KINDS
from butler_specialist.work.standing_ledger import follow_args, follow_of
from tests.golden.specialist.conversations import MemoryRecords

TUESDAY = datetime(2026, 11, 24, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
FIRST, LAST = TogetherV1(answered=0, last=False), TogetherV1(answered=0, last=True)
KEEPERS = {"finance": "bills", "relationship": "birthdays", "travel": "departures", "health": "tablets"}


class Waiting:
    """The reminders of one person."""

    def __init__(self, *reminders: Reminder) -> None:
        self._reminders = reminders

    async def find_reminders(self, person: Asker) -> Sequence[Reminder]:
        return self._reminders

    async def find_stopped(self, person: Asker, request_id: UUID) -> Sequence[Reminder]:
        return ()


def reminder(text: str, record_id: UUID | None = None) -> Reminder:
    source: Literal["asked", "record"] = "asked" if record_id is None else "record"
    due, hour = TUESDAY.astimezone(UTC) + timedelta(days=1), timedelta(hours=1)
    return Reminder(
        uuid4(), uuid4(), text, due, "Europe/Berlin", None, hour, "waiting", source, "en", record_id
    )


async def said(
    text: str,
    butler: str = "finance",
    *waiting: Reminder,
    together: TogetherV1 | None = FIRST,
    reachable: bool = True,
    household: bool = True,
) -> Reply:
    answering = Answering(
        TUESDAY,
        household,
        MemoryRecords(),
        reminders=Waiting(*waiting),
        asker=Asker(UUID(int=1), "telegram", "1001"),
        reachable=reachable,
        together=together,
    )
    return await load_profile(butler).respond(text, answering)


def test_each_topic_has_one_butler_that_keeps_its_records() -> None:
    kept = {name: load_profile(name) for name in PROFILES}
    assert {name: profile.topics for name, profile in kept.items() if profile.topics} == {
        name: (topic,) for name, topic in KEEPERS.items()
    }
    assert set(KINDS) == set(TOPICS)
    for profile in kept.values():
        assert {KINDS[topic][0] for topic in profile.topics} <= set(profile.kept)


@pytest.mark.parametrize(
    ("text", "butler", "wish", "answer"),
    [
        ("Remind me of bills", "finance", ("bills", True, "en"), "I will remind you of each bill"),
        ("stop reminding me of bills", "finance", ("bills", False, "en"), "I will not remind you of bills by myself"),
        ("Sag mir einen Tag vor Geburtstagen Bescheid", "relationship", ("birthdays", True, "de"), "Ich erinnere dich"),
        ("Rappelle-moi les départs", "travel", ("departures", True, "fr"), "Je te rappellerai chaque départ"),
        ("No me recuerdes más las salidas", "travel", ("departures", False, "es"), "Ya no te recordaré las salidas"),
    ],
)  # fmt: skip
async def test_the_butler_that_keeps_them_says_what_it_will_do_and_keeps_the_wish(
    text: str, butler: str, wish: tuple[str, bool, str], answer: str
) -> None:
    reply = await said(text, butler)
    assert [(one.topic, one.wanted, one.language) for one in reply.wishes] == [wish]
    assert reply.text.startswith(answer)
    assert [follow_of(follow_args(one)) for one in reply.wishes] == list(reply.wishes)


async def test_the_others_are_silent_but_for_the_last_where_nobody_keeps_them() -> None:
    assert (await said("Remind me of bills", "health")).silent
    alone = await said("Remind me of bills", "general", together=LAST)
    assert alone.text == "No butler that I could ask keeps that, so there is nothing to remind you of."
    assert (await said("Remind me of bills", "general", together=TogetherV1(answered=1, last=True))).silent


async def test_nothing_is_promised_to_whom_nothing_can_be_sent() -> None:
    reply = await said("Remind me of bills", reachable=False)
    assert (reply.wishes, reply.text[:22]) == ((), "I cannot remind you: I")
    ended = await said("Stop reminding me of bills", reachable=False)
    assert ended.wishes == (StandingWish("bills", wanted=False, language="en"),)


async def test_a_stranger_wants_nothing_of_it() -> None:
    assert (await said("Remind me of bills", together=None, household=False)).wishes == ()


async def test_the_one_reminder_that_was_asked_for_and_is_called_so_ends_with_it_at_whichever_butler() -> (
    None
):
    asked, other, by_itself = (
        reminder("pay the bills"),
        reminder("call Tom"),
        reminder("a bill of 5 EUR", uuid4()),
    )
    reply = await said("Stop reminding me of bills", "finance", other, asked, by_itself)
    assert reply.reminder_stops == (ReminderStop(asked.reminder_id),)
    assert reply.wishes
    elsewhere = await said("Stop reminding me of bills", "general", other, asked)
    assert (elsewhere.reminder_stops, elsewhere.wishes) == ((ReminderStop(asked.reminder_id),), ())
    two = await said("Stop reminding me of bills", "general", asked, reminder("sort the bills"))
    assert two.silent


async def test_what_comes_of_a_record_is_not_listed_beside_the_record() -> None:
    both = reminder("call Tom"), reminder("a bill of 5 EUR", uuid4())
    reply = await said("what's on tomorrow?", "finance", *both)
    assert "call Tom" in reply.text
    assert "5 EUR" not in reply.text
    every = await said("which reminders do I have?", "finance", *both)
    assert "5 EUR" in every.text
