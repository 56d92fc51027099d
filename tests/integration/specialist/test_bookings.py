"""Appointments in the household's calendar: there once, moved and taken out with their records, never over an event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.calendar import CalendarEvent
from butler_kit.auth import TokenFile
from butler_kit.calendar.conflicts import DayHours
from butler_kit.calendar.port import refused, unreachable
from butler_kit.config import CalendarConfig
from butler_kit.mcp import CachedMCPClient
from butler_kit.telemetry import CALENDAR, Metrics
from butler_kit.time import SystemClock
from butler_messenger.calendar.desk import CalendarDesk
from butler_specialist.booking.calendar import HouseholdCalendar
from butler_specialist.booking.keeper import Bookings
from butler_specialist.booking.notices import Notices
from butler_specialist.metrics import CalendarMetrics
from butler_specialist.people.ways import Ways
from butler_specialist.remind.clock import Clock
from butler_specialist.store.bookings import BookingStore
from butler_specialist.store.visibility import ALL_HOUSEHOLD
from butler_specialist.work.switchboard import Switchboard
from tests.integration.specialist.household import (
    Client,
    Place,
    envelope,
    household,
    request_context,
    stranger_context,
)
from tests.integration.specialist.test_privacy import BEN, IDA, Chat
from tests.integration.specialist.thinking import KEY, VARIABLE, in_turn, spec
from tests.support.calendar_port import MemoryCalendar
from tests.support.database import Provision
from tests.support.model_api import Call, ModelServer

BERLIN = ZoneInfo("Europe/Berlin")
SPEC = {"modules": {"calendar": {"appointmentMinutes": 45}}}
DAY = (datetime.now(BERLIN) + timedelta(days=20)).replace(hour=0, minute=0, second=0, microsecond=0)
DENTIST = f"Dentist on {DAY:%Y-%m-%d} at 10:00"


def at(hour: int, minute: int = 0) -> datetime:
    return DAY.replace(hour=hour, minute=minute).astimezone(UTC)


def theirs(hour: int, title: str = "Parents' evening") -> CalendarEvent:
    return CalendarEvent(event_id="theirs", title=title, start=at(hour), end=at(hour + 1))


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Any) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path, "general") as made:
        yield made


@pytest.fixture
def calendar(place: Place) -> MemoryCalendar:
    port = MemoryCalendar()
    place.switchboard.calendar = CalendarDesk(port, CalendarConfig(), DayHours(), SystemClock())
    return port


async def said(client: Client, text: str, *, context: dict[str, Any] | None = None) -> str:
    """What Ada is answered."""
    switchboard = client.place.switchboard
    before = len(switchboard.notifies)
    now = datetime.now(UTC).isoformat()
    await client.done(envelope(text, butler="general", context=context or request_context(received_at=now)))
    return "\n".join(str(one.delivery.message) for one in switchboard.notifies[before:])


async def bookings(place: Place) -> list[dict[str, Any]]:
    return [dict(row) for row in await place.pool.fetch("SELECT * FROM bookings ORDER BY day, record_id")]


def keeper(place: Place) -> Bookings:
    """One more replica's."""
    client = CachedMCPClient.for_service(place.switchboard.url, TokenFile(_token(place)).read, timeout_s=20.0)
    store, clock = BookingStore(place.pool), SystemClock()
    ways = Ways(Clock(BERLIN), "en")
    switchboard = Switchboard(client)
    notices = Notices(
        place.name, store, switchboard, policy=ALL_HOUSEHOLD, ways_of=lambda _: ways, clock=clock
    )
    return Bookings(
        store,
        HouseholdCalendar(client),
        notices=notices,
        zone_of=lambda _: BERLIN,
        minutes=45,
        policy=ALL_HOUSEHOLD,
        metrics=CalendarMetrics(Metrics(CALENDAR)),
        clock=clock,
    )


def _token(place: Place) -> Any:
    file = place.folder / "replica.jwt"
    file.write_text(place.keys.butler(place.name))
    return file


