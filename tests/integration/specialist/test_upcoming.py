"""Reminders that come by themselves of records: they follow the record, are told once, and only to whose it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.notify import NotifyRequestV1
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.finance.profile import FinanceProfile
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.model import RecordChange, RecordDraft
from tests.integration.specialist.household import DEADLINE_S, Client, Place, envelope, request_context

ADA, BEA = uuid4(), uuid4()
WANTED = 'remind_of = ["bills"]'
DUE = datetime.now(UTC).date() + timedelta(days=20)
STATES = "SELECT state, occasion FROM reminders WHERE record_id IS NOT NULL ORDER BY occasion"


def bill(day: date = DUE, **said: Any) -> RecordDraft:
    base = {"amount": Decimal("84.20"), "currency": "EUR", "title": "electricity"}
    return RecordDraft(kind="bill", occurred_on=day, text="electricity", **{**base, **said})


@pytest.fixture(autouse=True)
def looked_for_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment that a test brings forward is no moment that the queue waits for."""
    monkeypatch.setattr("butler_specialist.remind.queue._LOOK_EVERY_S", 0.2)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """What the next messages come to, whatever their words are."""

    def give(*records: RecordDraft, changes: tuple[RecordChange, ...] = ()) -> None:
        async def respond(self: FinanceProfile, prompt: str, answering: Answering) -> Reply:
            return Reply(records, "Noted.", changes=changes)

        monkeypatch.setattr(FinanceProfile, "respond", respond)

    return give


def message(
    text: str = "The bill", person: UUID = ADA, sender: str = "1001", **changes: Any
) -> dict[str, Any]:
    addresses = {ADA: "1001", BEA: "1002"}
    known = {
        "sender": str(person),
        "members": [
            {
                "contact_id": str(one),
                "name": name,
                "addresses": [{"channel": "telegram", "value": addresses[one]}],
            }
            for one, name in ((ADA, "Ada"), (BEA, "Bea"))
        ],
    }
    context = request_context(source_sender_identity=sender)
    data = envelope(text, context=context, **changes)
    data["input"]["context"] = {"people": known}
    return data


async def until(place: Place, *wanted: tuple[str, str]) -> None:
    """Wait until the reminders of records are these: state and occasion."""
    found: list[tuple[str, str]] = []
    async with asyncio.timeout(DEADLINE_S):
        while found != list(wanted):
            found = [(row["state"], row["occasion"]) for row in await place.pool.fetch(STATES)]
            await asyncio.sleep(0.02)


async def change(place: Place, after: RecordDraft | None) -> RecordChange:
    [row] = await place.records()
    return RecordChange(row["record_id"], row["version"], "changed", after)


async def ring(place: Place) -> None:
    """Its moment is now."""
    await place.pool.execute("UPDATE reminders SET due_at = clock_now(), due_wall = clock_now()::timestamp")
    await place.pool.execute("UPDATE reminder_work SET available_at = clock_now(), enqueued_at = clock_now()")


def sends(place: Place) -> list[NotifyRequestV1]:
    return [one for one in place.switchboard.notifies if one.delivery.intent == "send"]


def of(day: date) -> str:
    return f"bills:{day}"


async def press(specialist: Client, action: str) -> str:
    data = message("Done")
    data["input"]["context"]["pressed"] = action
    await specialist.done(data)
    row = await specialist.place.route(UUID(data["subrequest"]["subrequest_id"]))
    return str(row["notify_request"]["delivery"]["message"])


async def test_a_bill_gets_one_reminder_on_the_eve_of_its_day_for_whoever_told_it(
    place: Place, told: Callable[..., None]
) -> None:
    told(bill())
    async with place.specialist(extra=WANTED) as one, place.specialist(extra=WANTED):
        await one.done(message(person=BEA, sender="1002"))
        await until(place, ("waiting", of(DUE)))
        row = await place.pool.fetchrow("SELECT * FROM reminders")
        await ring(place)
        await place.switchboard.until(lambda: sends(place))
        await until(place, ("sent", of(DUE)))
    assert row is not None
    assert (row["due_wall"].hour, row["due_wall"].date()) == (9, DUE - timedelta(days=1))
    assert (row["source"], row["contact_id"], row["can_wait"]) == ("record", BEA, True)
    keys = {one.delivery.idempotency_key for one in sends(place)}
    delivery = sends(place)[0].delivery
    assert (len(keys), delivery.channel, delivery.contact_id) == (1, "telegram", str(BEA))
    assert "a bill of 84.20 EUR for electricity" in (delivery.message or "")
    assert len(delivery.actions) == 3


async def test_nobody_is_reminded_who_did_not_ask_and_whose_household_does_not_want_it(
    place: Place, told: Callable[..., None]
) -> None:
    told(bill())
    async with place.specialist() as specialist:
        await specialist.done(message())
        assert specialist.app is not None
    assert await place.pool.fetch(STATES) == []


