"""The specifics of a Connector: its children, its references, its binding, its status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from butler_operator.reconcile.conditions import Condition, stamp
from butler_operator.reconcile.registry import RegistryView, online
from butler_operator.reconcile.scaling import scaling
from butler_operator.reconcile.source import reachable
from butler_operator.reconcile.workload import Workload
from butler_resources.kinds import Connector, SecretRef
from butler_resources.kinds.conditions import ConditionType
from butler_resources.kinds.objects import parse_object
from butler_resources.kinds.overlap import same_endpoint
from butler_resources.render.cluster import Place, render_connector
from butler_resources.render.cluster.exposure import published_at
from butler_resources.render.cluster.pvc import keeps_checkpoint

__all__ = ["ConnectorRules", "age_of", "identity_of"]

Body = Mapping[str, Any]


def identity_of(connector: Connector) -> tuple[str, str]:
    """Return a connector's identity in the registry: type and endpoint."""
    return connector.spec.type, connector.spec.endpoint_identity


class ConnectorRules:
    """See `resource.Rules`; no state."""

    kind = "Connector"

    def parse(self, body: Body) -> Connector:
        return parse_object(Connector, body)

    def unavailable(self, connector: Connector) -> str | None:
        return None

    def in_registry(self, connector: Connector) -> bool:
        return True

    def switchboard(self, connector: Connector) -> str | None:
        return connector.spec.switchboard_ref

    def database(self, connector: Connector, place: Place) -> SecretRef | None:
        return None

    def contacts(self, connector: Connector) -> SecretRef | None:
        return None

    def taken_by(self, connector: Connector, body: Body, others: Iterable[Body]) -> str | None:
        """Return why an older connector has the endpoint: two of them would read it twice."""
        for other in others:
            found = same_endpoint(body.get("spec") or {}, other.get("spec") or {}, other["metadata"]["name"])
            if found is not None and age_of(other) < age_of(body):
                return found.words
        return None

    def suspended(self, connector: Connector) -> bool:
        return connector.spec.suspend

    def render(
        self, connector: Connector, place: Place, *, owner: Mapping[str, str], inputs: Mapping[str, str]
    ) -> Sequence[dict[str, Any]]:
        return render_connector(connector, place, owner=owner, inputs=inputs)

    def more_conditions(
        self, connector: Connector, workload: Workload, view: RegistryView | None
    ) -> tuple[Condition, ...]:
        identity = identity_of(connector)
        return () if view is None else (online(identity, view), reachable(identity, view))

    def void(self, connector: Connector) -> frozenset[str]:
        applies = {
            ConditionType.PUBLISHED: published_at(connector.spec.webhook) is not None,
            ConditionType.STORAGE_CURRENT: keeps_checkpoint(connector),
        }
        return frozenset(type_ for type_, does in applies.items() if not does)

    def fields(
        self, connector: Connector, workload: Workload, view: RegistryView | None, old: Body, now: datetime
    ) -> dict[str, Any]:
        url = published_at(connector.spec.webhook)
        fields = {**scaling(connector, workload), "webhook": None if url is None else {"url": url}}
        if view is None or not view.heard:
            return fields
        standing = view.connectors.get(identity_of(connector))
        if standing is None:
            return {**fields, "liveness": None}
        before = old.get("liveness") or {}
        unchanged = before.get("state") == standing.liveness and before.get("since")
        return {
            **fields,
            "liveness": {**standing.to_status(), "since": before["since"] if unchanged else stamp(now)},
        }


def age_of(body: Body) -> tuple[str, str]:
    """Sort key for resources: by age, those of the same second by name."""
    return str(body["metadata"].get("creationTimestamp", "")), body["metadata"]["name"]
