"""What nobody asked for waits for the end of a person's quiet hours, and then comes once, in order (D66, ADR 0080)."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
import structlog

from butler_contracts.errors import ErrorClass
from butler_contracts.notify import NotifyResponseV1
from butler_kit.db import Connection
from butler_messenger.admission.store import NewDelivery
from butler_messenger.quiet.keeping import MOST_WAITING
from butler_messenger.quiet.releases import QuietReleases
from tests.integration.messenger.household import (
    ADA,
    BEN,
    CONTACTS,
    Client,
    Place,
    envelope,
    notify,
    request_context,
)
from tests.integration.messenger.test_approvals import GATED, decided
from tests.integration.messenger.test_withdrawals import withdrawn
from tests.support.switchboard_service import until
from tests.support.telegram_api import Fault

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
NIGHT_S = 6 * 3600
BUDGETS = {"per_minute": 60, "recipient_per_minute": 10}


async def night(place: Place, zone: ZoneInfo) -> dict[str, str]:
    """Quiet hours that the clock of `zone` is in now, and is out of six hours later."""
    now: datetime = (await place.rows("SELECT clock_now() AS now"))[0]["now"]
    wall = now.astimezone(zone)
    return {
        "start": f"{wall - timedelta(hours=3):%H:%M}",
        "end": f"{wall + timedelta(hours=3):%H:%M}",
    }


async def with_quiet(place: Place, zone: ZoneInfo = BERLIN, *, who: str = "Ben") -> None:
    """Ben, or Ada, sleeps."""
    own = {"timezone": str(zone), "quietHours": await night(place, zone)}
    place.write_contacts([{**one, **own} if one["name"] == who else one for one in CONTACTS])


async def morning(place: Place) -> None:
    await place.database.shift_clock(timedelta(seconds=NIGHT_S))


def wish(text: str, *, to: int = BEN, **more: Any) -> dict[str, Any]:
    return notify(text, recipient=str(to), idempotency_key=text[:100], **more)


async def asked(messenger: Client, message: dict[str, Any]) -> tuple[str, str]:
    """How it stands, and its id."""
    answer: NotifyResponseV1 = await messenger.notify(message)
    assert answer.delivery is not None
    return answer.delivery.state, answer.delivery.delivery_id


def told(place: Place, chat: int = BEN) -> list[str]:
    return [sent["text"] for sent in place.telegram.sent if sent["chat_id"] == chat]


async def waiting(place: Place) -> list[UUID]:
    rows = await place.rows(
        "SELECT delivery_id FROM delivery_requests WHERE quiet_until > clock_now() AND status = 'pending'"
    )
    return [row["delivery_id"] for row in rows]


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK])
async def test_what_nobody_asked_for_waits_for_the_morning_of_its_person_and_comes_once_in_order(
    place: Place, zone: ZoneInfo
) -> None:
    await with_quiet(place, zone)
    async with place.messenger() as messenger:
        kept = [await asked(messenger, wish(f"number {number}")) for number in range(4)]
        assert {state for state, _ in kept} == {"queued"}
        assert (await asked(messenger, wish("number 2")))[1] == kept[2][1]
        assert len(await waiting(place)) == 4
        assert not await place.rows("SELECT 1 FROM delivery_work UNION ALL SELECT 1 FROM rate_used")
        # Whoever else is written to is not asleep.
        assert (await asked(messenger, wish("to Ada", to=ADA)))[0] == "sent"
        assert told(place) == []
    await morning(place)
    async with place.messenger() as messenger:
        for _, delivery_id in kept:
            await place.until_status(delivery_id, "sent")
        assert (await asked(messenger, wish("by day")))[0] == "sent"
    assert told(place) == [f"[finance] number {number}" for number in range(4)] + ["[finance] by day"]


async def test_an_answer_and_what_is_urgent_come_at_night(place: Place) -> None:
    await with_quiet(place)
    context = request_context(source_sender_identity=str(BEN), source_thread_identity=str(BEN))
    async with place.messenger() as messenger:
        assert (await asked(messenger, wish("low", urgency="low")))[0] == "queued"
        assert (await asked(messenger, wish("fire", urgency="high")))[0] == "sent"
        answer = notify("12 euro", intent="reply", context=context, idempotency_key="r")
        assert (await asked(messenger, answer))[0] == "sent"
    assert told(place) == ["[finance] fire", "[finance] 12 euro"]


async def test_a_household_has_quiet_hours_for_whoever_has_none_and_none_for_strangers(place: Place) -> None:
    hours = await night(place, BERLIN)
    text = place.config_text().replace(
        "[butler]",
        f'[butler]\ntimezone = "Europe/Berlin"\nquiet_hours = {{start = "{hours["start"]}", end = "{hours["end"]}"}}',
    )
    stranger = notify(
        "hello", channel="email", recipient="plumber@example.org", idempotency_key="p", subject="x"
    )
    async with place.messenger(text=text) as messenger:
        assert (await asked(messenger, wish("to Ben")))[0] == "queued"
        assert (await asked(messenger, stranger))[0] == "sent"
    assert told(place) == []


async def test_what_waits_survives_its_process_and_a_night_that_was_slept_through(place: Place) -> None:
    await with_quiet(place)
    async with place.messenger() as messenger:
        _, delivery_id = await asked(messenger, wish("good morning"))
    await place.database.shift_clock(timedelta(hours=24))  # nothing ran for a day, and it is night again
    async with place.messenger():

        async def kept_again() -> bool:
            return bool(await waiting(place))

        await until(kept_again, what="it waits for the end of this night")
    assert told(place) == []
    await place.database.shift_clock(timedelta(hours=28))
    async with place.messenger():
        await place.until_status(delivery_id, "sent")
    assert told(place) == ["[finance] good morning"]


async def test_what_is_approved_at_night_waits_for_the_morning(place: Place) -> None:
    await with_quiet(place)
    async with place.messenger(spec=GATED) as messenger:
        state, delivery_id = await asked(messenger, wish("Dinner at eight"))
        assert state == "pending_approval"
        assert (await decided(messenger, delivery_id, "approve")).status_code == 200
        assert await waiting(place) == [UUID(delivery_id)]
    await morning(place)
    async with place.messenger(spec=GATED):
        await place.until_status(delivery_id, "sent")
    assert told(place) == ["[finance] Dinner at eight"]


async def test_after_a_night_a_persons_budget_holds_and_the_rest_follows_in_order(place: Place) -> None:
    await with_quiet(place)
    async with place.messenger() as messenger:
        ids = [(await asked(messenger, wish(f"number {number:02}")))[1] for number in range(12)]
    await morning(place)
    async with place.messenger(limits=BUDGETS) as messenger:
        for delivery_id in ids[:10]:
            await place.until_status(delivery_id, "sent")
        # What comes by day goes behind what still waits.
        state, by_day = await asked(messenger, wish("by day"))
        assert (state, len(told(place))) == ("queued", 10)
    await place.database.shift_clock(timedelta(seconds=NIGHT_S + 90))
    async with place.messenger(limits=BUDGETS):
        await place.until_status(by_day, "sent")
    assert told(place) == [f"[finance] number {number:02}" for number in range(12)] + ["[finance] by day"]


async def test_whoever_has_no_room_in_the_morning_keeps_nobody_else_waiting(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butler_messenger.quiet.releases._BATCH", 2)
    own = {"timezone": str(BERLIN), "quietHours": await night(place, BERLIN)}
    place.write_contacts([{**one, **own} for one in CONTACTS])
    async with place.messenger() as messenger:
        for number in range(12):
            await asked(messenger, wish(f"number {number:02}"))
        _, last = await asked(messenger, wish("for Ada", to=ADA))
    await morning(place)
    async with place.messenger(limits=BUDGETS), asyncio.timeout(30):
        await place.until_status(last, "sent")
    assert len(told(place)) <= 10


async def test_who_asks_beforehand_is_told_that_it_would_wait(place: Place) -> None:
    await with_quiet(place)
    async with place.messenger() as messenger:
        answer = await messenger.tool("messenger_dry_run", {"notify_request": wish("hello")})
    assert (answer["decision"], answer["admitted"]) == ("quiet", True)


async def with_digest(place: Place, zone: ZoneInfo = NEW_YORK) -> None:
    """Ben is told what is of low urgency in three hours."""
    now: datetime = (await place.rows("SELECT clock_now() AS now"))[0]["now"]
    at = f"{now.astimezone(zone) + timedelta(hours=3):%H:%M}"
    own = {"timezone": str(zone), "digestAt": at}
    place.write_contacts([{**one, **own} if one["name"] == "Ben" else one for one in CONTACTS])


def low(text: str, **more: Any) -> dict[str, Any]:
    return wish(text, urgency="low", **more)


async def test_what_is_of_low_urgency_comes_at_the_hour_of_the_digest_as_one_message_of_each_butler(
    place: Place,
) -> None:
    await with_digest(place)
    button = low("press me", actions=[{"id": "done", "label": "Done"}])
    async with place.messenger() as messenger:
        kept = [await asked(messenger, low(text)) for text in ("one " * 20, "two", "three")]
        kept.append(await asked(messenger, low("a pulse", origin="health")))
        assert {state for state, _ in kept} == {"queued"}
        # Nothing waits behind them, nor they for each other's budget; what can be pressed is told by itself.
        assert (await asked(messenger, wish("at once")))[0] == "sent"
        assert (await asked(messenger, button))[0] == "sent"
    await morning(place)
    async with place.messenger() as messenger:
        for _, delivery_id in kept:
            assert (await place.until_status(delivery_id, "sent"))["quiet_until"] is None
        again = await asked(messenger, low("two"))
    assert again == ("sent", kept[1][1])
    assert told(place)[:2] == ["[finance] at once", "[finance] press me"]
    assert sorted(told(place)[2:]) == [
        f"[finance] {('one ' * 20).strip()}\n\ntwo\n\nthree",
        "[health] a pulse",
    ]
    receipts = await place.rows("SELECT DISTINCT delivery_id FROM delivery_receipts")
    assert {str(row["delivery_id"]) for row in receipts} >= {delivery_id for _, delivery_id in kept}


async def test_in_a_digest_markdown_stands_out_and_plain_words_stay_what_they_are(place: Place) -> None:
    await with_digest(place)
    async with place.messenger() as messenger:
        kept = [await asked(messenger, low("2*3*4 and *so* on_")), await asked(messenger, low("- plain"))]
        kept.append(await asked(messenger, low("**Rent** is due", format="markdown")))
    await morning(place)
    async with place.messenger():
        for _, delivery_id in kept:
            await place.until_status(delivery_id, "sent")
    [sent] = place.telegram.sent
    assert sent["text"] == "[finance] 2*3*4 and *so* on_\n\n- plain\n\nRent is due"
    assert sent["entities"] == [{"type": "bold", "offset": 39, "length": 4}]


async def test_without_an_hour_of_a_digest_low_urgency_is_like_any_and_the_households_is_everybodys(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        assert (await asked(messenger, low("now")))[0] == "sent"
    text = place.config_text().replace("[butler]", '[butler]\ndigest_at = "07:30"')
    async with place.messenger(text=text) as messenger:
        assert (await asked(messenger, low("later")))[0] == "queued"
    [row] = await place.rows("SELECT quiet_until FROM delivery_requests WHERE quiet_until IS NOT NULL")
    assert f"{row['quiet_until']:%H:%M}" == "07:30"


async def test_what_is_too_long_for_one_message_is_several_and_nothing_is_lost(place: Place) -> None:
    await with_digest(place)
    texts = [f"{number} " + "x" * 30_000 for number in range(3)]
    async with place.messenger() as messenger:
        kept = [(await asked(messenger, low(text)))[1] for text in texts]
    await morning(place)
    async with place.messenger():
        for delivery_id in kept:
            await place.until_status(delivery_id, "sent")
    assert "".join(told(place)).count("x") == 90_000
    together = await place.rows("SELECT delivery_id FROM delivery_requests WHERE digest_id IS NOT NULL")
    # The third is a message of its own.
    assert {str(row["delivery_id"]) for row in together} == set(kept[:2])


async def test_what_a_digest_tells_already_is_not_withdrawn_and_ends_as_the_digest_does(place: Place) -> None:
    await with_digest(place)
    context = request_context()
    async with place.messenger() as messenger:
        kept = [(await asked(messenger, low(text, context=context)))[1] for text in ("one", "two")]
    await morning(place)
    place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=3.0))
    async with place.messenger() as messenger:

        async def in_a_digest() -> bool:
            told_by = await place.rows("SELECT 1 FROM delivery_requests WHERE digest_id IS NOT NULL")
            return len(told_by) == 2

        await until(in_a_digest, what="both are told by a digest")
        assert await withdrawn(place, messenger, context) == []
        for delivery_id in kept:
            await place.until_status(delivery_id, "sent")
    assert told(place) == ["[finance] one\n\ntwo"]


async def test_two_replicas_that_meet_over_a_digest_take_turns_and_send_it_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside: list[UUID] = []
    both = asyncio.Event()
    joined = QuietReleases._told_together

    async def met(self: QuietReleases, connection: Connection, one: NewDelivery) -> NewDelivery:
        """The first waits a while for the other one to come as far."""
        inside.append(one.delivery_id)
        if len(inside) == 2:
            both.set()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(both.wait(), 3.0)
        return await joined(self, connection, one)

    await with_digest(place)
    async with place.messenger() as messenger:
        kept = [(await asked(messenger, low(text)))[1] for text in ("one", "two", "three")]
    await morning(place)
    monkeypatch.setattr(QuietReleases, "_told_together", met)
    with structlog.testing.capture_logs() as logs:
        async with place.messenger(), place.messenger():
            for delivery_id in kept:
                await place.until_status(delivery_id, "sent")
    # Without taking turns each holds what the other one wants, and the database ends one of the two.
    stumbled = ("crashed", "kept_delivery_waits")
    assert [log["event"] for log in logs if any(word in log["event"] for word in stumbled)] == []
    assert told(place) == ["[finance] one\n\ntwo\n\nthree"]


@pytest.mark.spec("CON-5")
async def test_so_many_wait_for_the_morning_as_the_bound_says_and_the_next_comes_again(place: Place) -> None:
    """The bound as it is shipped."""
    await with_quiet(place)
    more = wish("one more")
    async with place.messenger() as messenger:
        await asked(messenger, wish("good morning"))
        await place.pool.execute(
            "INSERT INTO delivery_requests (delivery_id, idempotency_key, origin_butler, intent, channel,"
            " identity_scope, target_identity, notify_request, status, created_at, expires_at, updated_at, quiet_until)"
            " SELECT gen_random_uuid(), 'waits:' || n, origin_butler, intent, channel, identity_scope, target_identity,"
            " notify_request, status, created_at, expires_at, updated_at, quiet_until"
            " FROM delivery_requests CROSS JOIN generate_series(2, $1::int) AS n WHERE quiet_until IS NOT NULL",
            MOST_WAITING,
        )
        assert len(await waiting(place)) == MOST_WAITING
        full = await messenger.execute(envelope(more, origin="finance"))
        assert full.error is not None
        assert (full.error.error_class, full.error.retryable) == (ErrorClass.OVERLOAD_REJECTED, True)
        assert full.error.retry_after_s is not None
        assert len(await waiting(place)) == MOST_WAITING, "nothing is kept of what is refused"
        await place.pool.execute("DELETE FROM delivery_requests WHERE idempotency_key = 'waits:2'")
        assert (await asked(messenger, more))[0] == "queued"
