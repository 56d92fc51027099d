"""A backfill's hours are computed by a run of their own; a large one is shared with an executor (D34, SWB-22)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from butler_operator.reconcile.resource import owner_of
from butler_resources.kinds import Butler
from butler_resources.kinds.objects import parse_object
from butler_resources.render.cluster import Place
from butler_resources.render.cluster.rollups import backfill_run_name, render_backfill_run
from tests.e2e.backfills import NAME, an_attic, history_of, until_state
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.household import Household
from tests.e2e.scenarios.records import rows
from tests.e2e.spark.beats import beat_two_hours_ago
from tests.e2e.spark.place import operators_place

RUN_S = 600.0
ENDED = ("COMPLETED", "FAILED", "SUBMISSION_FAILED")
QUICK = 72_000
WEEK_OF_HOURS = 7 * 24


@pytest.fixture
def backfill(cluster: Cluster, household: Household) -> Iterator[dict[str, Any]]:
    """A BackfillJob that has fetched three mails, in a household that has an hour to compute."""
    beat_two_hours_ago(cluster)
    with an_attic(cluster, household, mails=3):
        cluster.apply(history_of(NAME, per_hour=QUICK))
        until_state(cluster, "completed")
        found = cluster.get("backfilljob", NAME)
        assert found is not None
        yield found


def test_a_completed_backfill_has_its_hours_computed_and_a_week_of_hours_is_shared_with_an_executor(
    cluster: Cluster, backfill: dict[str, Any], tmp_path: Path
) -> None:
    name = backfill_run_name(backfill["metadata"]["uid"])
    assert _ended(cluster, name)["status"]["applicationState"]["state"] == "COMPLETED"
    cluster.kubectl(
        "wait", "--for=condition=RolledUp", f"backfilljob/{NAME}", "--timeout=240s", timeout_s=250
    )
    assert _runs_recorded(cluster) > 0

    # Nobody's backfill takes a week here: the operator's own renderer is told of one.
    cluster.kubectl("delete", "sparkapplication", name)
    cluster.apply(_of_a_week(cluster, backfill, operators_place(cluster, tmp_path)))
    made = eventually(
        lambda: cluster.list("pods", selector="spark-role=executor"),
        timeout_s=RUN_S,
        pause_s=1,
        what="an executor",
    )
    assert made[0]["spec"]["serviceAccountName"] == "rollups"
    assert not made[0]["spec"]["automountServiceAccountToken"]
    run = _ended(cluster, name)
    assert run["status"]["applicationState"]["state"] == "COMPLETED", run["status"]
    assert set(run["status"]["executorState"].values()) <= {"COMPLETED", "RUNNING", "UNKNOWN"}


def _ended(cluster: Cluster, name: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        run = cluster.get("sparkapplication", name) or {}
        state = run.get("status", {}).get("applicationState", {}).get("state")
        return run if state in ENDED else None

    found = eventually(look, timeout_s=RUN_S, pause_s=2, what=f"the run {name} ends")
    assert found is not None
    return found


def _runs_recorded(cluster: Cluster) -> int:
    [row] = rows(cluster, "SELECT count(*) AS runs FROM switchboard.rollup_run WHERE engine = 'spark'")
    return int(row["runs"])


def _of_a_week(cluster: Cluster, backfill: dict[str, Any], place: Place) -> dict[str, Any]:
    switchboard = cluster.get("butler", "switchboard")
    assert switchboard is not None
    return render_backfill_run(
        backfill["status"]["jobId"],
        WEEK_OF_HOURS,
        parse_object(Butler, switchboard),
        place,
        owner=owner_of(backfill),
    )
