"""What `kubectl scale` and autoscalers read of a resource: its pods' number and selector (pure)."""

from __future__ import annotations

from typing import Any

from butler_operator.reconcile.workload import Workload
from butler_resources.kinds import Butler, Connector
from butler_resources.render.cluster import selector_of

__all__ = ["scaling"]


def scaling(resource: Butler | Connector, workload: Workload) -> dict[str, Any]:
    """Return the status fields behind the scale subresource; numbers only once the Deployment was seen."""
    labels = ",".join(f"{key}={value}" for key, value in sorted(selector_of(resource).items()))
    fields: dict[str, Any] = {"selector": labels}
    if workload.known:
        fields |= {"replicas": workload.existing, "readyReplicas": workload.ready}
    return fields
