"""Invitations that came by mail: noted exactly, moved and taken back by who may, and by nobody else (ADR 0105)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.integration.specialist.household import Place, envelope, request_context
from tests.integration.specialist.mailbox import (
    ADA,
    BEN,
    DAY,
    MAILS,
    SPEC,
    STRANGER,
    Mailbox,
    at,
    people,
    standing,
    when,
)
from tests.integration.specialist.test_person_settings import heard
from tests.support.calendar_port import MemoryCalendar
from tests.support.invitations import calendar, event

pytestmark = pytest.mark.parametrize("place", ["general"], indirect=True)


async def test_an_invitation_is_noted_with_time_length_place_and_organizer_and_booked(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        told = await Mailbox(place, client).gets(calendar(*event(*when(10))))
        metrics = (await client.get("/metrics")).text
    [row] = await place.records()
    assert (row["kind"], row["text"], row["place"], row["party"]) == (
        "appointment", "Dentist", "High Street 12", "Ada Example",
    )  # fmt: skip
    assert (row["occurred_on"], f"{row['occurred_at']:%H:%M}", row["contact_id"]) == (
        DAY.date(),
        "10:00",
        ADA,
    )
    [booked] = port.there.values()
    assert (booked.start, booked.end, booked.title, booked.place) == (
        at(10),
        at(11, 30),
        "Dentist",
        "High Street 12",
    )
    assert told.startswith("Noted for ")
    assert "at 10:00: “Dentist”. Until 11:30. Place: “High Street 12”. Invited by “Ada Example”." in told
    assert told.endswith("It is in the calendar.")
    assert 'butlers_calendar_appointment_total{outcome="booked"} 1.0' in metrics
    assert 'butlers_calendar_invitation_total{outcome="noted"} 1.0' in metrics


async def test_a_later_version_moves_it_and_a_repeated_or_older_one_changes_nothing(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        first, second = calendar(*event(*when(10))), calendar(*event(*when(15), sequence=1))
        await mailbox.gets(first)
        assert (await mailbox.gets(second)).startswith("Moved to ")
        [row] = await place.records()
        assert (f"{row['occurred_at']:%H:%M}", row["version"]) == ("15:00", 2)
        assert (await mailbox.gets(second)).startswith("Noted already, for ")
        assert "older version of “Dentist”" in await mailbox.gets(first)
    [unchanged] = await place.records()
    assert unchanged == row
    [booked] = port.there.values()
    assert booked.start == at(15)


async def test_what_is_called_off_is_taken_back_and_out_of_the_calendar_and_may_take_place_again(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        await mailbox.gets(calendar(*event(*when(10))))
        off = calendar(*event(*when(10), "STATUS:CANCELLED", sequence=2), method="CANCEL")
        told = await mailbox.gets(off)
        assert told.startswith("Called off and taken back: “Dentist”")
        assert told.endswith("It is no longer in the calendar.")
        assert (await standing(place), port.there) == ([], {})
        assert "taken back already" in await mailbox.gets(off)
        late = await mailbox.gets(calendar(*event(*when(12), sequence=1)))
        assert "called off and taken back already" in late
        assert await standing(place) == []
        again = await mailbox.gets(calendar(*event(*when(14), sequence=3)))
        assert again.startswith("It takes place again, noted for ")
    [row] = await standing(place)
    assert f"{row['occurred_at']:%H:%M}" == "14:00"
    [booked] = port.there.values()
    assert booked.start == at(14)


async def test_only_who_sent_it_or_its_organizer_changes_it_and_its_teller_hears_of_that(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        await mailbox.gets(calendar(*event(*when(10), organizer=STRANGER)))
        theirs = calendar(*event(*when(15), organizer=STRANGER, sequence=1))
        for told in (
            await mailbox.gets(theirs, sender=BEN),
            await mailbox.gets(calendar(*event(*when(15), organizer=MAILS[BEN], sequence=9)), sender=BEN),
            await mailbox.gets(
                calendar(*event(*when(15), organizer=STRANGER, sequence=9), method="CANCEL"), sender=BEN
            ),
        ):
            assert "which only who sent it or its organizer can change; nothing is changed" in told
        await mailbox.gets(theirs, sender=None)
        [row] = await standing(place)
        assert (f"{row['occurred_at']:%H:%M}", row["version"]) == ("10:00", 1)
        assert (await mailbox.gets(theirs)).startswith("Moved to ")

        # Ben handed on what Ada organizes: her own mail changes it, and he hears of it.
        own: dict[str, Any] = {"uid": "dinner@example.org", "organizer": MAILS[ADA]}
        await mailbox.gets(calendar(*event(*when(18, days=1), **own)), sender=BEN)
        told = await mailbox.gets(calendar(*event(*when(18, days=1), sequence=1, **own), method="CANCEL"))
    assert told.startswith("Called off and taken back: “Dentist”")
    [heard] = [one for one in mailbox.told_ben if "lets you know" in one]
    assert heard.startswith("Ada lets you know: “Called off and taken back")


async def test_who_told_of_several_that_one_mail_changes_hears_of_all_in_one_message(
    place: Place, port: MemoryCalendar
) -> None:
    def five(**more: Any) -> list[str]:
        named = [
            (number, {"uid": f"{number}@example.org", "organizer": MAILS[ADA], **more}) for number in range(5)
        ]
        return [line for number, one in named for line in event(*when(18, days=number + 1), **one)]

    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        await mailbox.gets(calendar(*five()), sender=BEN)
        await mailbox.gets(calendar(*five(sequence=1), method="CANCEL"))
    [heard] = [one for one in mailbox.told_ben if "lets you know" in one]
    assert heard.count("Called off and taken back") == 5


async def test_what_somebody_in_another_zone_moves_is_kept_by_its_tellers_clock_and_told_to_each_by_their_own(
    place: Place, port: MemoryCalendar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butler_kit.membership.registration.HEARTBEAT_S", 0.1)
    place.switchboard.people = {str(BEN): {"timezone": "America/New_York"}}
    own: dict[str, Any] = {"uid": "dinner@example.org", "organizer": MAILS[BEN]}
    async with place.specialist(spec=SPEC) as client:
        await heard(place)
        mailbox = Mailbox(place, client)
        await mailbox.gets(calendar(*event(*when(17), **own)))
        told = await mailbox.gets(calendar(*event(*when(18), sequence=1, **own)), sender=BEN)
    [row] = await place.records()
    assert (row["contact_id"], f"{row['occurred_at']:%H:%M}") == (ADA, "18:00")
    [booked] = port.there.values()
    assert booked.start == at(18)
    assert f"at {at(18).astimezone(ZoneInfo('America/New_York')):%H:%M}" in told
    assert "Ben lets you know: " in told
    assert "at 18:00" in told


async def test_a_copy_that_another_member_hands_on_is_the_same_appointment(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        await mailbox.gets(calendar(*event(*when(10))))
        fresh = calendar(*event(*when(10), stamp="20261129T100000Z"))
        assert (await mailbox.gets(fresh, sender=BEN)).startswith("Noted already, for ")
    assert len(await place.records()) == len(port.there) == 1


@pytest.mark.parametrize("method", ["REPLY", "COUNTER", "REFRESH", "ADD", "DECLINECOUNTER"])
async def test_what_is_no_invitation_is_no_appointment(
    place: Place, port: MemoryCalendar, method: str
) -> None:
    answer = "ATTENDEE;PARTSTAT=DECLINED;CN=Ben:mailto:ben@example.org"
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        await mailbox.gets(calendar(*event(*when(10))))
        told = await mailbox.gets(calendar(*event(*when(15), answer, sequence=1), method=method), sender=BEN)
    assert "othing is changed" in told
    assert ("“Ben” declines the invitation to “Dentist”" in told) == (method == "REPLY")
    [row] = await place.records()
    assert row["version"] == 1


async def test_a_strangers_invitation_is_told_to_the_owner_and_never_noted(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        told = await Mailbox(place, client).gets(calendar(*event(*when(10), organizer=STRANGER)), sender=None)
    assert "An invitation to “Dentist”, for " in told
    assert "it is not noted. Forward it to me, and it is." in told
    assert (await place.records(), port.there) == ([], {})
    [notice] = place.switchboard.notifies
    assert (notice.delivery.intent, notice.delivery.contact_id) == ("send", None)


async def test_what_a_members_calendar_sends_by_itself_is_told_to_them_and_history_to_nobody(
    place: Place, port: MemoryCalendar
) -> None:
    silent: dict[str, Any] = {"reply_policy": "none", "automatic": True}
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        assert (await mailbox.gets(calendar(*event(*when(10))), **silent)).endswith("It is in the calendar.")
        [notice] = [one.delivery for one in place.switchboard.notifies]
        assert (notice.intent, notice.channel, notice.contact_id) == ("send", "email", str(ADA))
        long_ago = (datetime.now(UTC) - timedelta(days=3)).isoformat()
        old = calendar(*event(*when(12), uid="old@example.org"))
        assert await mailbox.gets(old, **silent, observed_at=long_ago) == ""
        assert (
            await mailbox.gets(calendar(*event(*when(14), uid="late@example.org")), reply_policy="none") == ""
        )
    assert len(await place.records()) == 3


async def test_a_time_that_is_not_certain_is_said_and_nothing_is_noted(
    place: Place, port: MemoryCalendar
) -> None:
    nowhere = calendar(*event(f"DTSTART;TZID=Nowhere:{DAY:%Y%m%d}T100000", "SUMMARY:Dentist"))
    async with place.specialist(spec=SPEC) as client:
        told = await Mailbox(place, client).gets(nowhere)
    assert "does not say for certain when it is, so nothing is noted" in told
    assert (await place.records(), port.there) == ([], {})


async def test_what_a_person_took_back_stays_so_and_what_the_mail_wants_private_is(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        await mailbox.gets(calendar(*event(*when(10))))
        context = request_context(
            "email", source_sender_identity=MAILS[ADA], received_at=datetime.now(UTC).isoformat()
        )
        document = envelope("Cancel the dentist", butler="general", context=context)
        document["input"]["context"] = {"people": people(ADA)}
        await client.done(document)
        assert await standing(place) == []
        told = await mailbox.gets(calendar(*event(*when(15), sequence=1)))
        assert "was taken back here; nothing is changed" in told
        assert await standing(place) == []
        secret = calendar(*event(*when(17), uid="surprise@example.org"))
        await mailbox.gets(secret, form="attached", words="Keep this to yourself, please.")
    [row] = await standing(place)
    assert row["audience"] == "private"
    assert port.there == {}


async def test_undo_takes_an_invitation_back_and_puts_back_what_was_called_off(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)

        async def undone() -> str:
            """In answer to the last mail."""
            context = request_context(
                "email",
                source_sender_identity=MAILS[ADA],
                source_thread_identity=f"<{mailbox.mails}@example.org>",
                received_at=datetime.now(UTC).isoformat(),
            )
            document = envelope("undo", butler="general", context=context)
            document["input"]["context"] = {"people": people(ADA)}
            await client.done(document)
            return str(place.switchboard.notifies[-1].delivery.message)

        await mailbox.gets(calendar(*event(*when(10))))
        await mailbox.gets(calendar(*event(*when(10), sequence=1), method="CANCEL"))
        assert "Put back: “Dentist”" in await undone()
        [row] = await standing(place)
        assert "cancelled" not in row["details"]["invitation"]
        assert [one.start for one in port.there.values()] == [at(10)]
        await mailbox.gets(calendar(*event(*when(14), uid="other@example.org")))
        assert "Taken back: " in await undone()
    assert [one["occurred_at"].hour for one in await standing(place)] == [10]


async def test_words_beside_it_that_nobody_reads_are_said_to_be_so(
    place: Place, port: MemoryCalendar
) -> None:
    async with place.specialist(spec=SPEC) as client:
        mailbox = Mailbox(place, client)
        told = await mailbox.gets(calendar(*event(*when(10))), form="attached", words="And buy milk.")
    assert "I have read the invitation alone, and nothing else of the mail." in told


async def test_a_file_of_many_appointments_notes_none(place: Place, port: MemoryCalendar) -> None:
    many = [line for number in range(30) for line in event(*when(10), uid=f"{number}@example.org")]
    async with place.specialist(spec=SPEC) as client:
        told = await Mailbox(place, client).gets(calendar(*many, method=None))
    assert told.startswith("The file has 30 appointments, too many for an invitation; none is noted.")
    assert await place.records() == []


async def test_mails_of_one_invitation_at_once_are_one_appointment_of_the_latest(
    place: Place, port: MemoryCalendar
) -> None:
    versions = [calendar(*event(*when(hour), sequence=number)) for number, hour in enumerate((9, 12, 15, 18))]
    async with place.specialist(spec={**SPEC, "runtime": {"maxConcurrentSessions": 8}}) as client:
        mailbox = Mailbox(place, client)
        await asyncio.gather(*(mailbox.gets(text) for text in (*versions, *reversed(versions))))
    [row] = await place.records()
    assert f"{row['occurred_at']:%H:%M}" == "18:00"
    assert len(port.there) == 1
