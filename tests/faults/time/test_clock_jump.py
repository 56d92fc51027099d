"""A machine that slept: the clocks of Switchboard and of its database jump together, and everything goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from butler_kit.time import SystemClock
from tests.support.butlers import accepts, accepts_then_answers
from tests.support.database import Provision
from tests.support.switchboard import BOT, telegram
from tests.support.switchboard_service import Household, Running, household, until

Jump = Callable[[timedelta], None]


@pytest.fixture
async def home(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Household]:
    async with household(provisioned, tmp_path, "finance", "general") as made:
        yield made


@pytest.fixture
def jump(monkeypatch: pytest.MonkeyPatch) -> Jump:
    """Sets every wall clock of this process ahead; monotonic clocks stand still in a machine that sleeps."""

    def ahead(by: timedelta) -> None:
        monkeypatch.setattr(SystemClock, "now", lambda self: datetime.now(UTC) + by)

    return ahead


async def submit(running: Running, number: int, text: str) -> UUID:
    """Submit with a token of this moment: the supervisor writes new ones as soon as it wakes up."""
    token = running.household.keys.connector("telegram_bot", BOT)
    answer = await running.call(token, "ingestion.ingest", {"envelope": telegram(number, text).to_wire()})
    return UUID(answer["request_id"])


async def accepted_branches(home: Household) -> int:
    return int(await home.pool.fetchval("SELECT count(*) FROM subroute WHERE state = 'accepted'") or 0)


@pytest.mark.parametrize("days", [pytest.param(61, marks=pytest.mark.faults_full), 153])
async def test_what_was_accepted_before_the_jump_and_what_comes_after_it_ends_once(
    home: Household, jump: Jump, days: int
):
    by, finance = timedelta(days=days), home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        silent = await running.accepted(telegram(1, "I paid 12 EUR for lunch"))
        await until(lambda: accepted_branches(home), what="the branch is accepted")

        jump(by)
        finance.behaviour = accepts_then_answers()
        await home.database.shift_clock(by, disconnect=True)
        fresh = await submit(running, 2, "I paid 30 EUR for the taxi")
        await home.introduce(running)

        assert (await home.finished(fresh))["lifecycle_state"] == "parsed"
        assert (await home.finished(silent))["lifecycle_state"] == "errored"
        assert await submit(running, 2, "I paid 30 EUR for the taxi") == fresh
    routed = [envelope.subrequest.subrequest_id for envelope in finance.got]
    assert len(routed) == len(set(routed)) == 2
