"""How good routing was: decisions by day, source, target, model and prompt version (SWB-37.1)."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from butler_rollups.drift import Share
from butler_rollups.evaluation import evaluated
from butler_rollups.models import Job
from tests.integration.rollups.conftest import DAY, HOUR, NOON, House
from tests.support.rollups.decisions import (
    Decision,
    Part,
    add_decisions,
    correct,
    quality_of,
    some_decisions,
    stored_quality,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")
MIDNIGHT = NOON.replace(hour=0)
SOON = timedelta(minutes=15)


@pytest.mark.spec("SWB-37.1")
async def test_decisions_are_counted_by_source_target_model_and_prompt_version(house: House):
    decisions = some_decisions(random.Random(7), MIDNIGHT - 2 * DAY, 300)
    await add_decisions(house.connection, decisions)
    await house.at(MIDNIGHT + SOON)
    done = await house.run(Job.QUALITY)
    assert await stored_quality(house.connection) == quality_of(decisions)
    assert done.watermark == MIDNIGHT
    again = await house.run(Job.QUALITY)
    assert [(one.changed, one.deleted) for one in again.windows] == [(0, 0)]


@pytest.mark.spec("SWB-37.1")
async def test_a_correction_of_an_older_day_is_counted_by_the_next_run(house: House):
    old = Decision(1, MIDNIGHT - 6 * DAY, (Part("general"),))
    await add_decisions(house.connection, [old])
    await house.at(MIDNIGHT - DAY + SOON)
    await house.run(Job.QUALITY)
    await house.at(MIDNIGHT - 3 * HOUR)
    await correct(house.connection, "late", old.request_id, "s1", "general")
    await house.at(MIDNIGHT + SOON)
    await house.run(Job.QUALITY)
    day = old.received_at.date()
    assert {
        key[2]: row["corrected"]
        for key, row in (await stored_quality(house.connection)).items()
        if key[0] == day
    } == {"*": 1, "general": 1}
    # Once it is seen for certain its day is left alone.
    await house.at(MIDNIGHT + DAY + SOON)
    assert old.received_at not in [one.window.start for one in (await house.run(Job.QUALITY)).windows]


@pytest.mark.spec("SWB-37.1")
async def test_five_weeks_of_decisions_of_which_the_last_are_corrected_are_a_drift(house: House):
    decisions = [
        Decision(number, MIDNIGHT - (number % 35 + 1) * DAY, (Part("finance", corrected=number % 70 < 7),))
        for number in range(1, 421)
    ]
    await house.at(MIDNIGHT - 34 * DAY)
    await add_decisions(house.connection, decisions)
    await house.at(MIDNIGHT + SOON)
    await house.run(Job.QUALITY)
    found = await evaluated(house.connection)
    assert found is not None
    assert found.report.until == MIDNIGHT.date()
    [drift] = found.report.drifts
    assert (drift.measure, drift.recent, drift.before) == ("corrected", Share(42, 84), Share(0, 336))


@pytest.mark.spec("SWB-37.1")
async def test_days_of_quality_go_after_a_year_and_their_runs_with_them(house: House):
    await add_decisions(house.connection, [Decision(1, MIDNIGHT - DAY, (Part("finance"),))])
    for after, kept in ((0 * DAY, 2), (363 * DAY, 2), (366 * DAY, 0)):
        await house.at(MIDNIGHT + after + SOON)
        if after:
            await house.idle(Job.QUALITY, MIDNIGHT, MIDNIGHT + after)
        await house.run(Job.QUALITY)
        await house.run(Job.PRUNE)
        assert len(await stored_quality(house.connection)) == kept


async def test_before_the_first_message_there_is_nothing_to_evaluate(house: House):
    assert await evaluated(house.connection) is None
