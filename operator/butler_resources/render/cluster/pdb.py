"""PodDisruptionBudgets: only where one pod can go and another stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_resources.kinds import Butler
from butler_resources.render.cluster.names import metadata_of, selector_of
from butler_resources.render.cluster.place import Place

__all__ = ["render_pdb"]


def render_pdb(butler: Butler, place: Place, owner: Mapping[str, str]) -> dict[str, Any] | None:
    """None for a butler of one pod: its budget would only keep nodes from being drained."""
    if butler.spec.suspend or butler.spec.replicas < 2:
        return None
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata_of(butler, place.namespace, owner),
        "spec": {
            "maxUnavailable": 1,
            # A pod that never became ready must not keep its node from being drained.
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": selector_of(butler)},
        },
    }
