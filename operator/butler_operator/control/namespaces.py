"""The state of each namespace to serve: its metric, and an event and a log line on every change.

Events are recorded on the operator's own Deployment, in its own namespace: it may lack the rights for the other one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.client import Cluster
from butler_operator.cluster.errors import ClusterError
from butler_operator.cluster.events import EventRecorder
from butler_operator.cluster.paths import OWN_KINDS, path_of
from butler_operator.metrics import OperatorMetrics
from butler_operator.reconcile.notices import Notice
from butler_operator.reconcile.standing import SERVED, Standing, Why, of_listing, of_namespace, of_reading

__all__ = ["Namespaces", "look"]

_log = get_logger(__name__)
OPERATOR: Final = "butlers-operator"
METRIC: Final = "butlers.operator.namespace_watched"


async def look(cluster: Cluster, namespace: str) -> Standing:
    """Check whether the namespace and our kinds exist and may be read. Changes nothing."""
    try:
        standing = of_namespace(namespace, await cluster.request("GET", f"/api/v1/namespaces/{namespace}"))
    except ClusterError as error:
        standing = of_reading(namespace, error)
    if not standing.served:
        return standing
    for kind in OWN_KINDS:
        try:
            await cluster.request("GET", path_of(kind.kind, namespace), query={"limit": 1})
        except ClusterError as error:
            return of_listing(namespace, f"{kind.plural}.{kind.group}", error)
    return SERVED


class Namespaces:
    """`tell` is called after every look, `let_go` when a namespace is no longer to be served."""

    def __init__(
        self, cluster: Cluster, events: EventRecorder, metrics: OperatorMetrics, *, home: str | None
    ) -> None:
        self._cluster = cluster
        self._events = events
        self._metrics = metrics
        self._home = home
        self._known: dict[str, Standing] = {}

    def standings(self) -> Mapping[str, Standing]:
        """Return each namespace's standing, by name."""
        return dict(sorted(self._known.items()))

    async def tell(self, namespace: str, standing: Standing) -> None:
        """Record a namespace's standing; log and report it if it changed."""
        before = self._known.get(namespace)
        self._known[namespace] = standing
        self._metrics.set(METRIC, float(standing.served), namespace=namespace)
        if before is not None and before.why is standing.why:
            return
        say = _log.info if standing.served else _log.warning
        say("namespace", namespace=namespace, reason=standing.why.value, said=standing.message)
        if before is not None or not standing.served:
            await self._record(namespace, standing)

    async def let_go(self, namespace: str) -> None:
        """Forget a namespace that is no longer to be served."""
        if self._known.pop(namespace, None) is not None:
            self._metrics.forget(METRIC, namespace=namespace)
            _log.info("namespace_let_go", namespace=namespace)

    async def _record(self, namespace: str, standing: Standing) -> None:
        if self._home is None:
            return
        try:
            regarding = await self._cluster.get("Deployment", self._home, OPERATOR)
        except ClusterError as error:
            _log.warning("event_not_written", reason=standing.why.value, problem=error.message)
            return
        if regarding is not None:
            wrong = standing.why not in (Why.SERVED, Why.TERMINATING)
            text = f"namespace {namespace}: {standing.message}"
            notice = Notice("Warning" if wrong else "Normal", standing.why.value, text, action="Watch")
            await self._events.record(regarding, notice)
