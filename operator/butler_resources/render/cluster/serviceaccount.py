"""ServiceAccounts: a pod's identity. Its token is projected for one receiver and has no rights at the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_resources.kinds import Butler, Connector
from butler_resources.render.cluster.names import metadata_of
from butler_resources.render.cluster.place import Place

__all__ = ["render_serviceaccount"]


def render_serviceaccount(
    resource: Butler | Connector, place: Place, owner: Mapping[str, str]
) -> dict[str, Any]:
    """The identity of the pods of `resource`."""
    metadata = metadata_of(resource, place.namespace, owner)
    said = place.pod.service_account_annotations
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata | ({"annotations": dict(said)} if said else {}),
        "automountServiceAccountToken": False,
    }