async def test_an_appointment_goes_into_the_calendar_under_its_records_id(
    place: Place, calendar: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        assert (await said(client, DENTIST)).endswith("It is in the calendar.")
    [record] = await place.records()
    [event] = calendar.there.values()
    assert (event.event_id, event.title) == (str(record["record_id"]), DENTIST)
    assert (event.start, event.end) == (at(10), at(10, 45))
    [row] = await bookings(place)
    assert (row["state"], row["stands"], row["version"]) == ("booked", True, 1)


async def test_a_conflict_is_answered_with_what_is_there_and_three_free_times_one_of_which_is_then_booked(
    place: Place, calendar: MemoryCalendar
) -> None:
    calendar.there["theirs"] = theirs(10)
    async with place.specialist(spec=SPEC) as client:
        answer = await said(client, DENTIST)
        assert "It is not in the calendar, for then there is “Parents' evening” (10:00–11:00)." in answer
        assert "Free instead: 11:00, 09:00 and 11:30. Which one shall it be?" in answer
        assert calendar.writes == []
        assert (await said(client, "make it 11:30")).endswith("It is in the calendar.")
    [event] = [one for name, one in calendar.there.items() if name != "theirs"]
    assert event.start == at(11, 30)


async def test_what_is_moved_taken_back_and_put_back_is_so_in_the_calendar_too(
    place: Place, calendar: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        await said(client, DENTIST)
        assert (await said(client, "Move the dentist to 15:00")).endswith("It is in the calendar.")
        [event] = calendar.there.values()
        assert event.start == at(15)
        assert (await said(client, "Cancel the dentist")).endswith("It is no longer in the calendar.")
        assert calendar.there == {}
        assert (await said(client, "undo")).endswith("It is in the calendar.")
    [event] = calendar.there.values()
    assert event.start == at(15)


async def test_what_is_cancelled_is_said_to_be_gone_from_the_calendar_only_if_it_was_there(
    place: Place, calendar: MemoryCalendar
) -> None:
    calendar.there["theirs"] = theirs(10)
    async with place.specialist(spec=SPEC) as client:
        await said(client, DENTIST)
        assert "calendar" not in await said(client, "Cancel the dentist")
        await said(client, DENTIST.replace("10:00", "15:00"))
        del calendar.there[next(name for name in calendar.there if name != "theirs")]
        answer = await said(client, "Cancel the dentist")
    assert answer.endswith("It is no longer in the calendar.")


async def test_what_cannot_be_moved_stays_where_it_was_and_is_said_to(
    place: Place, calendar: MemoryCalendar
) -> None:
    calendar.there["theirs"] = theirs(15)
    async with place.specialist(spec=SPEC) as client:
        await said(client, DENTIST)
        answer = await said(client, "Move the dentist to 15:00")
    assert (
        "In the calendar it stays where it was, for then there is “Parents' evening” (15:00–16:00)." in answer
    )
    assert calendar.writes == [f"create {(await place.records())[0]['record_id']}"]


async def test_a_day_without_an_hour_is_in_the_calendar_and_in_nobodys_way(
    place: Place, calendar: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        await said(client, f"Plumber on {DAY:%Y-%m-%d}")
        await said(client, DENTIST)
    found = {one.title.split()[0]: one for one in calendar.there.values()}
    assert (found["Plumber"].first_day, found["Plumber"].busy) == (DAY.date(), False)
    assert found["Dentist"].start == at(10)


class Crashes(BookingStore):
    """Ends where the calendar has answered and nothing of that is kept."""

    async def settle(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("killed")


async def test_a_crash_between_the_answer_and_the_commit_is_healed_by_asking_again(
    place: Place, calendar: MemoryCalendar, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with place.specialist() as client:
        await said(client, DENTIST)
    mine = keeper(place)
    store = mine._store
    mine._store = Crashes(place.pool)
    with pytest.raises(RuntimeError, match="killed"):
        await mine.reconcile()
    assert (len(calendar.there), [row["state"] for row in await bookings(place)]) == (1, ["due"])
    mine._store = store
    assert await mine.reconcile() is False, "nobody takes what another has claimed"
    # Meanwhile whoever told it has moved it; then the lease of what was killed is over.
    await place.pool.execute("UPDATE records SET occurred_at = '15:00', version = version + 1")
    await place.pool.execute("UPDATE bookings SET leased_until = clock_now()")
    await mine.reconcile()
    [event] = calendar.there.values()
    assert event.start == at(15)
    assert [write.split()[0] for write in calendar.writes] == ["create", "move"]
    assert [(row["state"], row["version"]) for row in await bookings(place)] == [("booked", 2)]


async def test_two_replicas_at_once_book_one_event_once(place: Place, calendar: MemoryCalendar) -> None:
    async with place.specialist() as client:
        for hour in (9, 11, 14):
            await said(client, f"Appointment {hour} on {DAY:%Y-%m-%d} at {hour}:00")
    await asyncio.gather(*(keeper(place).reconcile() for _ in range(4)))
    assert len(calendar.writes) == len(calendar.there) == 3
    assert {row["tries"] for row in await bookings(place)} == {1}


async def test_a_calendar_that_is_off_is_not_spoken_of_and_used_when_it_is_on(place: Place) -> None:
    async with place.specialist(spec=SPEC) as client:
        assert "calendar" not in (await said(client, DENTIST))
        [row] = await bookings(place)
        assert (row["state"], row["answer"]) == ("due", {"off": True})
    port = MemoryCalendar()
    place.switchboard.calendar = CalendarDesk(port, CalendarConfig(), DayHours(), SystemClock())
    await place.pool.execute(
        "UPDATE bookings SET due_at = clock_now(), since = clock_now() - interval '9 days'"
    )
    await keeper(place).reconcile()
    assert len(port.there) == 1
    assert place.switchboard.notifies[-1].delivery.intent == "reply"


async def test_an_outage_is_said_made_good_and_a_conflict_that_it_hid_is_told_once(
    place: Place, calendar: MemoryCalendar
) -> None:
    ada = UUID("00000000-0000-4000-8000-000000001001")
    calendar.fault = unreachable("calendar.example gave no answer in time")
    async with place.specialist(spec=SPEC) as client:
        answer = await said(client, DENTIST)
        assert answer.endswith("The calendar cannot be reached now; it goes in as soon as it can be.")
    calendar.fault = None
    calendar.there["theirs"] = theirs(10)
    await place.pool.execute("UPDATE records SET contact_id = $1", ada)
    await place.pool.execute("UPDATE bookings SET due_at = clock_now()")
    mine = keeper(place)
    await mine.reconcile()
    await mine.reconcile()
    [notice] = [one.delivery for one in place.switchboard.notifies if one.delivery.intent == "send"]
    assert notice.contact_id == str(ada)
    assert "could not go into the calendar" in str(notice.message)
    assert "“Parents' evening” (10:00–11:00)" in str(notice.message)
    assert "Free instead: 11:00, 09:00 and 11:30." in str(notice.message)
    [row] = await bookings(place)
    assert (row["state"], row["promised"]) == ("conflict", False)


async def test_a_guest_who_hears_late_of_a_conflict_is_not_told_with_what(
    place: Place, calendar: MemoryCalendar
) -> None:
    calendar.fault = unreachable("calendar.example gave no answer in time")
    async with place.specialist(spec=SPEC) as client:
        await Chat(place, client).say(IDA, DENTIST)
    calendar.fault = None
    calendar.there["theirs"] = theirs(10)
    await place.pool.execute("UPDATE bookings SET due_at = clock_now()")
    await keeper(place).reconcile()
    [notice] = [one.delivery for one in place.switchboard.notifies if one.delivery.intent == "send"]
    assert notice.contact_id == str(IDA)
    assert "for then there is something else (10:00–11:00)" in str(notice.message)


async def test_a_calendar_that_stays_away_for_a_day_is_given_up_in_words(
    place: Place, calendar: MemoryCalendar
) -> None:
    calendar.fault = unreachable("calendar.example gave no answer in time")
    async with place.specialist(spec=SPEC) as client:
        await said(client, DENTIST)
    await place.pool.execute(
        "UPDATE bookings SET due_at = clock_now(), since = clock_now() - interval '25 hours'"
    )
    await keeper(place).reconcile()
    [row] = await bookings(place)
    assert row["state"] == "refused"
    assert "gave no answer in time" in row["answer"]["refusal"]


async def test_a_refusal_is_answered_in_the_calendars_words(place: Place, calendar: MemoryCalendar) -> None:
    calendar.fault = refused("its server answers HTTP 415")
    async with place.specialist(spec=SPEC) as client:
        answer = await said(client, DENTIST)
    assert answer.endswith("The calendar does not take it: its server answers HTTP 415")


async def test_without_the_module_nothing_is_booked_and_a_strangers_appointment_never_is(
    place: Place, calendar: MemoryCalendar
) -> None:
    async with place.specialist() as client:
        assert "calendar" not in await said(client, DENTIST)
    assert await bookings(place) == []
    await place.pool.execute("DELETE FROM records")
    async with place.specialist(spec=SPEC) as client:
        await said(client, DENTIST.replace("Dentist", "Roofer"), context=stranger_context())
        await keeper(place).reconcile()
    assert (await bookings(place), calendar.there) == ([], {})


async def test_a_day_that_no_calendar_has_is_refused_and_keeps_no_other_from_being_booked(
    place: Place, calendar: MemoryCalendar
) -> None:
    async with place.specialist() as client:
        await said(client, DENTIST)
        await said(client, DENTIST.replace("10:00", "14:00"))
    await place.pool.execute(
        "UPDATE records SET occurred_on = '9999-12-31', occurred_at = '23:30' WHERE occurred_at = '10:00'"
    )
    await keeper(place).reconcile()
    assert {row["state"] for row in await bookings(place)} == {"booked", "refused"}
    assert [one.start for one in calendar.there.values()] == [at(14)]


async def test_what_is_over_is_not_put_into_the_calendar(place: Place, calendar: MemoryCalendar) -> None:
    async with place.specialist() as client:
        await said(client, DENTIST)
    await place.pool.execute("UPDATE records SET occurred_on = occurred_on - 60")
    await keeper(place).reconcile()
    assert (await bookings(place), calendar.writes) == ([], [])


async def test_what_is_on_is_answered_from_the_calendar_too_each_thing_once(
    place: Place, calendar: MemoryCalendar
) -> None:
    calendar.there["theirs"] = theirs(17)
    whole = CalendarEvent(
        event_id="b", title="Leo's birthday", first_day=DAY.date(), last_day=DAY.date(), busy=False
    )
    calendar.there["b"] = whole
    async with place.specialist(spec=SPEC) as client:
        await said(client, DENTIST)
        answer = await said(client, f"What is on {DAY:%Y-%m-%d}?")
        assert "In the calendar: “Leo's birthday” and “Parents' evening” (17:00–18:00)." in answer
        assert answer.count("Dentist") == 1
        calendar.fault = unreachable("calendar.example gave no answer in time")
        answer = await said(client, f"What is on {DAY:%Y-%m-%d}?")
    assert "Dentist" in answer
    assert "The calendar cannot be reached now." in answer


async def test_a_stranger_is_told_nothing_of_the_calendar(place: Place, calendar: MemoryCalendar) -> None:
    calendar.there["theirs"] = theirs(17)
    async with place.specialist(spec=SPEC) as client:
        await said(client, f"What is on {DAY:%Y-%m-%d}?", context=stranger_context())
    assert "Parents" not in str(place.switchboard.notifies)


async def test_a_guest_is_told_nothing_of_what_else_is_in_the_calendar(
    place: Place, calendar: MemoryCalendar
) -> None:
    """They see what they told and what was shared with them by name (ADR 0100)."""
    calendar.there["theirs"] = theirs(10)
    async with place.specialist(spec=SPEC) as client:
        chat = Chat(place, client)
        asked = await chat.say(IDA, f"What is on {DAY:%Y-%m-%d}?")
        booked = await chat.say(IDA, DENTIST)
        to_a_member = await chat.say(BEN, f"What is on {DAY:%Y-%m-%d}?")
    assert "Parents" not in asked + booked
    assert "for then there is something else (10:00–11:00)" in booked
    assert "Parents' evening" in to_a_member


async def test_what_is_to_be_kept_private_goes_into_no_calendar_and_nothing_is_said_of_one(
    place: Place, calendar: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        first = await said(client, f"Keep this to yourself: {DENTIST}")
        calendar.fault = unreachable("calendar.example gave no answer in time")
        second = await said(client, f"Keep this to yourself: {DENTIST.replace('10:00', '15:00')}")
    assert calendar.there == {}
    assert "calendar" not in (first + second).replace("calendar.example", "")
    assert [row["audience"] for row in await place.records()] == ["private", "private"]


def thinks(model: ModelServer) -> dict[str, Any]:
    return {**spec(model), **SPEC}


async def test_a_model_books_once_what_it_is_asked_to_and_reads_what_is_in_the_way(
    place: Place, calendar: MemoryCalendar
) -> None:
    place.more_environment[VARIABLE] = KEY
    calendar.there["theirs"] = theirs(10)
    times = {"start": at(10).isoformat(), "end": at(11).isoformat()}
    book = Call.of("calendar_create", title="Dentist", **times)
    later = Call.of("calendar_create", title="Dentist", start=at(12).isoformat(), end=at(13).isoformat())
    script = in_turn(book, later, later, Call.of("answer", text="Booked at noon."))
    async with ModelServer(script, key=KEY) as model, place.specialist(spec=thinks(model)) as client:
        assert "Booked at noon." in await said(client, "Put the dentist into the calendar when it is free")
        asked = [json.dumps(one.told) for one in model.asked]
    assert "conflict" in asked[1]
    assert "Parents' evening" in asked[1]
    assert [one.title for one in calendar.there.values() if one.event_id != "theirs"] == ["Dentist"]
    assert len(calendar.writes) == 1
    rows = await place.pool.fetch("SELECT server, tool, state FROM external_calls ORDER BY begun_at")
    assert {(row["server"], row["tool"]) for row in rows} == {("calendar", "create")}


async def test_what_a_model_booked_and_was_answered_too_late_may_have_been_done(
    place: Place, calendar: MemoryCalendar
) -> None:
    place.more_environment[VARIABLE] = KEY
    calendar.lost = unreachable("calendar.example gave no answer in time")
    book = Call.of("calendar_create", title="Dentist", start=at(10).isoformat(), end=at(11).isoformat())
    script = in_turn(book, Call.of("answer", text="I do not know whether it is booked."))
    async with ModelServer(script, key=KEY) as model, place.specialist(spec=thinks(model)) as client:
        answer = await said(client, "Put the dentist into the calendar")
        assert "It may have been done" in model.asked[-1].told[-1]
    assert "This may have been done, or not: calendar.create" in answer
    assert len(calendar.there) == 1
    [call] = await place.pool.fetch("SELECT state FROM external_calls")
    assert call["state"] == "begun"


async def test_what_a_model_records_is_booked_once_and_the_model_knows_that(
    place: Place, calendar: MemoryCalendar
) -> None:
    place.more_environment[VARIABLE] = KEY
    quote = DENTIST
    record = Call.of(
        "record_add",
        kind="appointment",
        quote=quote,
        occurred_on=f"{DAY:%Y-%m-%d}",
        occurred_at="10:00",
        title="Dentist",
    )
    script = in_turn(record, Call.of("answer", text="Noted."))
    async with ModelServer(script, key=KEY) as model, place.specialist(spec=thinks(model)) as client:
        assert (await said(client, DENTIST)).endswith("Noted.\n\nIt is in the calendar.")
        assert "never call `calendar_create` for it" in str(model.asked[0].system)
    [event] = calendar.there.values()
    assert (event.title, event.start) == ("Dentist", at(10))


async def test_who_asks_over_http_reads_of_the_calendar_in_the_same_reply(
    place: Place, calendar: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        context = request_context("api", received_at=datetime.now(UTC).isoformat())
        response = await client.done(envelope(DENTIST, butler="general", context=context))
    assert response.result is not None
    assert str(response.result["reply"]).endswith("It is in the calendar.")


async def test_a_model_cannot_change_what_a_person_put_into_the_calendar(
    place: Place, calendar: MemoryCalendar
) -> None:
    place.more_environment[VARIABLE] = KEY
    own = "6f1d1a52-0000-4000-8000-00000000000a"
    calendar.there[own] = theirs(10)
    script = in_turn(Call.of("calendar_delete", event_id=own), Call.of("answer", text="That is not mine."))
    async with ModelServer(script, key=KEY) as model, place.specialist(spec=thinks(model)) as client:
        await said(client, "Delete the parents' evening from the calendar")
    assert list(calendar.there) == [own]


async def test_a_model_has_no_calendar_where_the_manifest_gives_it_none(place: Place) -> None:
    place.more_environment[VARIABLE] = KEY
    script = in_turn(Call.of("answer", text="No."))
    async with ModelServer(script, key=KEY) as model, place.specialist(spec=spec(model)) as client:
        await said(client, "Put the dentist into the calendar")
        offered = {tool["name"] for tool in model.asked[-1].tools}
    assert not any(name.startswith("calendar") for name in offered)
