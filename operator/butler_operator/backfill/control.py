"""Keep a BackfillJob and its Switchboard row in step: create, suspend, resume, mirror, cancel (D34).

Invariants: Switchboard is asked only while a connector can move the job; a status is written on transitions, and for
figures at most once a minute. A deletion cancels the job (`backfill.leftovers`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.backfill.decide import (
    Verb,
    conditions,
    events,
    fields,
    looks_again_s,
    next_verb,
    waiting,
)
from butler_operator.backfill.leftovers import OrphanedJobs
from butler_operator.backfill.row import Row, create_body, owner_name, row_of
from butler_operator.cluster.errors import ClusterGone
from butler_operator.control.finalizers import without_finalizer
from butler_operator.control.registry import Registry
from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsClient, OpsNotFound, OpsRefused, OpsUnavailable
from butler_operator.reconcile.conditions import Condition, failed, passed, unknown
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.outcome import Outcome, done, requeue
from butler_operator.reconcile.resource import is_deleting, is_paused, problem_text
from butler_operator.reconcile.status import patch_of, paused_conditions, rejected
from butler_resources.kinds import ManifestError
from butler_resources.kinds.backfill import BackfillJob
from butler_resources.kinds.conditions import ConditionType, Reason
from butler_resources.kinds.objects import parse_object

__all__ = ["Backfills"]

_log = get_logger(__name__)
CONFLICT: Final = 409
Body = dict[str, Any]


class Backfills:
    """`reconcile` for BackfillJobs."""

    def __init__(self, runtime: Runtime, registry: Registry, orphans: OrphanedJobs) -> None:
        self._runtime = runtime
        self._registry = registry
        self._orphans = orphans

    async def reconcile(self, key: Key) -> Outcome:
        """Bring one job and its status to the desired state."""
        body = self._runtime.observed.resource(key)
        if body is None or is_deleting(body):
            self._orphans.look(key.namespace)
            self._registry.gone(key)
        if body is None:
            return done()
        try:
            return await self._reconcile(key, body)
        except ClusterGone:
            return done()  # deleted meanwhile; the watch or the resync reports what is left to do

    async def _reconcile(self, key: Key, body: Body) -> Outcome:
        body = await without_finalizer(self._runtime, body)
        if is_deleting(body):
            return done()
        try:
            job = parse_object(BackfillJob, body)
        except ManifestError as error:
            await self._tell(body, (rejected(problem_text(error)),))
            return done()
        if is_paused(body):
            await self._tell(body, paused_conditions(), advance=False)
            return done()
        return await self._advance(key, body, job)

    async def _advance(self, key: Key, body: Body, job: BackfillJob) -> Outcome:
        retry_s = self._runtime.settings.retry_s
        connector = self._runtime.observed.get("Connector", key.namespace, job.spec.connector_ref)
        missing = self._missing(key.namespace, job, connector)
        if missing is not None or connector is None:
            await self._tell(body, waiting(missing or _resolved(), _blocked()))
            return requeue(retry_s, "a reference is missing")
        try:
            row = await self._bring(body, job, connector)
        except OpsUnavailable as error:
            return await self._unreachable(body, error.message)
        except OpsRefused as error:
            return await self._refused(body, error)
        await self._mirror(body, row)
        again_s = looks_again_s(row, beat_s=self._runtime.settings.beat_s)
        return done() if again_s is None else requeue(again_s, f"the job is {row.state}")

    def _missing(
        self, namespace: str, job: BackfillJob, connector: Mapping[str, Any] | None
    ) -> Condition | None:
        type_ = ConditionType.RESOLVED_REFS
        if connector is None:
            text = f"there is no Connector {job.spec.connector_ref}; create it or name another"
            return failed(type_, Reason.CONNECTOR_NOT_FOUND, text)
        if not self._registry.has_switchboard(namespace):
            return failed(type_, Reason.SWITCHBOARD_NOT_FOUND, "the household has no Butler switchboard")
        return None

    async def _bring(self, body: Body, job: BackfillJob, connector: Mapping[str, Any]) -> Row:
        """Return the job's row, created and moved as the manifest says."""
        ops = self._runtime.ops(body["metadata"]["namespace"])
        asked = create_body(job, body, connector)
        row = await self._find(ops, body) or row_of(await ops.request("POST", "/backfills", asked))
        for _ in range(3):  # limits, then a state; a person acting in between costs one more
            verb = next_verb(job.spec, row)
            if verb is None:
                break
            row = await self._do(ops, body, row, verb, asked)
        return row

    async def _do(self, ops: OpsClient, body: Body, row: Row, verb: Verb, asked: dict[str, Any]) -> Row:
        if verb == "limits":
            return row_of(await ops.request("POST", "/backfills", asked))
        act = {"owner": owner_name(body), "reason": f"spec.suspend is {str(verb == 'pause').lower()}"}
        try:
            return row_of(await ops.request("POST", f"/backfills/{row.job_id}/{verb}", act))
        except OpsRefused as error:
            if error.status != CONFLICT:
                raise
        # The job changed between the read and the request: read it again.
        return row_of(await ops.request("GET", f"/backfills/{row.job_id}"))

    async def _find(self, ops: OpsClient, body: Body) -> Row | None:
        """Find the row by the id in the status, else by the resource's UID."""
        job_id = (body.get("status") or {}).get("jobId")
        if job_id:
            try:
                return row_of(await ops.request("GET", f"/backfills/{job_id}"))
            except OpsNotFound:
                _log.warning("backfill_row_gone", name=body["metadata"]["name"], job_id=job_id)
        found = await ops.request("GET", "/backfills", query={"external_id": body["metadata"]["uid"]})
        return next((row_of(job) for job in found.get("jobs") or ()), None)

    async def _unreachable(self, body: Body, problem: str) -> Outcome:
        """Ignore a short silence; report a long one, or one before the first answer."""
        namespace = body["metadata"]["namespace"]
        view = self._registry.view(namespace)
        known = (body.get("status") or {}).get("jobId") is not None
        if not known or (view is not None and not view.heard):
            progressing = unknown(ConditionType.PROGRESSING, Reason.SWITCHBOARD_UNREACHABLE, problem)
            told = (progressing,) if known else waiting(_resolved(), progressing)
            await self._tell(body, told)
        return requeue(self._runtime.settings.retry_s, problem)

    async def _refused(self, body: Body, error: OpsRefused) -> Outcome:
        if error.status == CONFLICT:
            offline = passed(ConditionType.CONNECTOR_OFFLINE, Reason.CONNECTOR_IS_OFFLINE, error.message)
            progressing = failed(ConditionType.PROGRESSING, Reason.CONNECTOR_IS_OFFLINE, error.message)
            await self._tell(body, waiting(_resolved(), progressing, offline=offline))
            return requeue(self._runtime.settings.retry_s, "the connector is offline")
        refused = failed(ConditionType.ACCEPTED, Reason.REFUSED, error.message, terminal=True)
        await self._tell(body, (refused, failed(ConditionType.PROGRESSING, Reason.REFUSED, error.message)))
        return done()

    async def _mirror(self, body: Body, row: Row) -> None:
        now = self._runtime.clock.now()
        await self._tell(body, conditions(row), fields(row, body.get("status") or {}, now=now))

    async def _tell(
        self,
        body: Body,
        told: Sequence[Condition],
        more: Mapping[str, Any] | None = None,
        *,
        advance: bool = True,
    ) -> None:
        """Write the status if it changed, then the events of the change."""
        old = body.get("status") or {}
        generation = body["metadata"].get("generation", 0)
        seen = {"observedGeneration": generation} if advance else {}
        now = self._runtime.clock.now()
        patch = patch_of(old, {**seen, **(more or {})}, told, generation=generation, now=now)
        if patch is None:
            return
        written = await self._runtime.cluster.write_status(body, patch)
        self._runtime.metrics.count("butlers.operator.writes", kind="BackfillJob", verb="status")
        self._runtime.observed.put(written)
        await self._runtime.events.record(body, *events(old, told))


def _resolved() -> Condition:
    return passed(ConditionType.RESOLVED_REFS, Reason.RESOLVED, "the connector exists")


def _blocked() -> Condition:
    return failed(ConditionType.PROGRESSING, Reason.BLOCKED, "blocked by ResolvedRefs")
