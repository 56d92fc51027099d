"""Statistics on Spark as the operator keeps them: which schedules there are, what is told of runs, a backfill's run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from butler_operator.reconcile.key import Key
from tests.support.cluster_resources import API, database_secret, switchboard
from tests.support.registry_double import RegistryDouble

Start = Callable[..., Any]
NAMES = ["rollups-daily", "rollups-hourly", "rollups-prune"]


def engine(name: str) -> dict[str, Any]:
    return switchboard(rollups={"engine": name})


def run(state: str, *, since: str) -> dict[str, Any]:
    labels = {
        "app.kubernetes.io/managed-by": "butlers-operator",
        "app.kubernetes.io/component": "rollups-hourly",
        "butlers.dev/kind": "Rollups",
        "butlers.dev/name": "rollups",
    }
    status = {
        "lastSubmissionAttemptTime": since,
        "applicationState": {"state": state, "errorMessage": "ExitCode: 5"},
    }
    metadata = {"name": "rollups-hourly-1", "labels": labels}
    return {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "SparkApplication",
        "metadata": metadata,
        "spec": {},
        "status": status,
    }


def look(household: Any) -> None:
    """Have the operator look now instead of in a minute."""
    household.runtime.queue.add(Key.rollups("home"))


async def test_schedules_follow_the_engine_and_the_cluster(start: Start, api: Any) -> None:
    cluster = api[0]
    cluster.have(database_secret())
    cluster.have(engine("spark"))
    async with start() as household:
        await household.until(lambda: cluster.names("CronJob") == NAMES)
        assert cluster.names("ServiceAccount") == ["butler-switchboard", "rollups"]
        cluster.install_spark_operator()
        look(household)
        await household.until(lambda: cluster.names("ScheduledSparkApplication") == NAMES)
        await household.until(lambda: cluster.names("CronJob") == [])
        await household.settled()
        written = len(cluster.writes)
        look(household)
        await household.settled()
        assert cluster.writes[written:] == []
        cluster.have(engine("sql"))
        await household.until(lambda: cluster.names("ScheduledSparkApplication") == [])
        await household.until(lambda: "rollups" not in cluster.names("ServiceAccount"))


async def test_a_failed_run_a_lag_and_a_stuck_run_are_told_on_the_switchboard(
    start: Start, api: Any, registry: RegistryDouble
) -> None:
    cluster = api[0]
    cluster.install_spark_operator()
    cluster.have(database_secret())
    cluster.have(engine("spark"))
    registry.lag_s = {"hourly": 10.0, "daily": 0.0}
    now = datetime.now(UTC).isoformat()
    async with start() as household:

        def told(status: str, reason: str) -> Callable[[], bool]:
            seen: Callable[[], bool] = household.has(
                "Butler", "switchboard", "RollupsCurrent", status, reason
            )
            return seen

        await household.until(told("True", "Current"))
        assert 'butlers_rollup_lag_seconds{job="hourly",namespace="home"} 10.0' in _metrics(household)
        cluster.have(run("FAILED", since=now))
        look(household)
        await household.until(told("False", "RunFailed"))
        cluster.have(run("COMPLETED", since=now))
        registry.lag_s = {"hourly": 3 * 3_600.0, "daily": 0.0}
        look(household)
        await household.until(told("False", "Lagging"))
        await household.settled()
        cluster.have(run("SUBMITTED", since="2026-01-01T00:00:00Z"))
        look(household)
        # It stays only until the next look, which this very change of the Switchboard's status asks for.
        await household.until(lambda: any("RunStuck" in str(body) for _, _, body in cluster.writes))
        assert cluster.names("SparkApplication") == []
        registry.lag_s = {"hourly": 0.0, "daily": 0.0}
        look(household)
        await household.until(told("True", "Current"))


async def test_a_completed_backfill_is_followed_by_one_run(
    start: Start, api: Any, registry: RegistryDouble
) -> None:
    cluster = api[0]
    cluster.install_spark_operator()
    cluster.have(database_secret())
    cluster.have(engine("spark"))
    registry.lag_s = {}
    registry.backfills["job-1"] = {"dirty_hours": ["2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z"]}
    finished = datetime.now(UTC).isoformat()
    job = {
        "apiVersion": API,
        "kind": "BackfillJob",
        "metadata": {"name": "october", "annotations": {"butlers.dev/paused": "true"}},
        "spec": {"connectorRef": "mail", "dateFrom": "2026-10-01", "dateTo": "2026-10-31"},
        "status": {"state": "completed", "jobId": "job-1", "finishedAt": finished},
    }
    async with start() as household:
        cluster.have(job)
        await household.until(lambda: len(cluster.names("SparkApplication")) == 1)
        (name,) = cluster.names("SparkApplication")
        made = cluster.find("SparkApplication", name)
        assert made["spec"]["arguments"] == ["--backfill", "job-1", "--json"]
        assert made["metadata"]["ownerReferences"][0]["name"] == "october"
        await household.until(household.has("BackfillJob", "october", "RolledUp", "Unknown", "Running"))
        cluster.edit(
            "SparkApplication",
            name,
            lambda body: body.update(status={"applicationState": {"state": "COMPLETED"}}),
        )
        look(household)
        await household.until(household.has("BackfillJob", "october", "RolledUp", "True"))
        cluster.remove("SparkApplication", name)
        look(household)
        await household.settled()
        assert cluster.names("SparkApplication") == []


def _metrics(household: Any) -> str:
    body, _ = household.runtime.metrics.expose()
    return str(body, "utf-8")
