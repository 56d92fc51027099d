"""The one place where the operator's parts meet: clients, what was observed, the queue, and a reconciler for each kind.

A kind is added by `runtime.register(kind, reconcile)` and a handler file that feeds `runtime.observed` and
`runtime.queue`; nothing else needs to know it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import httpx

from butler_kit.auth import TokenFile
from butler_kit.time import Clock, SystemClock
from butler_operator.cluster.client import Cluster
from butler_operator.cluster.events import EventRecorder
from butler_operator.control.observed import Observed
from butler_operator.control.queue import Reconcile, WorkQueue
from butler_operator.gateways.ops import OpsClient
from butler_operator.metrics import OperatorMetrics
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.outcome import Outcome, done
from butler_operator.settings import OperatorSettings
from butler_resources.kinds import Butler, ManifestError
from butler_resources.kinds.objects import parse_object
from butler_resources.render.profiles import default_port

__all__ = ["Runtime"]


@dataclass
class Runtime:
    """Everything a reconciler needs; made at start-up, closed at the end."""

    settings: OperatorSettings
    cluster: Cluster
    http: httpx.AsyncClient
    clock: Clock = field(default_factory=SystemClock)
    metrics: OperatorMetrics = field(default_factory=OperatorMetrics)
    observed: Observed = field(default_factory=Observed)

    def __post_init__(self) -> None:
        self.events = EventRecorder(self.cluster, clock=self.clock)
        self.queue = WorkQueue(
            self._reconcile,
            clock=self.clock,
            metrics=self.metrics,
            workers=self.settings.workers,
            jitter=lambda: random.uniform(0.8, 1.2),
        )
        self._reconcilers: dict[str, Reconcile] = {}

    def register(self, kind: str, reconcile: Reconcile) -> None:
        """Let `reconcile` answer for every key of `kind`."""
        self._reconcilers[kind] = reconcile

    async def _reconcile(self, key: Key) -> Outcome:
        reconcile = self._reconcilers.get(key.kind)
        return done() if reconcile is None else await reconcile(key)

    def ops(self, namespace: str, service: str = "switchboard") -> OpsClient:
        """The ops API of `switchboard` or `messenger` in a household; the token names that receiver."""
        url = self.settings.ops_url.format(
            name=service, namespace=namespace, port=self._port(namespace, service)
        )
        token = TokenFile(self.settings.tokens_dir / service)
        return OpsClient(self.http, base_url=url, service=service, token=token.read)

    def _port(self, namespace: str, service: str) -> int:
        body = self.observed.get("Butler", namespace, service)
        spec = {"role": service}
        try:
            butler = parse_object(Butler, body) if body is not None else None
        except ManifestError:
            butler = None
        if butler is None:
            document = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Butler", "metadata": {"name": service}}
            butler = parse_object(Butler, {**document, "spec": spec})
        return default_port(butler)

    async def close(self) -> None:
        """Close every connection."""
        await self.http.aclose()
        await self.cluster.close()
