"""What people are told later of appointments in the calendar: once, only what they may read, and as it is there."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import pytest

from butler_kit.calendar.port import refused, unreachable
from butler_specialist.store.bookings import BookingStore
from tests.integration.specialist.household import Place
from tests.integration.specialist.test_bookings import DENTIST, SPEC, bookings, keeper, theirs
from tests.integration.specialist.test_privacy import BEN, IDA, Chat
from tests.support.calendar_port import MemoryCalendar

pytestmark = pytest.mark.parametrize("place", ["general"], indirect=True)


async def test_a_promise_that_was_kept_does_not_tell_a_second_time_of_a_later_conflict(
    place: Place, port: MemoryCalendar
) -> None:
    port.fault = unreachable("calendar.example gave no answer in time")
    async with place.specialist(spec=SPEC) as client:
        await Chat(place, client).say(BEN, DENTIST)
    port.fault = None
    await place.pool.execute("UPDATE bookings SET due_at = clock_now()")
    await keeper(place).reconcile()
    assert [(row["state"], row["promised"]) for row in await bookings(place)] == [("booked", False)]
    port.there["theirs"] = theirs(15)
    async with place.specialist(spec=SPEC) as client:
        chat = Chat(place, client)
        answer = await chat.say(BEN, "Move the dentist to 15:00")
        assert "In the calendar it stays where it was, for then there is “Parents' evening”" in answer
    await keeper(place).reconcile()
    assert chat.apart == []


async def test_a_conflict_that_a_new_version_met_is_said_once_though_the_one_before_was_promised(
    place: Place, port: MemoryCalendar
) -> None:
    port.fault = unreachable("calendar.example gave no answer in time")
    async with place.specialist(spec=SPEC) as client:
        chat = Chat(place, client)
        await chat.say(BEN, DENTIST)
        port.fault = None
        port.there["theirs"] = theirs(15)
        answer = await chat.say(BEN, "Move the dentist to 15:00")
        assert "It is not in the calendar, for then there is “Parents' evening”" in answer
    await keeper(place).reconcile()
    assert chat.apart == []


async def test_a_guest_is_not_told_with_what_though_a_member_moved_what_they_told(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        chat = Chat(place, client)
        await chat.say(IDA, DENTIST)
        port.fault = unreachable("calendar.example gave no answer in time")
        moved = await chat.say(BEN, "Move the dentist to 15:00")
        assert moved.endswith("The calendar cannot be reached now; it goes in as soon as it can be.")
    port.fault = None
    port.there["theirs"] = theirs(15)
    await place.pool.execute("UPDATE bookings SET due_at = clock_now()")
    await keeper(place).reconcile()
    [(contact, notice)] = Chat(place, client).apart
    assert contact == str(IDA)
    assert "for then there is something else (15:00–16:00)" in str(notice)


class Refused(BookingStore):
    """Another replica meets a conflict while the answer that it will go in is made."""

    def __init__(self, place: Place, port: MemoryCalendar) -> None:
        super().__init__(place.pool)
        self.place = place
        self.port = port

    async def promise(self, record_ids: Sequence[UUID], *, titles: bool) -> None:
        self.port.fault = None
        self.port.there["theirs"] = theirs(10)
        await self.place.pool.execute("UPDATE bookings SET due_at = clock_now()")
        await keeper(self.place).reconcile()
        await super().promise(record_ids, titles=titles)


async def test_who_is_promised_it_hears_of_a_conflict_that_another_replica_met_meanwhile(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist() as client:
        await Chat(place, client).say(BEN, DENTIST)
    [record] = await place.records()
    port.fault = unreachable("calendar.example gave no answer in time")
    mine = keeper(place)
    mine._store = Refused(place, port)
    [answered] = await mine.of_work(record["request_id"], record["segment_id"], titles=lambda _: True)
    assert answered.stands.state == "due"
    await keeper(place).reconcile()
    [notice] = [one.delivery for one in place.switchboard.notifies if one.delivery.intent == "send"]
    assert "“Parents' evening” (10:00–11:00)" in str(notice.message)


async def test_what_was_cancelled_and_could_not_be_taken_out_in_a_day_is_told_to_be_still_there(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        chat = Chat(place, client)
        await chat.say(BEN, DENTIST)
        port.fault = unreachable("calendar.example gave no answer in time")
        assert "calendar" not in await chat.say(BEN, "Cancel the dentist")
    await place.pool.execute(
        "UPDATE bookings SET due_at = clock_now(), since = clock_now() - interval '25 hours'"
    )
    await keeper(place).reconcile()
    [(contact, notice)] = chat.apart
    assert contact == str(BEN)
    assert "could not be taken out of the calendar" in str(notice)
    assert "It is still in the calendar; delete it there yourself." in str(notice)
    assert len(port.there) == 1


@pytest.mark.parametrize("gone", ["Cancel the dentist", "keep that to yourself"])
async def test_what_the_calendar_does_not_delete_is_answered_to_be_still_there(
    place: Place, port: MemoryCalendar, gone: str
) -> None:
    async with place.specialist(spec=SPEC) as client:
        chat = Chat(place, client)
        await chat.say(BEN, DENTIST)
        port.fault = refused("its server answers HTTP 415")
        answer = await chat.say(BEN, gone)
    assert "It is still in the calendar; delete it there yourself." in answer
    assert answer.endswith("its server answers HTTP 415")
    assert len(port.there) == 1


async def test_what_never_was_in_the_calendar_and_is_not_deleted_there_needs_no_word(
    place: Place, port: MemoryCalendar
) -> None:
    port.there["theirs"] = theirs(10)
    async with place.specialist(spec=SPEC) as client:
        chat = Chat(place, client)
        await chat.say(BEN, DENTIST)
        port.fault = refused("its server answers HTTP 415")
        assert "calendar" not in await chat.say(BEN, "Cancel the dentist")
