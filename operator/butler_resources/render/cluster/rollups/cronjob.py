"""The same jobs where there is no spark-operator: CronJobs of the same image that call spark-submit themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Butler
from butler_resources.render.cluster.place import Place
from butler_resources.render.cluster.rollups.names import Schedule, labels_for, metadata_for
from butler_resources.render.cluster.rollups.pods import job_container, pod_memory_mb, pod_spec, program

__all__ = ["render_cronjob"]

LONGEST_S: Final = 3_600
LATE_S: Final = 1_800
"""A run that could not start for this long is skipped: the next one does its work too."""
KEPT_S: Final = 86_400
KEPT_RUNS: Final = 3
RETRIES: Final = 2


def render_cronjob(
    schedule: Schedule, switchboard: Butler, place: Place, owner: Mapping[str, str]
) -> dict[str, Any]:
    """Return the `CronJob` of one job."""
    pod = pod_spec(switchboard, place, _process(schedule, switchboard, place)) | {"restartPolicy": "Never"}
    job = {
        "backoffLimit": RETRIES,
        "activeDeadlineSeconds": LONGEST_S,
        "ttlSecondsAfterFinished": KEPT_S,
        "template": {"metadata": {"labels": labels_for(owner, job=schedule.name)}, "spec": pod},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": metadata_for(schedule.name, place.namespace, owner, job=schedule.name),
        "spec": {
            "schedule": schedule.cron,
            "timeZone": "Etc/UTC",
            "concurrencyPolicy": "Forbid",
            "suspend": switchboard.spec.suspend,
            "startingDeadlineSeconds": LATE_S,
            "successfulJobsHistoryLimit": KEPT_RUNS,
            "failedJobsHistoryLimit": KEPT_RUNS,
            "jobTemplate": {
                "metadata": {"labels": labels_for(owner, job=schedule.name)},
                "spec": job,
            },
        },
    }


def _process(schedule: Schedule, switchboard: Butler, place: Place) -> dict[str, Any]:
    submit = ["spark-submit", "--master", "local[1]", "--driver-memory", f"{place.spark.memory_mb}m"]
    memory = f"{pod_memory_mb(place)}Mi"
    return job_container(
        "rollups",
        switchboard,
        place,
        args=[*submit, "--conf", "spark.ui.enabled=false", program(schedule.app), "--json"],
        resources={"requests": {"cpu": place.spark.cpu, "memory": memory}, "limits": {"memory": memory}},
    )
