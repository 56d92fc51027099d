"""Start one Spark run after each completed BackfillJob to recompute the hours it changed (D34).

Invariants: each job gets one run, named after its UID; the outcome becomes the job's condition `RolledUp`, after
which the job is not looked at again. A job that ended more than a day ago is left to the scheduled runs, which also
compute what a backfill changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterConflict
from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsError
from butler_operator.reconcile.conditions import Condition, condition_of
from butler_operator.reconcile.resource import is_deleting, owner_of
from butler_operator.reconcile.status import patch_of
from butler_operator.rollups.runs import rolled_up, run_of
from butler_resources.kinds import Butler
from butler_resources.kinds.conditions import ConditionType
from butler_resources.kinds.statuses import BackfillState
from butler_resources.render.cluster.rollups import backfill_run_name, render_backfill_run

__all__ = ["AfterBackfill"]

_log = get_logger(__name__)
SINCE: Final = timedelta(days=1)
RUN: Final = "SparkApplication"
Body = dict[str, Any]


class AfterBackfill:
    """Follow-up runs for completed backfills; `follow` is called with each reconcile of the statistics."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def follow(self, namespace: str, switchboard: Butler) -> None:
        """Create the missing runs and report those that ended."""
        for body in list(self._runtime.observed.of_kind("BackfillJob", namespace)):
            if self._is_open(body):
                await self._follow_one(namespace, body, switchboard)

    def _is_open(self, body: Mapping[str, Any]) -> bool:
        status = body.get("status") or {}
        told = condition_of(status, ConditionType.ROLLED_UP)
        if is_deleting(body) or status.get("state") != BackfillState.COMPLETED:
            return False
        if told is not None and told.status != "Unknown":
            return False
        finished = status.get("finishedAt")
        age = self._runtime.clock.now() - datetime.fromisoformat(finished) if finished else SINCE
        return told is not None or age < SINCE

    async def _follow_one(self, namespace: str, body: Body, switchboard: Butler) -> None:
        name = backfill_run_name(body["metadata"]["uid"])
        found = await self._runtime.cluster.get(RUN, namespace, name)
        if found is not None:
            await self._tell(body, rolled_up(run_of({**found, "kind": RUN})))
            return
        hours = await self._hours(namespace, body)
        if hours is None:
            return
        if hours == 0:
            await self._tell(body, rolled_up(None))
            return
        manifest = render_backfill_run(
            body["status"]["jobId"],
            hours,
            switchboard,
            self._runtime.place(namespace),
            owner=owner_of(body),
        )
        try:
            made = await self._runtime.cluster.create(manifest)
        except ClusterConflict:
            return  # created meanwhile; the next reconcile sees it
        self._runtime.metrics.count("butlers.operator.writes", kind=RUN, verb="create")
        _log.info(
            "backfill_run_made", namespace=namespace, job=body["metadata"]["name"], run=name, hours=hours
        )
        await self._tell(body, rolled_up(run_of({**made, "kind": RUN})))

    async def _hours(self, namespace: str, body: Body) -> int | None:
        """Return in how many hours the job's messages came in; None when Switchboard does not say."""
        try:
            row = await self._runtime.ops(namespace).request("GET", f"/backfills/{body['status']['jobId']}")
        except (OpsError, KeyError):
            return None
        return len(row.get("dirty_hours") or ())

    async def _tell(self, body: Body, condition: Condition) -> None:
        generation = body["metadata"].get("generation", 0)
        now = self._runtime.clock.now()
        patch = patch_of(body.get("status"), {}, (condition,), generation=generation, now=now)
        if patch is None:
            return
        written = await self._runtime.cluster.write_status(body, patch)
        self._runtime.metrics.count("butlers.operator.writes", kind="BackfillJob", verb="status")
        self._runtime.observed.put(written)
