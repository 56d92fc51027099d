"""Buttons under a reminder in a real chat: every process, the Bot API, a person who presses them (ADR 0041)."""

from __future__ import annotations

import pytest

from tests.support.chats import Chats, button
from tests.support.household import RunningPlace
from tests.support.telegram_api import Fault, callback_update, message_update, person

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("household")]

ADA, BEN, STRANGER = person(1001, "Ada"), person(1002, "Ben"), person(6666, "Marc")


async def test_a_reminder_in_a_chat_is_put_off_and_done_by_its_buttons(running: RunningPlace) -> None:
    telegram = running.providers.telegram
    chats = Chats(telegram)
    telegram.inject(message_update(ADA, text="Remind me in 2 seconds to water the plants"))
    assert "I will remind you on" in (await chats.next())["text"]
    reminder = await chats.next()
    assert reminder["text"].endswith("Reminder: water the plants")
    assert (await chats.pressed(ADA, reminder, "In an hour")).startswith("I will remind you again on ")
    assert (await chats.pressed(ADA, reminder, "In 10 minutes")).startswith("That was put off already, to ")
    # A message of the chat is old for Telegram: it names no buttons any more.
    inaccessible = {
        "message": {"chat": {"id": 1001, "type": "private"}, "message_id": reminder["message_id"], "date": 0}
    }
    assert await chats.pressed(ADA, reminder, "Done", **inaccessible) == "Done: water the plants."
    assert await chats.pressed(ADA, reminder, "Done") == "That was done already: water the plants."
    assert len(telegram.answered) == 4
    rows = await running.rows("SELECT state FROM general.reminders ORDER BY created_at")
    assert [row["state"] for row in rows] == ["sent", "stopped"]


async def test_forged_buttons_and_other_hands_change_nothing(running: RunningPlace) -> None:
    telegram = running.providers.telegram
    chats = Chats(telegram)
    telegram.inject(message_update(ADA, text="Remind me in 2 seconds to call the school"))
    await chats.next()
    reminder = await chats.next()
    data = button(reminder, "Done")
    acknowledged = len(telegram.answered)
    telegram.inject(callback_update(STRANGER, reminder, data))
    telegram.inject(callback_update(BEN, reminder, data))
    assert (await chats.next())["text"].endswith("This reminder is somebody else’s. Nothing was changed.")
    for forged in (
        f"{data[:-1]}{'1' if data[-1] == '0' else '0'}",
        f"2{data[1:]}",
        "'; DROP TABLE reminders; --",
    ):
        telegram.inject(callback_update(ADA, reminder, forged))
        told = (await chats.next())["text"]
        assert told.endswith("I do not know this reminder any more. Nothing was changed.")
    await telegram.until(lambda api: len(api.answered) == acknowledged + 5)
    said = "SELECT count(*) AS said FROM messenger.delivery_requests WHERE notify_request::text LIKE '%6666%'"
    assert await running.rows(said) == [{"said": 0}]
    kept = "SELECT count(*) AS kept FROM general.reminder_answers JOIN general.reminders USING (reminder_id)"
    assert await running.rows(f"{kept} WHERE text = 'call the school'") == [{"kept": 0}]


async def test_what_may_be_lost_is_sent_again_once_by_the_press_of_the_owner_and_of_nobody_else(
    running: RunningPlace,
) -> None:
    telegram = running.providers.telegram
    chats = Chats(telegram)
    telegram.script(Fault("sendMessage", "status", count=1, status=502, chat_id=str(BEN["id"])))
    telegram.inject(message_update(BEN, text="Paid 7 EUR for the ferry"))
    note = await chats.next()
    assert (note["chat_id"], "may not have arrived" in note["text"]) == (ADA["id"], True)
    telegram.inject(callback_update(BEN, note, button(note, "Send it again")))
    theirs = await chats.next()
    assert theirs["text"].endswith("This was asked of somebody else; nothing was changed.")
    telegram.inject(callback_update(ADA, note, button(note, "Send it again")))
    told = {one["chat_id"]: one["text"] for one in (await chats.next(), await chats.next())}
    assert told[ADA["id"]] == "[messenger] It is sent again."
    assert "7.00 EUR" in told[BEN["id"]]
    late = await chats.pressed(ADA, note, "It arrived")
    assert late.startswith("Nothing was changed: ")
    assert "it was replayed by Ada" in late
