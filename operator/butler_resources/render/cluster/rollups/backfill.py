"""The run after a backfill: the statistics of the hours and days in which its messages came (D34)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Butler
from butler_resources.render.cluster.place import Place
from butler_resources.render.cluster.rollups.names import SPARK_API, backfill_run_name, metadata_for
from butler_resources.render.cluster.rollups.spark import application_spec

__all__ = ["EXECUTORS_FROM_HOURS", "render_backfill_run"]

EXECUTORS_FROM_HOURS: Final = 24 * 7
"""From a week of hours on, the work is shared with executors, where the place has any.

Less than that a driver alone computes before an executor has started.
"""


def render_backfill_run(
    job_id: str, hours: int, switchboard: Butler, place: Place, *, owner: Mapping[str, str]
) -> dict[str, Any]:
    """Return the `SparkApplication` for backfill `job_id` of at most `hours`; `owner` is its resource."""
    large = hours >= EXECUTORS_FROM_HOURS and place.spark.executor_account is not None
    name = backfill_run_name(owner["uid"])
    return {
        "apiVersion": SPARK_API,
        "kind": "SparkApplication",
        "metadata": metadata_for(name, place.namespace, owner, job="rollups-backfill"),
        "spec": application_spec(
            switchboard,
            place,
            owner,
            app="backfill.py",
            arguments=["--backfill", job_id, "--json"],
            job="rollups-backfill",
            executors=place.spark.executors if large else 0,
        ),
    }
