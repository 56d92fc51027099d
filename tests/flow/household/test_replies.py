"""Replies in a real chat: to an older message, to an older answer, to a reminder; and "done" without any (ADR 0054)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chats import Chats
from tests.support.household import RunningPlace
from tests.support.telegram_api import message_update, person

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("household")]

ADA = person(1001, "Ada")


async def test_a_reply_changes_the_entry_of_the_message_that_it_replies_to(running: RunningPlace) -> None:
    telegram = running.providers.telegram
    chats = Chats(telegram)

    async def said(text: str, to: dict[str, Any] | None = None) -> dict[str, Any]:
        replied: dict[str, Any] = {"reply_to_message": to} if to is not None else {}
        telegram.inject(message_update(ADA, text=text, **replied))
        return await chats.next()

    taxi = await said("Paid 21 EUR for the taxi to Leipzig")
    await said("Paid 13 EUR for lunch in Leipzig")
    quoted = {
        "message_id": taxi["message_id"],
        "chat": {"id": 1001, "type": "private"},
        "date": int(taxi["time"]),
    }
    assert "25.00 EUR" in (await said("no, 25", quoted))["text"]
    own = {**quoted, "message_id": taxi["reply_to_message_id"], "text": "Paid 21 EUR for the taxi to Leipzig"}
    assert "25.00 EUR" in (await said("how much was that?", own))["text"]
    kept = "SELECT amount::float AS amount FROM finance.records WHERE text LIKE '%Leipzig%' ORDER BY seq"
    assert [row["amount"] for row in await running.rows(kept)] == [25.0, 13.0]
    why = await running.rows(
        "SELECT decided_by, model_version FROM switchboard.route_plan ORDER BY committed_at DESC LIMIT 2"
    )
    assert [tuple(row.values()) for row in why] == [("policy", "reply")] * 2


async def test_a_reminder_is_put_off_and_done_in_words(running: RunningPlace) -> None:
    telegram = running.providers.telegram
    chats = Chats(telegram)
    telegram.inject(message_update(ADA, text="Remind me in 2 seconds to descale the kettle"))
    await chats.next()
    reminder = await chats.next()
    assert reminder["text"].endswith("Reminder: descale the kettle")
    telegram.inject(message_update(ADA, text="in 20 minutes please"))
    assert "I will remind you again on " in (await chats.next())["text"]
    quoted = {"message_id": reminder["message_id"], "chat": {"id": 1001, "type": "private"}, "date": 0}
    telegram.inject(message_update(ADA, text="done", reply_to_message=quoted))
    assert (await chats.next())["text"].endswith("Done: descale the kettle.")
    rows = await running.rows(
        "SELECT state FROM general.reminders WHERE text = 'descale the kettle' ORDER BY created_at"
    )
    assert [row["state"] for row in rows] == ["sent", "stopped"]
