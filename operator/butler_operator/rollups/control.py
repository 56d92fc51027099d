"""Keep a household's statistics running: apply schedules, delete stuck runs, report lag and failures (SWB-22, D40).

Reconciled every `POLL_S` and when one of its pods changes; the spark-operator's kinds are not watched, because they
may come and go. Invariants: the kind of schedule follows the manifest and the cluster (schedules of the other kind
are deleted); a backfill that has ended is followed by one run, created once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterGone
from butler_operator.cluster.paths import RUN_KINDS, SCHEDULE_KINDS, api_kind
from butler_operator.control.children import Children
from butler_operator.control.registry import Registry
from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsError, OpsNotFound
from butler_operator.reconcile.conditions import Condition, failed, unknown
from butler_operator.reconcile.key import ROLLUPS, Key
from butler_operator.reconcile.outcome import Outcome, done, requeue
from butler_operator.reconcile.resource import is_deleting, is_paused, owner_of
from butler_operator.reconcile.sharing import holds_back
from butler_operator.rollups.after_backfill import AfterBackfill
from butler_operator.rollups.runs import Progress, Run, current, progress_of, run_of, stuck
from butler_resources.kinds import Butler
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.names import KIND_LABEL, LABEL_MANAGED_BY, MANAGED_BY
from butler_resources.render.cluster.rollups import SPARK_API, on_spark, render_rollups

__all__ = ["POLL_S", "Rollups"]

_log = get_logger(__name__)
POLL_S: Final = 60.0
SELECTOR: Final = f"{LABEL_MANAGED_BY}={MANAGED_BY},{KIND_LABEL}={ROLLUPS}"
Body = dict[str, Any]


class Rollups:
    """`reconcile` for the key of a household's statistics; `conditions` for the Switchboard's own reconcile."""

    def __init__(self, runtime: Runtime, registry: Registry) -> None:
        self._runtime = runtime
        self._registry = registry
        self._children = Children(runtime)
        self._backfills = AfterBackfill(runtime)
        self._told: dict[str, Condition] = {}

    def conditions(self, key: Key) -> tuple[Condition, ...]:
        """Return the conditions for the Butler of `key`; empty unless it is a reconciled Switchboard."""
        told = self._told.get(key.namespace) if key.name == "switchboard" else None
        return () if told is None else (told,)

    async def reconcile(self, key: Key) -> Outcome:
        """Bring one household's statistics to the desired state."""
        body = self._runtime.observed.get("Butler", key.namespace, "switchboard")
        if body is None or is_deleting(body):
            self._children.forget(key)
            self._told.pop(key.namespace, None)
            return done()
        switchboard = self._parsed(key.namespace)
        if switchboard is None or is_paused(body):
            return requeue(POLL_S, "nothing is to be done now")
        if on_spark(switchboard) and holds_back(body):
            return requeue(POLL_S, "its database's Secret is not to be mounted yet")
        spark_operator = on_spark(switchboard) and await self._has_spark_operator()
        await self._look(key)
        place = self._runtime.place(key.namespace)
        desired = render_rollups(switchboard, place, owner=owner_of(body), spark_operator=spark_operator)
        deployed = await self._children.bring(key, desired, owner=owner_of(body))
        condition = await self._judge(key.namespace, switchboard, deployed)
        self._tell(body, condition)
        if spark_operator:
            await self._backfills.follow(key.namespace, switchboard)
        return requeue(POLL_S, "runs are looked at")

    def _parsed(self, namespace: str) -> Butler | None:
        for resource, body in self._runtime.parsed("Butler", namespace):
            if isinstance(resource, Butler) and body["metadata"]["name"] == "switchboard":
                return resource
        return None

    async def _has_spark_operator(self) -> bool:
        """Whether the spark-operator's kinds are installed; checked each time, since they may come or go."""
        try:
            await self._runtime.cluster.request("GET", f"/apis/{SPARK_API}")
        except ClusterGone:
            return False
        return True

    async def _look(self, key: Key) -> None:
        """Record the existing schedules of either kind."""
        observed = self._runtime.observed
        kinds = {kind.kind for kind in SCHEDULE_KINDS}
        there = [body for kind in kinds for body in await self._list(kind, key.namespace)]
        names = {(body["kind"], body["metadata"]["name"]) for body in there}
        for body in observed.children(key, kinds):
            if (body["kind"], body["metadata"]["name"]) not in names:
                observed.drop(body)
        for body in there:
            observed.put(body)

    async def _list(self, kind: str, namespace: str) -> list[Body]:
        try:
            found = await self._runtime.cluster.list_all(kind, namespace, label_selector=SELECTOR)
        except ClusterGone:
            return []
        # List items carry neither kind nor apiVersion.
        return [{**body, "kind": kind, "apiVersion": api_kind(kind).api_version} for body in found]

    async def _judge(self, namespace: str, switchboard: Butler, deployed: Condition) -> Condition | None:
        """Return `RollupsCurrent`, or None while it cannot be determined."""
        runs: list[Run] = []
        if on_spark(switchboard):
            if deployed.status != "True":
                return failed(ConditionType.ROLLUPS_CURRENT, deployed.reason, deployed.message)
            runs = [run_of(body) for kind in RUN_KINDS for body in await self._list(kind.kind, namespace)]
        ended = await self._end_stuck(namespace, runs)
        try:
            progress = progress_of(await self._runtime.ops(namespace).request("GET", "/rollups"))
        except OpsNotFound:
            return None  # a Switchboard of an earlier version
        except OpsError as error:
            return self._unheard(namespace, error)
        self._measure(namespace, progress)
        return current(runs, progress, ended=ended)

    def _unheard(self, namespace: str, error: OpsError) -> Condition | None:
        """Keep the last condition through a short silence; report a longer one."""
        view = self._registry.view(namespace)
        if view is None or view.heard:
            return self._told.get(namespace)
        return unknown(ConditionType.ROLLUPS_CURRENT, Reason.SWITCHBOARD_UNREACHABLE, error.message)

    async def _end_stuck(self, namespace: str, runs: Iterable[Run]) -> tuple[Run, ...]:
        ended = stuck(runs, self._runtime.clock.now())
        for run in ended:
            await self._runtime.cluster.delete(run.kind, namespace, run.name, uid=run.uid)
            self._runtime.metrics.count("butlers.operator.writes", kind=run.kind, verb="delete")
            _log.warning("stuck_run_deleted", namespace=namespace, run=run.name, since=run.since.isoformat())
        return ended

    def _measure(self, namespace: str, progress: Iterable[Progress]) -> None:
        for one in progress:
            self._runtime.metrics.set(
                "butlers.rollup.lag_seconds", one.lag_s, namespace=namespace, job=one.job
            )

    def _tell(self, body: Mapping[str, Any], condition: Condition | None) -> None:
        """Have the Switchboard's own reconcile write the change: a status has one writer."""
        namespace = body["metadata"]["namespace"]
        if condition is None or self._told.get(namespace) == condition:
            return
        self._told[namespace] = condition
        self._runtime.queue.add(Key.of(body))
