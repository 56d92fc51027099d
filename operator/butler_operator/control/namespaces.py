"""What is known of each namespace that is to be served: its metric, and an event and a log line when that changes.

The events are the operator's own (its Deployment, its namespace): nothing can be written where nothing may be done.
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
    """One look: is the namespace there, are our kinds there, may they be read? Changes nothing."""
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
    """`tell` with every look, `let_go` when a namespace is not to be served any more."""

    def __init__(
        self, cluster: Cluster, events: EventRecorder, metrics: OperatorMetrics, *, home: str | None
    ) -> None:
        self._cluster = cluster
        self._events = events
        self._metrics = metrics
        self._home = home
        self._known: dict[str, Standing] = {}

    def standings(self) -> Mapping[str, Standing]:
        """How each stands, by name."""
        return dict(sorted(self._known.items()))

    async def tell(self, namespace: str, standing: Standing) -> None:
        """Note how a namespace stands, and say so if it is news."""
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
        """Nobody asks for it any more."""
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
