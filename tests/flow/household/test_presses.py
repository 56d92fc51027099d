"""A button under a reminder, from the press to the answer: real Switchboard, real health butler, real contacts."""

from __future__ import annotations

from butler_contracts.actions import Pressed
from tests.flow.household.test_persons import answer, health, home, serving
from tests.integration.specialist.household import Place
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

__all__ = ["health", "home"]


async def reminded(home: Household, health: Place, running: Running) -> dict[str, str]:
    """Ada is reminded; the reference of each button under it."""
    await answer(home, running, 1, "Erinnere mich in 2 Sekunden an die Tablette")

    async def over() -> bool:
        state: str = await health.pool.fetchval("SELECT state FROM reminders")
        return state == "sent"

    await until(over, what="the reminder")
    for envelope in home.messenger.got:
        wish = envelope.input.context.notify_request if envelope.input.context is not None else None
        if wish is not None and wish.delivery.intent == "send":
            asked = envelope.subrequest.subrequest_id
            return {one.label: Pressed(asked, one.id).reference for one in wish.delivery.actions}
    raise AssertionError("nobody was reminded")


async def pressed(
    home: Household, running: Running, number: int, label: str, reference: str, *, sender: str = "1001"
) -> str:
    """What who pressed is told."""
    before = len(home.messenger.told)
    await running.accepted(
        telegram(number, label, pressed=reference, message_id="77", sender=sender, chat=sender)
    )
    await home.idle()
    replies = [one for one in home.messenger.told[before:] if one.delivery.intent == "reply"]
    assert len(replies) == 1
    context = replies[0].request_context
    assert context is not None
    assert (context.source_thread_identity, context.source_message_identity) == (sender, "77")
    return str(replies[0].delivery.message)


async def test_a_reminder_is_put_off_and_then_done_and_each_press_is_answered_once_in_its_language(
    home: Household, health: Place
) -> None:
    async with home.run() as running, serving(health, running):
        buttons = await reminded(home, health, running)
        later = await pressed(home, running, 2, "In einer Stunde", buttons["In einer Stunde"])
        again = await pressed(home, running, 3, "In 10 Minuten", buttons["In 10 Minuten"])
        others = await pressed(home, running, 4, "Erledigt", buttons["Erledigt"], sender="1002")
        done = await pressed(home, running, 5, "Erledigt", buttons["Erledigt"])
        twice = await pressed(home, running, 6, "Erledigt", buttons["Erledigt"])
    assert list(buttons) == ["Erledigt", "In 10 Minuten", "In einer Stunde"]
    assert later.startswith("Ich erinnere dich noch einmal am ")
    assert again.startswith("Das ist schon verschoben, auf ")
    assert others == "Diese Erinnerung gehört jemand anderem. Es wurde nichts geändert."
    assert (done, twice) == ("Erledigt: die Tablette.", "Das war schon erledigt: die Tablette.")
    assert await health.pool.fetchval("SELECT count(*) FROM reminder_work") == 0
    rows = await health.pool.fetch("SELECT state FROM reminders ORDER BY created_at")
    assert [row["state"] for row in rows] == ["sent", "stopped"]
