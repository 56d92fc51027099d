"""Where no spark-operator is, the same jobs are CronJobs that call spark-submit themselves (SWB-22, D40)."""

from __future__ import annotations

from pathlib import Path

from butler_operator.reconcile.resource import owner_of
from butler_resources.kinds import Butler
from butler_resources.kinds.objects import parse_object
from butler_resources.render.cluster.rollups import SCHEDULES
from butler_resources.render.cluster.rollups.cronjob import render_cronjob
from tests.e2e.cluster import Cluster, eventually
from tests.e2e.scenarios.records import execute, rows
from tests.e2e.spark.beats import beat_two_hours_ago
from tests.e2e.spark.place import operators_place

TRIAL = "trial-of-hours"
RUN_S = 600.0
WATERMARKS = "SELECT count(*) AS windows FROM switchboard.rollup_run WHERE job = 'hourly'"


def test_a_run_of_the_cronjob_that_the_operator_renders_computes_the_hours(
    cluster: Cluster, tmp_path: Path
) -> None:
    found = cluster.get("butler", "switchboard")
    assert found is not None
    cronjob = render_cronjob(
        SCHEDULES[0], parse_object(Butler, found), operators_place(cluster, tmp_path), owner_of(found)
    )
    # By another name and without the operator's labels it is nobody's but the test's; its pods keep theirs.
    cronjob["metadata"] = {"name": TRIAL}
    cronjob["spec"]["suspend"] = True
    cluster.apply(cronjob)
    try:
        beat_two_hours_ago(cluster)
        execute(cluster, "DELETE FROM switchboard.rollup_run WHERE job = 'hourly'")
        cluster.kubectl("create", "job", TRIAL, f"--from=cronjob/{TRIAL}", "--namespace", cluster.namespace)
        job = eventually(lambda: _ended(cluster), timeout_s=RUN_S, pause_s=2, what=f"the job {TRIAL} ends")
        assert job == "Complete"
        assert rows(cluster, WATERMARKS) != [{"windows": 0}]
    finally:
        where = ("--namespace", cluster.namespace, "--ignore-not-found")
        cluster.kubectl("delete", "cronjob,job", TRIAL, *where)


def _ended(cluster: Cluster) -> str | None:
    conditions = ((cluster.get("job", TRIAL) or {}).get("status") or {}).get("conditions") or []
    return next(
        (
            one["type"]
            for one in conditions
            if one["status"] == "True" and one["type"] in ("Complete", "Failed")
        ),
        None,
    )