async def test_a_reminder_follows_its_bill_when_that_is_moved_paid_and_unpaid_again(
    place: Place, told: Callable[..., None]
) -> None:
    later = DUE + timedelta(days=7)
    told(bill())
    async with place.specialist(extra=WANTED) as specialist:
        await specialist.done(message())
        await until(place, ("waiting", of(DUE)))
        told(changes=(await change(place, bill(later)),))
        await specialist.done(message())
        await until(place, ("stopped", of(DUE)), ("waiting", of(later)))
        told(changes=(await change(place, bill(later, done_on=date(2026, 11, 1))),))
        await specialist.done(message())
        await until(place, ("stopped", of(DUE)), ("stopped", of(later)))
        assert await place.pool.fetchval("SELECT count(*) FROM reminder_work") == 0
        told(changes=(await change(place, bill(amount=Decimal(66))),))
        await specialist.done(message())
        await until(place, ("waiting", of(DUE)), ("stopped", of(later)))
        told(changes=(await change(place, None),))
        await specialist.done(message())
        await until(place, ("stopped", of(DUE)), ("stopped", of(later)))
    assert sends(place) == []


async def test_a_bill_that_was_paid_is_not_told_though_nobody_looked_since(
    place: Place, told: Callable[..., None]
) -> None:
    told(bill())
    async with place.specialist(extra=WANTED) as specialist:
        await specialist.done(message())
        await until(place, ("waiting", of(DUE)))
        await place.pool.execute("UPDATE records SET done_on = $1", DUE)  # by another replica, just now
        await ring(place)
        await until(place, ("stopped", of(DUE)))
    assert sends(place) == []
    assert await place.pool.fetchval("SELECT lapsed FROM reminders")


async def test_what_was_told_is_what_the_record_says_at_that_moment(
    place: Place, told: Callable[..., None]
) -> None:
    told(bill())
    async with place.specialist(extra=WANTED) as specialist:
        await specialist.done(message())
        await until(place, ("waiting", of(DUE)))
        await place.pool.execute("UPDATE records SET amount = 66")
        await ring(place)
        await until(place, ("sent", of(DUE)))
    assert "66.00 EUR" in (sends(place)[0].delivery.message or "")


async def test_done_leaves_the_bill_open_and_what_is_put_off_ends_with_the_bill(
    place: Place, told: Callable[..., None]
) -> None:
    told(bill())
    async with place.specialist(extra=WANTED) as specialist:
        await specialist.done(message())
        await until(place, ("waiting", of(DUE)))
        await ring(place)
        await until(place, ("sent", of(DUE)))
        done, _, hour = (one.id for one in sends(place)[0].delivery.actions)
        await press(specialist, hour)
        await until(place, ("sent", of(DUE)), ("waiting", of(DUE)))
        told(changes=(await change(place, bill(done_on=DUE)),))
        await specialist.done(message())
        await until(place, ("sent", of(DUE)), ("stopped", of(DUE)))
        assert (await press(specialist, done)).endswith(
            "That does not mark the bill as paid; tell me when it is."
        )
    assert (await place.records())[0]["version"] == 2


async def test_a_person_wants_it_by_saying_so_and_ends_it_by_saying_so(place: Place) -> None:
    async with place.specialist() as specialist:
        await specialist.done(message("Electricity bill of 84.20 EUR is due on 20 December 2026"))
        await specialist.done(message("Erinnere mich bitte an Rechnungen"))
        await until(place, ("waiting", of(date(2026, 12, 20))))
        words = await place.pool.fetchrow("SELECT language, text FROM reminders")
        await specialist.done(message("Stop reminding me of bills"))
        await until(place, ("stopped", of(date(2026, 12, 20))))
        await specialist.done(message("Remind me of bills"))
        await until(place, ("waiting", of(date(2026, 12, 20))))
    assert words is not None
    assert words["language"] == "de"
    assert words["text"].startswith("eine Rechnung über 84,20 EUR")
    assert [
        tuple(row) for row in await place.pool.fetch("SELECT person, topic, wanted FROM record_wishes")
    ] == [(str(ADA), "bills", True)]


async def test_an_edit_of_the_message_leaves_the_reminder_of_its_bill(
    place: Place, told: Callable[..., None]
) -> None:
    told(bill())
    first, then = message(), message("The bill, 85 EUR")
    context = first["request_context"]
    parts = [{"request_id": context["request_id"], "segment_id": first["subrequest"]["segment_id"]}]
    then["input"]["context"]["supersedes"] = {"parts": parts, "moved_to": []}
    async with place.specialist(extra=WANTED) as specialist:
        await specialist.done(first)
        await until(place, ("waiting", of(DUE)))
        told(bill(amount=Decimal(85)))
        await specialist.done(then)
        said = place.switchboard.notifies[-1].delivery.message or ""
        await ring(place)
        await until(place, ("sent", of(DUE)))
    assert "Changed: 85.00 EUR instead of 84.20 EUR" in said
    assert "stopped" not in said
    assert "85.00 EUR" in (sends(place)[0].delivery.message or "")


