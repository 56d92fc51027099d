"""A Switchboard killed while a child's request waits for a grown-up: asked once, told once, done once (ADR 0124)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import UUID

import pytest

from butler_contracts.request_approvals import approval_of
from butler_kit.faults import points
from tests.faults.household import Armed
from tests.faults.kills.test_operations import BILL, STARTED_S, switchboard
from tests.faults.ledger import LEDGER
from tests.flow.household.test_people import ADA, BEN
from tests.flow.household.test_two_zones import writes
from tests.flow.switchboard.test_held_requests import CHILD, LEO, SAID, holds
from tests.support.butlers import answers
from tests.support.database import Provision
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, household, until


async def planned(home: Household) -> UUID:
    """A request that is held, and about which nobody could be asked yet."""
    async with home.run() as running:
        await home.messenger.stop()
        request_id = await running.accepted(telegram(1, BILL, **LEO))

        async def committed() -> bool:
            return bool(await holds(home, request_id))

        await until(committed, what="the plan")
    await home.messenger.start()
    return request_id


@pytest.mark.parametrize(
    ("point", "word"),
    [
        (points.HELD_ASKED, ("waiting", None)),
        (points.HELD_ASKED, ("approved", "Ada Example")),
        (points.HELD_RELEASED, ("approved", "Ada Example")),
        (points.HELD_ASKED, ("denied", "Ada Example")),
    ],
)
async def test_a_kill_around_a_word_loses_nothing_and_does_nothing_twice(
    provisioned: Provision, tmp_path: Path, point: str, word: tuple[str, str | None]
) -> None:
    armed = Armed(tmp_path / "faults")
    async with household(provisioned, tmp_path, "finance", "general") as home:
        await writes(home, tmp_path, ADA + BEN.format(own=CHILD))
        home.messenger.grown_ups.names, home.messenger.grown_ups.word = ("Ada Example",), word
        home.butler("finance").behaviour = answers()
        request_id = await planned(home)
        armed.arm([point])
        async with switchboard(home, tmp_path, armed) as one:
            async with asyncio.timeout(STARTED_S):
                assert await one.process.wait() < 0
        LEDGER.kills += 1
        async with switchboard(home, tmp_path, armed):
            if word[0] == "waiting":
                await until(lambda: _asked(home, request_id), what="who is asked is on record")
                home.messenger.grown_ups.word = ("approved", "Ada Example")
            row = await home.settled(request_id)
    said = [str(one.delivery.message) for one in home.messenger.replies()]
    assert row["lifecycle_state"] == "parsed"
    assert list(home.messenger.grown_ups.asked) == [approval_of(request_id)]
    assert said.count(SAID) == (1 if word[0] == "waiting" else 0)
    done = [envelope.subrequest.subrequest_id for envelope in home.butler("finance").got]
    assert len(set(done)) == (0 if word[0] == "denied" else 1)
    assert len([one for one in said if "said no" in one]) == (1 if word[0] == "denied" else 0)


async def _asked(home: Household, request_id: UUID) -> bool:
    return (await holds(home, request_id)).get("asked") is not None
