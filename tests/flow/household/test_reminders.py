"""A reminder from the words that ask for it to the chat: real Switchboard, real health butler, real contacts."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from butler_contracts.notify import NotifyRequestV1
from butler_specialist.questions.wording import when_text
from tests.flow.household.test_persons import answer, health, home, serving
from tests.integration.specialist.household import Place
from tests.support.switchboard_service import Household, until

__all__ = ["health", "home"]


def sent(home: Household) -> list[NotifyRequestV1]:
    contexts = [envelope.input.context for envelope in home.messenger.got]
    told = [context.notify_request for context in contexts if context and context.notify_request]
    return [request for request in told if request.delivery.intent == "send"]


async def test_who_asks_on_telegram_is_told_when_and_then_reminded_once_in_the_same_chat(
    home: Household, health: Place
) -> None:
    async with home.run() as running, serving(health, running):
        asked_at = datetime.now(UTC)
        said = await answer(home, running, 1, "Remind me in 2 seconds to take the tablet")
        kept = await health.pool.fetchrow("SELECT due_at, zone FROM reminders")

        async def over() -> bool:
            state: str = await health.pool.fetchval("SELECT state FROM reminders")
            return state == "sent"

        await until(over, what="the reminder")
        told_at = datetime.now(UTC)
        assert await health.pool.fetchval("SELECT count(*) FROM reminder_work") == 0
    assert kept is not None
    due = kept["due_at"].astimezone(ZoneInfo(kept["zone"]))
    assert said == f"I will remind you on {when_text(due.date(), due.time())}: take the tablet."
    assert told_at >= kept["due_at"] > asked_at
    [reminder] = sent(home)
    assert (reminder.delivery.channel, reminder.delivery.message) == ("telegram", "Reminder: take the tablet")
