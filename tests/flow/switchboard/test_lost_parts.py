"""A part whose butler and `general` are both away is lost to nobody: it waits, or its writer is told (ADR 0084)."""

from __future__ import annotations

import httpx
import pytest

from butler_switchboard.registry.eligibility import Hold
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

TWO_PARTS = "I paid 40 euro for the gas bill. My blood pressure this morning was 120 over 80."
IMPATIENT = "[dispatch.tiers.default]\npatience_s = 1.5\n"


async def hold(running: Running, *names: str) -> None:
    for name in names:
        await running.switchboard.parts.butlers.quarantine(name, Hold(reason="holiday"), actor="ada")
    await running.switchboard.parts.registry.refresh()


async def release(running: Running, *names: str) -> None:
    for name in names:
        await running.switchboard.parts.butlers.release(name, reason="back", actor="ada")
    await running.switchboard.parts.registry.refresh()


@pytest.mark.spec("SWB-10.4")
async def test_a_part_waits_for_its_butler_while_the_others_go_on_and_is_sent_when_it_is_back(
    home: Household,
):
    async with home.run() as running:
        await hold(running, "finance", "general")
        request = await running.accepted(telegram(1, TWO_PARTS))
        await home.butler("health").received()

        async def waiting() -> bool:
            [finance, _] = await home.subroutes(request)
            return finance["waiting_since"] is not None

        await until(waiting, what="a part that waits for finance")
        assert home.butler("finance").got == []
        await release(running, "finance")
        row = await home.settled(request)
    assert row["lifecycle_state"] == "parsed"
    assert [envelope.input.prompt for envelope in home.butler("finance").got] == [
        "I paid 40 euro for the gas bill."
    ]
    assert home.butler("general").got == []


@pytest.mark.spec("SWB-08.3")
async def test_a_part_that_nobody_may_get_in_time_is_told_and_replayed_by_itself(home: Household):
    async with home.run(IMPATIENT, retry=None) as running:
        await hold(running, "finance", "general")
        request = await running.accepted(telegram(1, TWO_PARTS))
        row = await home.settled(request)
        assert (row["lifecycle_state"], row["error_class"]) == ("errored", "target_unavailable")
        assert [one["status"] for one in row["dispatch_outcomes"]] == ["error", "ok"]
        [reply] = home.messenger.replies()
        said = str(reply.delivery.message)
        assert "Done: health." in said
        assert "Not done: finance: it cannot be reached at the moment. Please send this part again" in said
        assert "holiday" not in said, "why it may get nothing is the operator's matter"
        assert home.butler("finance").got == []
        await release(running, "finance")
        token = home.keys.sign("ada", "operator", receiver="switchboard")
        async with httpx.AsyncClient(base_url=f"{running.url}/ops/v1", timeout=20) as ops:
            replayed = await ops.post(
                f"/requests/{request}/replay",
                json={"reason": "finance is back"},
                headers={"Authorization": f"Bearer {token}"},
            )
        assert [part["target"] for part in replayed.json()["parts"]] == ["finance"]
        row = await home.settled(request)
    assert row["lifecycle_state"] == "parsed"
    assert [len(home.butler(name).got) for name in ("finance", "health")] == [1, 1]
