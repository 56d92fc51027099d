"""Names of the objects that compute statistics, and when each job runs.

Invariant: no name here begins like a child of a Butler or Connector, and each is short enough: the spark-operator
appends 20 characters to a schedule's name, Spark eight more, and the whole becomes a label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from butler_resources.kinds import Butler
from butler_resources.kinds.names import (
    KIND_LABEL,
    LABEL_COMPONENT,
    LABEL_INSTANCE,
    LABEL_MANAGED_BY,
    LABEL_NAME,
    LABEL_PART_OF,
    MANAGED_BY,
    NAME_LABEL,
    PART_OF,
)

__all__ = [
    "LONGEST_NAME",
    "ROLLUPS",
    "SCHEDULES",
    "SPARK_API",
    "Schedule",
    "backfill_run_name",
    "labels_for",
    "metadata_for",
    "on_spark",
]

SPARK_API: Final = "sparkoperator.k8s.io/v1beta2"
ROLLUPS: Final = "rollups"
"""Name of the ServiceAccount and the NetworkPolicy, and of every pod in a selector."""
KIND: Final = "Rollups"
LONGEST_NAME: Final = 36
LONGEST_LABEL: Final = 63


@dataclass(frozen=True)
class Schedule:
    """One scheduled job, always in UTC; `app` is its program in the Spark image."""

    name: str
    cron: str
    app: str


SCHEDULES: Final = (
    Schedule("rollups-hourly", "5 * * * *", "hourly.py"),
    Schedule("rollups-daily", "15 0 * * *", "days.py"),
    Schedule("rollups-prune", "30 1 * * *", "prune.py"),
)
"""The minutes are those of Switchboard's own schedules."""


def on_spark(butler: Butler) -> bool:
    """Whether its statistics are computed outside of Switchboard."""
    return butler.spec.rollups is not None and butler.spec.rollups.engine == "spark"


def backfill_run_name(uid: str) -> str:
    """Return the name of the run for the BackfillJob of that uid; always the same."""
    return f"rollups-backfill-{uid.replace('-', '')[:12]}"


def labels_for(owner: Mapping[str, str], *, job: str | None = None) -> dict[str, str]:
    """Return the labels of an object or a pod; those of a job's pods name the job too."""
    labels = {
        LABEL_NAME: ROLLUPS,
        LABEL_INSTANCE: owner["name"][:LONGEST_LABEL].rstrip("-."),
        LABEL_PART_OF: PART_OF,
        LABEL_MANAGED_BY: MANAGED_BY,
        KIND_LABEL: KIND,
        NAME_LABEL: "rollups",
    }
    return labels if job is None else labels | {LABEL_COMPONENT: job}


def metadata_for(
    name: str, namespace: str, owner: Mapping[str, str], *, job: str | None = None
) -> dict[str, Any]:
    """Return the metadata of an object that is deleted with its owner."""
    return {
        "name": name,
        "namespace": namespace,
        "labels": labels_for(owner, job=job),
        "ownerReferences": [
            {
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["name"],
                "uid": owner["uid"],
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