async def test_a_reminder_that_a_person_stopped_does_not_come_back(
    place: Place, told: Callable[..., None]
) -> None:
    told(bill())
    async with place.specialist(extra=WANTED) as specialist:
        await specialist.done(message())
        await until(place, ("waiting", of(DUE)))
        await place.pool.execute("UPDATE reminders SET state = 'stopped', ended_at = clock_now()")
        await place.pool.execute("DELETE FROM reminder_work")
        told(bill(DUE + timedelta(days=1)))
        await specialist.done(message())
        await until(place, ("stopped", of(DUE)), ("waiting", of(DUE + timedelta(days=1))))


async def test_what_a_crash_left_undone_is_made_good_by_the_next_start(
    place: Place, told: Callable[..., None]
) -> None:
    told(bill())
    async with place.specialist() as specialist:
        await specialist.done(message())
    async with place.specialist(extra=WANTED):
        await until(place, ("waiting", of(DUE)))


async def test_a_bill_that_was_deleted_takes_its_reminder_along_and_brings_it_back(place: Place) -> None:
    day = of(date(2026, 12, 20))
    async with place.specialist(extra=WANTED) as specialist:
        await specialist.done(message("Electricity bill of 84.20 EUR is due on 20 December 2026"))
        await until(place, ("waiting", day))
        await specialist.done(message("delete the electricity bill"))
        await until(place, ("stopped", day))
        assert await place.pool.fetchval("SELECT lapsed FROM reminders")
        await specialist.done(message("undo"))
        await until(place, ("waiting", day))


async def test_cancel_that_after_a_bill_means_the_bill_and_its_reminder_ends_with_it(place: Place) -> None:
    async with place.specialist(extra=WANTED) as specialist:
        await specialist.done(message("Electricity bill of 84.20 EUR is due on 20 December 2026"))
        await until(place, ("waiting", of(date(2026, 12, 20))))
        await specialist.done(message("cancel that"))
        await until(place, ("stopped", of(date(2026, 12, 20))))
        assert [row["withdrawn_at"] is None for row in await place.records()] == [False]
        assert await place.pool.fetchval("SELECT lapsed FROM reminders")
        await specialist.done(message("undo"))
        await until(place, ("waiting", of(date(2026, 12, 20))))
        said = place.switchboard.notifies[-1].delivery.message or ""
        await specialist.done(message("which bills are due?"))
        listed = place.switchboard.notifies[-1].delivery.message or ""
    assert said.startswith("Put back: 84.20 EUR")
    assert "84.20 EUR" in listed
    assert [row["withdrawn_at"] is None for row in await place.records()] == [True]


async def test_undo_sets_a_reminder_again_that_was_asked_for_and_stopped(place: Place) -> None:
    states = "SELECT state FROM reminders ORDER BY created_at"
    async with place.specialist() as specialist:
        bill = "Electricity bill of 84.20 EUR is due on 20 December 2026"
        await specialist.done(message(f"{bill}, remind me the day before"))
        await specialist.done(message("cancel that"))
        assert [row["state"] for row in await place.pool.fetch(states)] == ["stopped"]
        await specialist.done(message("undo", person=BEA, sender="1002"))
        assert [row["state"] for row in await place.pool.fetch(states)] == ["stopped"]
        await specialist.done(message("undo"))
    assert [row["state"] for row in await place.pool.fetch(states)] == ["stopped", "waiting"]
    assert await place.pool.fetchval("SELECT count(*) FROM reminder_work") == 1
    assert [row["withdrawn_at"] for row in await place.records()] == [None]


async def test_how_many_days_before_is_said_by_the_household_and_by_the_person(place: Place) -> None:
    due = date(2026, 12, 20)
    extra = f"{WANTED}\nremind_before = {{bills = [5]}}"
    days = "SELECT due_wall::date AS day FROM reminders WHERE ended_at IS NULL ORDER BY due_wall"
    async with place.specialist(extra=extra) as specialist:
        await specialist.done(message("Electricity bill of 84.20 EUR is due on 20 December 2026"))
        await until(place, ("waiting", f"{of(due)}:5d"))
        assert [row["day"] for row in await place.pool.fetch(days)] == [due - timedelta(days=5)]
        await specialist.done(message("remind me of bills a week before and on the day"))
        await until(
            place, ("waiting", f"{of(due)}:0d"), ("stopped", f"{of(due)}:5d"), ("waiting", f"{of(due)}:7d")
        )
        said = place.switchboard.notifies[-1].delivery.message or ""
        waiting = [row["day"] for row in await place.pool.fetch(days)]
    assert said == "I will remind you of each bill that you tell me, at 09:00 7 days before and on the day."
    assert waiting == [due - timedelta(days=7), due]
