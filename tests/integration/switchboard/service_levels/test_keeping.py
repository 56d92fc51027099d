"""When too much is late or fails, all replicas know it, it is told, and it ends by itself or by an operator."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from butler_kit.db import Pool
from butler_kit.telemetry import BUFFER, SWITCHBOARD, Metrics
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.policies import service_level_policy
from butler_switchboard.service_levels.keeper import Keeper
from butler_switchboard.service_levels.tally import Tally
from butler_switchboard.settings import SloSettings
from butler_switchboard.telemetry import SwitchboardMetrics
from tests.integration.switchboard.operations.served import serve
from tests.support.database import Database, Provision
from tests.support.switchboard import switchboard_database

CHANGES = "SELECT state, actor, why FROM service_level_change ORDER BY change_id"
BURNS = "the error budget of success burns 20.0 times too fast"


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await switchboard_database(provisioned)


@pytest.fixture
async def pool(database: Database) -> Pool:
    pool = await database.pool("switchboard")
    await Retention(pool, RetentionPolicy()).prepare()
    return pool


def failing(tally: Tally, count: int = 20) -> Tally:
    """A fifth of the parts fails."""
    for number in range(count * 5):
        tally.routed("timeout" if number % 5 == 0 else "ok")
    return tally


def keeper(pool: Pool, tally: Tally | None = None, *, metrics: Metrics | None = None, **slo: Any) -> Keeper:
    events = SwitchboardMetrics(metrics or Metrics((*SWITCHBOARD, *BUFFER)))
    return Keeper(pool, service_level_policy(SloSettings(**slo)), tally or Tally(), events)


async def looked(pool: Pool, one: Keeper | None = None) -> dict[str, Any]:
    """What a look makes of it, however short ago the last one was."""
    await pool.execute("UPDATE service_level SET evaluated_at = NULL")
    await (one or keeper(pool)).look()
    row = await pool.fetchrow("SELECT * FROM service_level")
    assert row is not None
    return dict(row)


@pytest.mark.spec("SWB-41.1")
async def test_what_all_replicas_count_makes_it_tight_once_and_it_is_let_go_by_itself(
    pool: Pool, database: Database
) -> None:
    metrics = Metrics((*SWITCHBOARD, *BUFFER))
    assert (await looked(pool, keeper(pool, failing(Tally(), 5))))["state"] == "kept"
    assert (await looked(pool, keeper(pool, failing(Tally(), 15), metrics=metrics)))["state"] == "tight"
    await asyncio.gather(*(keeper(pool).look() for _ in range(4)))
    [change] = await pool.fetch(CHANGES)
    assert tuple(change) == ("tight", "switchboard", BURNS)
    assert metrics.value("butlers.switchboard.slo_tight") == 1
    assert metrics.value("butlers.switchboard.slo_burn") == pytest.approx(20)
    assert metrics.value("butlers.switchboard.slo_transition", state="tight") == 1
    await database.shift_clock(timedelta(minutes=10))
    pool = await database.pool("switchboard")
    assert (await looked(pool))["state"] == "tight"
    # The half hour that the slow pair looks back is over, and the quarter of an hour after it.
    await database.shift_clock(timedelta(minutes=50))
    pool = await database.pool("switchboard")
    assert (await looked(pool))["state"] == "kept"
    assert [row["state"] for row in await pool.fetch(CHANGES)] == ["tight", "kept"]


@pytest.mark.spec("SWB-41.1")
async def test_nothing_follows_in_a_house_that_only_wants_to_be_told(pool: Pool) -> None:
    level = await looked(pool, keeper(pool, failing(Tally()), tightens=False))
    assert (level["state"], level["burn"]) == ("kept", pytest.approx(20))


@pytest.mark.spec("SWB-41.1")
async def test_it_is_told_with_its_objectives_and_an_operator_lets_it_go_which_is_kept(
    pool: Pool, tmp_path: Path
) -> None:
    why, once = {"reason": "the model is back", "requested_by": "ben"}, {"Idempotency-Key": "once"}
    async with serve(pool, tmp_path) as served:
        failing(served.tally)
        assert (await looked(pool, served.keeper))["state"] == "tight"
        async with served.http("dashboard") as reader:
            told = (await reader.get("/slo")).json()
        async with served.http("operator") as ops:
            done = (await ops.post("/slo/switchboard/reset", json=why, headers=once)).json()
            repeated = (await ops.post("/slo/switchboard/reset", json=why, headers=once)).json()
            # The same counts are still there, and count no more.
            assert (await looked(pool, served.keeper))["state"] == "kept"
            [freed] = (await ops.get("/slo")).json()["slo"]
    [one] = told["slo"]
    assert (one["name"], one["state"], one["cause"], one["burn"]) == (
        "switchboard",
        "tight",
        "success",
        pytest.approx(20),
    )
    assert [objective["objective"] for objective in one["objectives"]] == [
        "accept",
        "complete",
        "success",
        "interactive",
    ]
    success = one["objectives"][2]
    assert [(window["events"], window["bad"]) for window in success["windows"]] == [(100, 20)] * 4
    assert (success["acts"], success["budget_left"]) == (True, pytest.approx(-19))
    assert one["objectives"][0]["within_s"] == 0.25
    assert told["policy"]["fast"] == {"long_s": 3600, "short_s": 300, "burn": 14.4}
    assert (done["was"], done["state"], done["repeated"]) == ("tight", "kept", False)
    assert repeated["repeated"] is True
    assert (freed["state"], freed["counted_from"] is not None) == ("kept", True)
    assert [(change["state"], change["by"], change["why"]) for change in freed["changes"]] == [
        ("kept", "ben", "the model is back"),
        ("tight", "switchboard", BURNS),
    ]
    [kept] = await pool.fetch("SELECT action, target, reason, state FROM operation")
    assert tuple(kept) == ("slo.reset", "slo/switchboard", "the model is back", "done")
