"""Statistics by the real spark-operator, from the operator's schedule to the dashboard (SWB-22, D40).

Run by `make e2e SPARK=1` on the cluster of `make up SPARK=1`; any other run does not choose them.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.e2e.cluster import Cluster, eventually
from tests.e2e.scenarios.records import execute
from tests.e2e.spark.beats import beat_two_hours_ago

SCHEDULES = ["rollups-daily", "rollups-hourly", "rollups-prune"]
RUN_S = 600.0


@pytest.fixture(scope="module")
def schedule(cluster: Cluster) -> dict[str, Any]:
    """The operator's own schedule of the hours."""
    names = eventually(
        lambda: [
            name
            for name in SCHEDULES
            if name in {one["metadata"]["name"] for one in cluster.list("scheduledsparkapplications")}
        ],
        what="the operator's schedules",
    )
    assert names == SCHEDULES
    (found,) = (
        one
        for one in cluster.list("scheduledsparkapplications")
        if one["metadata"]["name"] == "rollups-hourly"
    )
    return found


def test_the_operator_s_schedule_runs_to_completed_and_its_rows_are_in_postgresql(
    cluster: Cluster, schedule: dict[str, Any]
) -> None:
    beat_two_hours_ago(cluster)
    execute(cluster, "DELETE FROM switchboard.connector_stats_hourly; DELETE FROM switchboard.rollup_run")
    # The operator would give it back its minute; the rest of the object is as rendered.
    cluster.kubectl("annotate", "butler", "switchboard", "butlers.dev/paused=true", "--overwrite")
    try:
        soon = datetime.now(UTC) + timedelta(minutes=1)
        body = {
            "apiVersion": schedule["apiVersion"],
            "kind": schedule["kind"],
            "metadata": {
                key: schedule["metadata"][key] for key in ("name", "namespace", "labels", "ownerReferences")
            },
            "spec": {**schedule["spec"], "schedule": f"{soon.minute} * * * *"},
        }
        cluster.kubectl("delete", "scheduledsparkapplication", "rollups-hourly")
        cluster.kubectl("create", "-f", "-", stdin=json.dumps(body))
        run = eventually(
            lambda: _ended(cluster), timeout_s=RUN_S, pause_s=3, what="a run of rollups-hourly that ended"
        )
    finally:
        cluster.kubectl("annotate", "butler", "switchboard", "butlers.dev/paused-")
    assert run is not None
    assert run["status"]["applicationState"]["state"] == "COMPLETED", run["status"]
    assert int(execute(cluster, "SELECT count(*) FROM switchboard.connector_stats_hourly")) > 0
    assert execute(cluster, "SELECT DISTINCT engine FROM switchboard.rollup_run").strip() == "spark"


def test_the_dashboard_shows_them(cluster: Cluster, schedule: dict[str, Any]) -> None:
    token = cluster.kubectl("create", "token", "butlers-reader", "--audience=butlers.dev/dashboard").strip()
    with cluster.port_forward("service/butlers-dashboard", 40200) as ports:
        url = f"http://127.0.0.1:{ports[40200]}/api/connectors/summary?period=24h"
        answer = httpx.get(url, headers={"Authorization": f"Bearer {token}"}, timeout=30, trust_env=False)
    assert answer.status_code == 200, answer.text
    assert answer.json()["summary"]["heartbeat_count"] > 0


def test_the_condition_says_that_they_are_current(cluster: Cluster, schedule: dict[str, Any]) -> None:
    cluster.kubectl(
        "wait", "--for=condition=RollupsCurrent", "butler/switchboard", "--timeout=180s", timeout_s=200
    )


def _ended(cluster: Cluster) -> dict[str, Any] | None:
    return next(
        (
            one
            for one in cluster.list("sparkapplications", selector="butlers.dev/kind=Rollups")
            if one["metadata"]["name"].startswith("rollups-hourly-")
            and one.get("status", {}).get("applicationState", {}).get("state")
            in ("COMPLETED", "FAILED", "SUBMISSION_FAILED")
        ),
        None,
    )
