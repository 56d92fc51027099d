"""The operator's shared parts: clients, observed objects, the queue, and a reconciler for each kind.

A kind is added by `runtime.register(kind, reconcile)` and a handler file that feeds `runtime.observed` and
`runtime.queue`; nothing else needs to know it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import httpx

from butler_kit.auth import TokenFile
from butler_kit.time import Clock, SystemClock
from butler_operator.cluster.client import Cluster
from butler_operator.cluster.events import EventRecorder
from butler_operator.control.households import Households
from butler_operator.control.observed import Observed
from butler_operator.control.place import place_for
from butler_operator.control.queue import Reconcile, WorkQueue
from butler_operator.gateways.ops import OpsClient
from butler_operator.metrics import OperatorMetrics
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.outcome import Outcome, done
from butler_operator.settings import OperatorSettings
from butler_resources.kinds import Butler, Connector, ManifestError
from butler_resources.kinds.objects import parse_object
from butler_resources.render.cluster import Place

__all__ = ["Runtime"]

PARSED_MAX: Final = 5_000
_MODELS: Final[Mapping[str, type[Butler] | type[Connector]]] = {"Butler": Butler, "Connector": Connector}
_OPS_PORTS: Final = {"switchboard": 40100, "messenger": 40104}
"""Ports of the two Services, which no manifest changes (`render.cluster.names.service_port`)."""


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
        self.listed: set[str] = set()
        """Namespaces whose watched objects are all in `observed`; elsewhere an object it lacks may exist."""
        self.served: set[str] = set()
        """Namespaces that are watched now."""
        self.stale: set[str] = set()
        """Those of them to watch anew, because their watches miss changes."""
        self.gateway_api = False
        """Whether the cluster has HTTPRoutes, as `control.routes` last saw."""
        self._reconcilers: dict[str, Reconcile] = {}
        self.households = Households(self.observed)
        self._places: dict[str, Place] = {}
        self._parsed: dict[tuple[Any, Any], Butler | Connector | None] = {}

    def register(self, kind: str, reconcile: Reconcile) -> None:
        """Use `reconcile` for every key of `kind`."""
        self._reconcilers[kind] = reconcile

    def forget(self, namespace: str) -> None:
        """Forget a namespace that is no longer watched: its observed objects may be out of date."""
        self.served.discard(namespace)
        self.stale.discard(namespace)
        self.listed.discard(namespace)
        self.observed.forget(namespace)

    async def _reconcile(self, key: Key) -> Outcome:
        if key.namespace not in self.listed:
            return done()  # half-listed, objects would look deleted; the listing brings the key back
        reconcile = self._reconcilers.get(key.kind)
        return done() if reconcile is None else await reconcile(key)

    def ops(self, namespace: str, service: str = "switchboard") -> OpsClient:
        """Return a client for the ops API of `switchboard` or `messenger` in a household, with its token."""
        port = _OPS_PORTS[service]
        url = self.settings.ops_url.format(name=service, namespace=namespace, port=port)
        token = TokenFile(self.settings.tokens_dir / service)
        return OpsClient(self.http, base_url=url, service=service, token=token.read)

    def place(self, namespace: str) -> Place:
        """Return how pods are made in `namespace`."""
        if namespace not in self._places:
            self._places[namespace] = place_for(self.settings, namespace)
        household = self.households.of(namespace)
        return replace(self._places[namespace], household=household, gateway_api=self.gateway_api)

    def parsed(self, kind: str, namespace: str) -> Iterator[tuple[Butler | Connector, Mapping[str, Any]]]:
        """Every valid Butler or Connector of a namespace with its object; invalid ones are left out."""
        for body in self.observed.of_kind(kind, namespace):
            resource = self._parse(body)
            if resource is not None:
                yield resource, body

    def _parse(self, body: Mapping[str, Any]) -> Butler | Connector | None:
        metadata = body["metadata"]
        known = (metadata.get("uid"), metadata.get("generation"))
        if known not in self._parsed:
            if len(self._parsed) > PARSED_MAX:
                self._parsed.clear()
            try:
                self._parsed[known] = parse_object(_MODELS[body["kind"]], body)
            except ManifestError:
                self._parsed[known] = None
        return self._parsed[known]

    async def close(self) -> None:
        """Close every connection."""
        await self.http.aclose()
        await self.cluster.close()
