"""Resources for the spark-operator. Everything that must not be lost is in `template`.

Its webhook adds volumes, variables and security contexts of other fields only where it is installed; Spark itself
reads the template. Invariants: a concurrency policy is always set (there is no default, and without one no second run
ever starts); times are UTC; a driver without executors has no token and needs no rights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from butler_resources.kinds import Butler
from butler_resources.render.cluster.authorities import authorities_mounts
from butler_resources.render.cluster.place import Place
from butler_resources.render.cluster.podparts import scheduling
from butler_resources.render.cluster.rollups.names import (
    ROLLUPS,
    SPARK_API,
    Schedule,
    labels_for,
    metadata_for,
)
from butler_resources.render.cluster.rollups.pods import (
    job_container,
    pod_memory_mb,
    pod_spec,
    program,
    security,
)

__all__ = ["application_spec", "render_scheduled_application"]

SPARK_VERSION: Final = "4.3.0"
DRIVER_ALONE: Final = "local[*]"
NO_POLICY: Final = "org.apache.spark.deploy.k8s.features.NetworkPolicyFeatureStep"
"""Excluded: Spark 4.2 and newer creates a NetworkPolicy per application, but the household has its own."""
KEPT_S: Final = 86_400
KEPT_RUNS: Final = 3
RETRIES: Final = 2
PAUSE_S: Final = 60
OPTIMISING: Final = (
    "-Duser.timezone=UTC -Dlog4j2.configurationFile=/opt/butlers/butler_rollups/spark/log4j2.properties"
)
"""Java options of a long job, without those that make a short one start fast."""


def render_scheduled_application(
    schedule: Schedule, switchboard: Butler, place: Place, owner: Mapping[str, str]
) -> dict[str, Any]:
    """Return the `ScheduledSparkApplication` of one job."""
    return {
        "apiVersion": SPARK_API,
        "kind": "ScheduledSparkApplication",
        "metadata": metadata_for(schedule.name, place.namespace, owner, job=schedule.name),
        "spec": {
            "schedule": schedule.cron,
            "timeZone": "Etc/UTC",
            "concurrencyPolicy": "Forbid",
            "suspend": switchboard.spec.suspend,
            "successfulRunHistoryLimit": KEPT_RUNS,
            "failedRunHistoryLimit": KEPT_RUNS,
            "template": application_spec(
                switchboard, place, owner, app=schedule.app, arguments=["--json"], job=schedule.name
            ),
        },
    }


def application_spec(
    switchboard: Butler,
    place: Place,
    owner: Mapping[str, str],
    *,
    app: str,
    arguments: Sequence[str],
    job: str,
    executors: int = 0,
) -> dict[str, Any]:
    """Return the `spec` of a `SparkApplication`; with `executors` 0 the driver does the work itself."""
    account = place.spark.executor_account if executors else None
    process = _driver_container(switchboard, place, distributed=bool(executors))
    pod = pod_spec(switchboard, place, process, account=account or ROLLUPS, token=bool(executors))
    driver: dict[str, Any] = {
        **_size(place),
        "serviceAccount": account or ROLLUPS,
        "template": {"metadata": {"labels": labels_for(owner, job=job)}, "spec": pod},
    }
    if not executors:
        driver["kubernetesMaster"] = DRIVER_ALONE
    return {
        "type": "Python",
        "pythonVersion": "3",
        "mode": "cluster",
        "sparkVersion": SPARK_VERSION,
        "image": place.spark.image,
        "imagePullPolicy": place.spark.image_pull_policy,
        "mainApplicationFile": f"local://{program(app)}",
        "arguments": list(arguments),
        "sparkConf": {
            "spark.ui.enabled": "false",
            "spark.kubernetes.driver.pod.excludedFeatureSteps": NO_POLICY,
        },
        "restartPolicy": {
            "type": "OnFailure",
            "onFailureRetries": RETRIES,
            "onFailureRetryInterval": PAUSE_S,
            "onSubmissionFailureRetries": RETRIES,
            "onSubmissionFailureRetryInterval": PAUSE_S,
        },
        "timeToLiveSeconds": KEPT_S,
        "driver": driver,
        "executor": _executor(switchboard, place, owner, job, executors) if executors else {},
    }


def _driver_container(switchboard: Butler, place: Place, *, distributed: bool) -> dict[str, Any]:
    process = job_container("spark-kubernetes-driver", switchboard, place)
    del process["image"], process["imagePullPolicy"], process["resources"]
    if distributed:
        process["env"] = [*process["env"], {"name": "SPARK_SUBMIT_OPTS", "value": OPTIMISING}]
    return process


def _executor(
    switchboard: Butler, place: Place, owner: Mapping[str, str], job: str, executors: int
) -> dict[str, Any]:
    process = job_container("spark-kubernetes-executor", switchboard, place)
    del process["image"], process["imagePullPolicy"], process["resources"], process["env"]
    authorities = authorities_mounts(switchboard, place)
    process["volumeMounts"] = [mount for mount in process["volumeMounts"] if mount["name"] != "database"]
    pod = {
        "serviceAccountName": ROLLUPS,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": security(place),
        "containers": [process],
        "volumes": [
            *(mount.volume() for mount in authorities),
            {"name": "tmp", "emptyDir": {"sizeLimit": "2Gi"}},
        ],
    }
    return {
        **_size(place),
        "instances": executors,
        "serviceAccount": ROLLUPS,
        "deleteOnTermination": True,
        "template": {
            "metadata": {"labels": labels_for(owner, job=job)},
            "spec": pod | scheduling(place),
        },
    }


def _size(place: Place) -> dict[str, Any]:
    heap = place.spark.memory_mb
    return {
        "cores": 1,
        "coreRequest": place.spark.cpu,
        "memory": f"{heap}m",
        "memoryOverhead": f"{pod_memory_mb(place) - heap}m",
    }
