"""What a person has for themselves at a butler: heard with a heartbeat, kept, and followed by what is still to come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.person_settings import PersonSettings
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.people import PeopleStore
from butler_specialist.store.reminder_model import ReminderDraft
from tests.integration.specialist.household import DEADLINE_S, Client, Place, id_of
from tests.integration.specialist.test_upcoming import ADA, BEA, DUE, WANTED, bill, message, of, told, until

__all__ = ["told"]

NEW_YORK, BERLIN = "America/New_York", "Europe/Berlin"
DAY = datetime.now(UTC).date() + timedelta(days=20)


@pytest.fixture(autouse=True)
def beats_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("butler_kit.membership.registration.HEARTBEAT_S", 0.1)


def at(day: date, hour: int, zone: str) -> datetime:
    return datetime.combine(day, time(hour), ZoneInfo(zone)).astimezone(UTC)


async def due_at(place: Place, wanted: datetime) -> None:
    """Wait until the reminder that waits, and its work row, are of this moment."""
    moments: list[Any] = []
    async with asyncio.timeout(DEADLINE_S):
        while moments != [(wanted, wanted)]:
            rows = await place.pool.fetch(
                "SELECT due_at, available_at FROM reminders JOIN reminder_work ON item_id = reminder_id"
            )
            moments = [tuple(row) for row in rows]
            await asyncio.sleep(0.02)


async def said(specialist: Client, text: str, **who: Any) -> str:
    data = message(text, **who)
    await specialist.done(data)
    row = await specialist.place.route(id_of(data))
    return str(row["notify_request"]["delivery"]["message"])


async def heard(place: Place) -> None:
    """Wait until the butler has what Switchboard says of people now."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            rows = await place.pool.fetch("SELECT contact_id, settings FROM person_settings")
            if {str(row["contact_id"]): row["settings"] for row in rows} == place.switchboard.people:
                return
            await asyncio.sleep(0.02)


def ask(hour: str = "at 9:00") -> str:
    return f"Remind me on {DAY:%-d %B} {hour} to pay"


async def test_a_reminder_follows_its_person_while_it_waits_and_nobody_elses(place: Place) -> None:
    place.switchboard.people = {}
    async with place.specialist() as specialist:
        await said(specialist, ask())
        await due_at(place, at(DAY, 9, BERLIN))
        place.switchboard.people = {str(BEA): {"timezone": "Asia/Kolkata"}, str(ADA): {"timezone": NEW_YORK}}
        await due_at(place, at(DAY, 9, NEW_YORK))
        place.switchboard.people = None
        beats = len(place.switchboard.beats)
        await place.switchboard.until(lambda: len(place.switchboard.beats) > beats + 2)
        await due_at(place, at(DAY, 9, NEW_YORK))
        place.switchboard.people = {}
        await due_at(place, at(DAY, 9, BERLIN))


async def test_what_is_asked_for_as_a_time_that_elapses_stays_where_it_is(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = ReminderDraft("pay", datetime.now(UTC) + timedelta(hours=5), BERLIN, elapses=True)

    async def respond(self: FinanceProfile, prompt: str, answering: Answering) -> Reply:
        return Reply((), "I will.", reminders=(draft,))

    monkeypatch.setattr(FinanceProfile, "respond", respond)
    place.switchboard.people = {}
    async with place.specialist() as specialist:
        await said(specialist, "Remind me in 300 minutes to pay")
        place.switchboard.people = {str(ADA): {"timezone": NEW_YORK}}
        async with asyncio.timeout(DEADLINE_S):
            while await place.pool.fetchval("SELECT zone FROM reminders") != NEW_YORK:
                await asyncio.sleep(0.02)
        await due_at(place, draft.due_at)


async def test_a_reminder_of_a_record_is_by_the_clock_of_who_told_it_and_comes_again_by_their_new_one(
    place: Place, told: Callable[..., None]
) -> None:
    eve = DUE - timedelta(days=1)
    told(bill())
    place.switchboard.people = {str(ADA): {"timezone": NEW_YORK}}
    async with place.specialist(extra=WANTED) as specialist:
        await heard(place)
        await specialist.done(message())
        await until(place, ("waiting", of(DUE)))
        await due_at(place, at(eve, 9, NEW_YORK))
        place.switchboard.people = {}
        await due_at(place, at(eve, 9, BERLIN))
        await until(place, ("waiting", of(DUE)))


async def test_words_of_no_language_are_answered_in_the_persons_and_others_in_their_own(place: Place) -> None:
    place.switchboard.people = {str(ADA): {"language": "de"}}
    async with place.specialist() as specialist:
        await heard(place)
        none = await said(specialist, "Netflix 12.99 EUR")
        english = await said(specialist, "I paid 12.99 EUR for the Netflix subscription today")
        other = await said(specialist, "Netflix 12.99 EUR", person=BEA, sender="1002")
    assert none.startswith("Notiert")
    assert english.startswith("Noted")
    assert other.startswith("Noted")


async def test_quiet_hours_are_a_persons_own(place: Place) -> None:
    quiet = {"start": "08:00", "end": "10:00"}
    place.switchboard.people = {str(ADA): {"quietHours": quiet, "timezone": NEW_YORK}}
    async with place.specialist() as specialist:
        await heard(place)
        hers = await said(specialist, ask(""))
        his = await said(specialist, ask(""), person=BEA, sender="1002")
    assert "What falls between 08:00 and 10:00 I tell you at 10:00" in hers
    assert "between" not in his


async def test_what_was_heard_is_known_after_a_start_and_one_that_is_being_told_is_left_alone(
    place: Place,
) -> None:
    place.switchboard.people = {str(ADA): {"timezone": NEW_YORK}}
    async with place.specialist() as specialist:
        await heard(place)
        await said(specialist, ask())
        await due_at(place, at(DAY, 9, NEW_YORK))
    place.switchboard.people = None  # nobody says it again
    async with place.specialist() as specialist:
        await said(specialist, ask("at 11:00"))
    store, zone = PeopleStore(place.pool), ZoneInfo(BERLIN)
    rows = await place.pool.fetch("SELECT due_at FROM reminders ORDER BY due_at")
    assert [row["due_at"] for row in rows] == [at(DAY, 9, NEW_YORK), at(DAY, 11, NEW_YORK)]

    await place.pool.execute(
        "UPDATE reminders SET begun_until = due_at WHERE due_at = $1", at(DAY, 9, NEW_YORK)
    )
    await place.pool.execute(
        "UPDATE reminder_work SET lease_id = gen_random_uuid(), lease_until = clock_now() + interval '1 hour'"
        " WHERE available_at = $1",
        at(DAY, 11, NEW_YORK),
    )
    assert await store.move_reminders(zone, {}) == 0
    await place.pool.execute("UPDATE reminder_work SET lease_id = NULL, lease_until = NULL")
    assert await store.move_reminders(zone, {}) == 1
    assert await store.move_reminders(zone, {ADA: PersonSettings(timezone=BERLIN)}) == 0
