"""Periodic backup for the watches: list what is watched, take in what was missed, reconcile everything.

kopf keeps an object whose deletion fell into a gap of the watch, and a watcher that ended silently reports nothing at
all (nolar/kopf#1276). Invariants: a namespace whose watches missed changes twice in a row is watched anew; where that
helps in no namespace, the liveness probe fails.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.backfill.leftovers import OrphanedJobs
from butler_operator.cluster.errors import ClusterError
from butler_operator.cluster.paths import CHILD_KINDS, OWN_KINDS, POD, api_kind
from butler_operator.control.registry import Registry
from butler_operator.control.runtime import Runtime
from butler_operator.control.secrets import Secrets
from butler_operator.reconcile.key import Key, is_own, parent_of
from butler_resources.kinds.names import LABEL_MANAGED_BY, MANAGED_BY

__all__ = ["ANEW_AFTER", "Resync"]

_log = get_logger(__name__)
SELECTOR: Final = f"{LABEL_MANAGED_BY}={MANAGED_BY}"
LISTED: Final[tuple[tuple[str, str | None], ...]] = (
    *((kind.kind, None) for kind in OWN_KINDS),
    *((kind.kind, SELECTOR) for kind in (*CHILD_KINDS, POD)),
)
"""Everything that is watched."""
ANEW_AFTER: Final = 2
"""Rounds in a row with missed changes after which a namespace is watched anew."""
SETTLE_S: Final = 5.0
"""How far a watch may lag behind a listing; anything not reported by then counts as missed."""


class Resync:
    """`run` owns the rounds; `behind` is for the probe."""

    def __init__(
        self,
        runtime: Runtime,
        *,
        secrets: Secrets,
        registry: Registry,
        orphans: OrphanedJobs,
        jitter: Callable[[], float] = lambda: random.uniform(0.9, 1.1),
    ) -> None:
        self._runtime = runtime
        self._secrets = secrets
        self._registry = registry
        self._orphans = orphans
        self._jitter = jitter
        self.behind: Mapping[str, int] = {}
        """Rounds in a row in which a namespace's watches had missed something."""
        self.last_round = runtime.clock.monotonic()

    @property
    def rounds_behind(self) -> int:
        """Rounds in a row in which the watches had missed something in every served namespace."""
        return min((self.behind.get(name, 0) for name in self._runtime.served), default=0)

    async def run(self) -> None:
        """Resync until cancelled; a round that fails is only late."""
        while True:
            await asyncio.sleep(self._runtime.settings.resync_s * self._jitter())
            await self.now()

    async def now(self) -> None:
        """Run a round, logging a failure instead of raising it."""
        try:
            await self.round()
        except Exception:
            _log.exception("resync_failed")

    async def round(self) -> None:
        """Run one round: list, compare, expire Secrets, reconcile every resource."""
        await self._compare_everywhere()
        self._secrets.expire()
        self._registry.retell()
        for namespace in sorted(self._runtime.listed):
            self._runtime.queue.add(Key.household(namespace))
            self._runtime.queue.add(Key.rollups(namespace))
            self._orphans.look(namespace)
            for own in OWN_KINDS:
                for body in self._runtime.observed.of_kind(own.kind, namespace):
                    self._runtime.queue.add(Key.of(body))
        self.last_round = self._runtime.clock.monotonic()

    async def _compare_everywhere(self) -> None:
        behind, missed = dict[str, int](), 0
        for namespace in sorted(self._runtime.served):
            behind[namespace] = self.behind.get(namespace, 0)
            try:
                found = len(await self._compare_all(namespace))
            except ClusterError as error:  # the round goes on for the others
                _log.warning("resync_failed", namespace=namespace, problem=error.message)
                continue
            behind[namespace] = behind[namespace] + 1 if found else 0
            if found and behind[namespace] % ANEW_AFTER == 0:
                self._runtime.stale.add(namespace)
            missed += found
        self.behind = behind
        self._runtime.metrics.set("butlers.operator.watch_behind", missed)

    async def _compare_all(self, namespace: str) -> list[dict[str, Any]]:
        missed: list[dict[str, Any]] = []
        for kind, selector in LISTED:
            missed += await self._compare(kind, namespace, selector)
        if namespace in self._runtime.served:
            self._runtime.listed.add(namespace)
        return missed

    async def _compare(self, kind: str, namespace: str, selector: str | None) -> list[dict[str, Any]]:
        """Return what the watch of a kind has not reported `SETTLE_S` after a listing showed it."""
        observed, known = self._runtime.observed, api_kind(kind)
        before = observed.uids(kind, namespace)
        listed = await self._runtime.cluster.list_all(kind, namespace, label_selector=selector)
        # List items carry neither kind nor apiVersion.
        bodies = [{**body, "kind": kind, "apiVersion": known.api_version} for body in listed]
        if not any(observed.missed(kind, namespace, bodies, before)):
            return []
        await asyncio.sleep(SETTLE_S)
        if namespace not in self._runtime.served:
            return []
        later, gone = observed.missed(kind, namespace, bodies, before)
        gone = [body for body in gone if await self._is_gone(body)]
        for body in later:
            observed.put(body)
        for body in gone:
            observed.drop(body)
        for body in (*later, *gone):
            self._runtime.queue.add(Key.of(body) if is_own(kind) else parent_of(body))
        if later or gone:
            _log.warning("watch_missed", kind=kind, namespace=namespace, later=len(later), gone=len(gone))
        return [*later, *gone]

    async def _is_gone(self, body: dict[str, Any]) -> bool:
        """Whether the API server confirms it: lists may be old, and no watch reports a forgotten object."""
        kind, metadata = body["kind"], body["metadata"]
        found = await self._runtime.cluster.get(kind, metadata["namespace"], metadata["name"])
        return found is None or found["metadata"]["uid"] != metadata.get("uid")
