"""HTTPRoutes of webhooks: a kind that a cluster may lack, so it is queried instead of watched.

`look` is called before a Connector is rendered; `conditions` says whether its webhook is published.
"""

from __future__ import annotations

from typing import Any, Final

from butler_operator.cluster.errors import ClusterGone
from butler_operator.control.runtime import Runtime
from butler_operator.reconcile.conditions import Condition
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.published import published
from butler_resources.kinds import Connector
from butler_resources.kinds.connector import Webhook
from butler_resources.render.cluster import child_name
from butler_resources.render.cluster.exposure import GATEWAY_API

__all__ = ["Routes"]

ROUTE: Final = "HTTPRoute"
FRESH_S: Final = 60.0
KEPT: Final = 1_000


class Routes:
    """Keeps `runtime.gateway_api` and the observed routes in line with the cluster."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._asked: float | None = None
        self._webhooks: dict[Key, Webhook] = {}

    async def look(self, key: Key, connector: Any) -> None:
        """Record whether the kind exists, and the route of `connector`. Raises `ClusterError`s."""
        webhook = connector.spec.webhook if isinstance(connector, Connector) else None
        if webhook is None:
            return
        if len(self._webhooks) > KEPT:
            self._webhooks.clear()
        self._webhooks[key] = webhook
        name, observed = child_name(connector), self._runtime.observed
        known = observed.get(ROUTE, key.namespace, name)
        if not await self._served(now_wanted=webhook.http_route is not None):
            if known is not None:
                observed.drop(known)
            return
        there = await self._runtime.cluster.get(ROUTE, key.namespace, name)
        if there is not None:
            observed.put(there)
        elif known is not None:
            observed.drop(known)

    def conditions(self, key: Key) -> tuple[Condition, ...]:
        """Return `Published` for a webhook that asks for an Ingress or an HTTPRoute."""
        webhook = self._webhooks.get(key)
        if webhook is None:
            return ()
        route = next(iter(self._runtime.observed.children(key, {ROUTE})), None)
        told = published(webhook, route, gateway_api=self._runtime.gateway_api)
        return () if told is None else (told,)

    async def _served(self, *, now_wanted: bool) -> bool:
        """Whether the cluster has the kind; checked now and then, since it may come or go."""
        now = self._runtime.clock.monotonic()
        if self._asked is not None and now - self._asked < FRESH_S:
            return self._runtime.gateway_api
        try:
            found = await self._runtime.cluster.request("GET", f"/apis/{GATEWAY_API}")
            kinds = [resource.get("kind") for resource in found.get("resources") or []]
            self._runtime.gateway_api = ROUTE in kinds
        except ClusterGone:
            self._runtime.gateway_api = False
        self._asked = now if self._runtime.gateway_api or not now_wanted else None
        return self._runtime.gateway_api
