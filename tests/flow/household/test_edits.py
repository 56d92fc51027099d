"""A Telegram message that is edited: what the household keeps and what the person reads say the same."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.household import RunningPlace, until
from tests.support.telegram_api import message_update, person

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("household")]

ADA, STRANGER = person(1001, "Ada"), person(6666, "Marc")


class Chat:
    """One person's chat with the bot."""

    def __init__(self, running: RunningPlace, who: dict[str, Any]) -> None:
        self.running = running
        self.who = who
        self.telegram = running.providers.telegram

    async def say(self, text: str) -> tuple[dict[str, Any], list[str]]:
        """Send a message; it, and what the bot said then."""
        return await self._told(message_update(self.who, text=text))

    async def edit(self, message: dict[str, Any], text: str) -> list[str]:
        """Give a message another text; what the bot said then."""
        former = {"message_id": message["message_id"], "date": message["date"]}
        return (await self._told(message_update(self.who, kind="edited_message", text=text, **former)))[1]

    async def _told(self, update: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        before = len(self.telegram.sent)
        done = self.telegram.inject(update)
        await self._settled(done["update_id"])
        [message] = [part for name, part in done.items() if name != "update_id"]
        told = [one["text"] for one in self.telegram.sent[before:] if one["chat_id"] == self.who["id"]]
        return message, [re.sub(r"^\[\w+\] ", "", text) for text in told]

    async def _settled(self, update_id: int) -> None:
        """Wait until the update has ended and everything that was to be told of it was told."""
        ended = (
            "SELECT 1 FROM switchboard.message_inbox AS m WHERE m.final_state_at IS NOT NULL"
            f" AND m.external_event_id = '{update_id}' AND NOT EXISTS (SELECT FROM messenger.delivery_requests AS d"
            " WHERE d.request_id = m.request_id AND d.terminal_at IS NULL)"
        )

        async def over() -> bool:
            return bool(await self.running.rows(ended))

        await until(over, what=f"the end of update {update_id}")

    async def noted(self, butler: str, columns: str) -> list[tuple[Any, ...]]:
        """What the butler counts of everything that was said here."""
        rows = await self.running.rows(
            f"SELECT {columns} FROM {butler}.records WHERE sender = '{self.who['id']}' AND withdrawn_at IS NULL"
            " ORDER BY seq"
        )
        return [tuple(str(value) for value in row.values()) for row in rows]


async def test_an_edited_sum_is_changed_counted_once_and_said(running: RunningPlace) -> None:
    ada = Chat(running, ADA)
    message, [noted] = await ada.say("Spent 60 EUR on groceries")
    assert noted.startswith("Noted: 60.00 EUR for groceries")
    [changed] = await ada.edit(message, "Spent 66 EUR on groceries")
    assert changed.startswith("Changed: 66.00 EUR instead of 60.00 EUR (groceries).")
    assert changed.endswith("This month so far: 66.00 EUR.")
    assert await ada.noted("finance", "amount, title") == [("66", "groceries")]
    assert await ada.edit(message, "Spent 66 EUR on groceries") == []
    [again] = await ada.edit(message, "Spent 68 EUR on groceries")
    assert again.startswith("Changed: 68.00 EUR instead of 66.00 EUR (groceries).")
    assert await ada.noted("finance", "amount, title") == [("68", "groceries")]
    _, [spent] = await ada.say("How much did I spend on groceries this month?")
    assert "68.00 EUR" in spent

    [withdrawn, weight] = sorted(
        await ada.edit(message, "My weight is 68 kg"), key=lambda text: "Withdrawn" not in text
    )
    assert withdrawn.startswith("Withdrawn: 68.00 EUR (groceries). Your new words went to health.")
    assert "68 kg" in weight
    assert await ada.noted("finance", "amount") == []
    assert await ada.noted("health", "quantity, unit") == [("68", "kg")]


async def test_what_a_stranger_edits_stays_as_the_owner_was_told_it(running: RunningPlace) -> None:
    marc = Chat(running, STRANGER)
    message, _ = await marc.say("The bill for the roof is 900 EUR, due on Friday")
    told = len(running.providers.telegram.sent)
    before = await marc.noted("finance", "amount, text")
    assert await marc.edit(message, "The bill for the roof is 100 EUR, due on Friday") == []
    assert await marc.noted("finance", "amount, text") == before
    assert len(running.providers.telegram.sent) == told
