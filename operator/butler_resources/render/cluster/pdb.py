"""PodDisruptionBudgets: only where one pod can go and another stays, by default one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.disruption import DisruptionBudget
from butler_resources.render.cluster.names import metadata_of, selector_of
from butler_resources.render.cluster.place import Place

__all__ = ["render_pdb"]


def render_pdb(resource: Butler | Connector, place: Place, owner: Mapping[str, str]) -> dict[str, Any] | None:
    """Render the budget; None for one pod, where it would only block node drains, or if none is wanted."""
    budget = place.pod.disruption_budget or DisruptionBudget()
    if resource.spec.suspend or resource.spec.replicas < 2 or not budget.enabled:
        return None
    if budget.min_available is None:
        bound = {"maxUnavailable": 1 if budget.max_unavailable is None else budget.max_unavailable}
    else:
        bound = {"minAvailable": budget.min_available}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata_of(resource, place.namespace, owner),
        "spec": {
            **bound,
            # A pod that never became ready must not keep its node from being drained.
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": selector_of(resource)},
        },
    }
