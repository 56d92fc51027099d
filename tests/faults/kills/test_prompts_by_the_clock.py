"""A specialist killed at each step of a schedule: one run of each moment, one word to whom it is for (ADR 0097)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler_kit.faults import points
from butler_kit.faults.binding import FAULTS_DIR
from tests.faults.household import Armed
from tests.faults.kills.test_reminders import PATIENCE_S, PROGRAM
from tests.faults.ledger import LEDGER
from tests.integration.specialist.household import Place, household
from tests.integration.specialist.test_schedules import (
    ADA,
    DUE,
    Clock,
    adopted,
    bills,
    ended,
    inhabited,
    told,
)
from tests.integration.specialist.thinking import KEY, at_once
from tests.support.database import Provision
from tests.support.loopback import free_port
from tests.support.model_api import ModelServer

ASKED_AGAIN = points.SESSION_ENDED
"""Only there the model had answered and nothing of it was kept."""


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path) as made:
        made.more_environment["BUTLERS_REPLICA"] = "finance-0"
        yield inhabited(made)


@pytest.mark.parametrize(
    "point",
    [
        points.WORK_STARTED,
        points.SESSION_ENDED,
        points.OUTCOME_COMMITTED,
        points.ANSWER_TOLD,
        points.ANSWER_KEPT,
    ],
)
async def test_a_kill_at_any_step_is_one_outcome_and_one_telling(place: Place, point: str) -> None:
    async with ModelServer(at_once(DUE), key=KEY) as model:
        clock, manifest = Clock(place), bills(model)
        await clock.at(6)
        async with place.specialist(spec=manifest):
            await adopted(place)
        await clock.at(7)
        armed = Armed(place.folder / "faults")
        armed.arm([point])
        place.more_environment[FAULTS_DIR] = str(armed.folder)
        async with place.process(free_port(), program=PROGRAM, spec=manifest) as (child, _):
            async with asyncio.timeout(PATIENCE_S):
                assert await child.wait() < 0
        LEDGER.kills += 1
        async with place.process(free_port(), program=PROGRAM, spec=manifest):
            [row] = await ended(place)
    assert (row["lifecycle_state"], row["error"]) == ("processed", None)
    assert told(place) == [(str(ADA), "telegram", "The gas bill of 40 EUR is due on Friday.")]
    assert len(place.switchboard.notifies) == (2 if point == points.ANSWER_TOLD else 1)
    assert len(model.asked) == (2 if point == ASKED_AGAIN else 1)
