"""What concerns all that is known of a member reaches each butler that remembers, whatever it replies to (ADR 0110)."""

from __future__ import annotations

import pytest

from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.records import Declaration
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

BILL = "I paid the gas bill of 40 euro"
FORGET = "forget everything you know about me"


async def remembering(home: Household, running: Running, *names: str) -> None:
    for name in names:
        declared = Declaration(
            role="specialist", endpoint_url=home.butler(name).url, capabilities=("memory",)
        )
        await running.switchboard.parts.butlers.declare(name, declared, actor="test")
    await running.switchboard.parts.registry.refresh()


def texts(home: Household, name: str) -> list[str]:
    return [envelope.input.prompt for envelope in home.butler(name).got]


@pytest.mark.parametrize("text", [FORGET, "what do you know about me?"])
async def test_it_reaches_all_that_remember_in_turn_also_as_a_reply_to_another(home: Household, text: str):
    async with home.run() as running:
        await remembering(home, running, "general", "health")
        await home.settled(await running.accepted(telegram(1, BILL)))
        request = await running.accepted(telegram(2, text, replies_to="1"))
        row = await home.settled(request)
    assert row["lifecycle_state"] == "parsed"
    assert texts(home, "finance") == [BILL]
    assert (texts(home, "health"), texts(home, "general")) == ([text], [text])
    [first], [last] = home.butler("health").got, home.butler("general").got
    assert first.together is not None
    assert (first.together.of, first.together.answered, first.together.last) == ("memory", 0, False)
    assert last.together is not None
    assert last.together.last


async def test_an_order_to_forget_waits_for_a_butler_that_is_held(home: Household):
    async with home.run() as running:
        await remembering(home, running, "general", "health")
        await running.switchboard.parts.butlers.quarantine("health", Hold(reason="holiday"), actor="ada")
        await running.switchboard.parts.registry.refresh()
        request = await running.accepted(telegram(1, FORGET))
        await home.butler("general").received()
        assert texts(home, "health") == []
        await running.switchboard.parts.butlers.release("health", actor="ada", reason="back")
        await running.switchboard.parts.registry.refresh()

        async def heard() -> bool:
            return texts(home, "health") == [FORGET]

        await until(heard, what="the order at the butler that was held")
        assert (await home.settled(request))["lifecycle_state"] == "parsed"
