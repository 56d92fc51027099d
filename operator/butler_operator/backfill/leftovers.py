"""Cancel the jobs of deleted BackfillJobs, even those deleted while the operator was not running (D34).

Switchboard is queried when a BackfillJob was deleted, at start and with each resync, not with every beat. Invariant:
a job is cancelled only when the API server itself says that the resource with its UID is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.backfill.row import ENDED, owner_name
from butler_operator.cluster.errors import ClusterError
from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsClient, OpsNotFound, OpsRefused
from butler_operator.reconcile.registry import RegistryView
from butler_operator.reconcile.resource import is_deleting
from butler_resources.kinds.statuses import BackfillState

__all__ = ["OrphanedJobs"]

_log = get_logger(__name__)
LIVE: Final = tuple(state for state in BackfillState if state not in ENDED)
MOST: Final = "500"
Job = Mapping[str, Any]


class OrphanedJobs:
    """Cancels orphaned jobs: `tidy` runs with the registry's beat; `look` makes the next beat query again."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._looked: set[str] = set()

    def look(self, namespace: str) -> None:
        """Note that a BackfillJob of the namespace may have been deleted."""
        self._looked.discard(namespace)

    async def tidy(self, namespace: str, view: RegistryView, ops: OpsClient) -> None:
        """Cancel orphaned jobs. Raises `OpsUnavailable`; then the next beat tries again."""
        if namespace in self._looked or namespace not in self._runtime.listed:
            return
        self._looked.add(namespace)
        try:
            for job in await self._live(ops, namespace):
                if await self._is_orphaned(namespace, job):
                    await self._cancel(ops, namespace, job)
        except BaseException:
            self._looked.discard(namespace)
            raise

    async def _live(self, ops: OpsClient, namespace: str) -> list[Job]:
        """Return the jobs of this namespace's resources that a connector may still work on."""
        live: list[Job] = []
        for state in LIVE:
            try:
                found = await ops.request("GET", "/backfills", query={"status": state.value, "limit": MOST})
            except OpsNotFound:
                return []
            live += _made_by_manifest(found.get("jobs") or (), namespace)
        return live

    async def _is_orphaned(self, namespace: str, job: Job) -> bool:
        name, uid = str(job["owner"]).rpartition("/")[2], job["external_id"]
        try:
            body = await self._runtime.cluster.get("BackfillJob", namespace, name)
        except ClusterError as error:
            _log.debug("leftover_unproved", namespace=namespace, job=name, problem=error.message)
            self._looked.discard(namespace)
            return False
        return body is None or body["metadata"].get("uid") != uid or is_deleting(body)

    async def _cancel(self, ops: OpsClient, namespace: str, job: Job) -> None:
        act = {"owner": job["owner"], "reason": "the resource was deleted"}
        try:
            await ops.request("POST", f"/backfills/{job['job_id']}/cancel", act)
        except OpsRefused as error:  # it ended meanwhile
            _log.debug("backfill_not_cancelled", namespace=namespace, problem=error.message)
        else:
            _log.info("backfill_cancelled", namespace=namespace, job=job["owner"])


def _made_by_manifest(jobs: Any, namespace: str) -> Iterator[Job]:
    ours = owner_name({"metadata": {"namespace": namespace, "name": ""}})
    for job in jobs:
        if job.get("external_id") and str(job.get("owner") or "").startswith(ours):
            yield job
