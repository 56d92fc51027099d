"""ServiceAccounts: a pod's identity. Its token is projected for one receiver and has no rights at the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from butler_resources.kinds import Butler, Connector
from butler_resources.kinds.names import (
    LABEL_COMPONENT,
    LABEL_MANAGED_BY,
    LABEL_NAME,
    LABEL_PART_OF,
    MANAGED_BY,
    PART_OF,
)
from butler_resources.render.cluster.names import READER, metadata_of
from butler_resources.render.cluster.place import Place

__all__ = ["render_reader", "render_serviceaccount"]


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


def render_reader(place: Place) -> dict[str, Any]:
    """The account of people who read the household, as the chart makes it; it has no owner."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {
            "name": READER,
            "namespace": place.namespace,
            "labels": {
                LABEL_NAME: READER,
                LABEL_COMPONENT: "reader",
                LABEL_PART_OF: PART_OF,
                LABEL_MANAGED_BY: MANAGED_BY,
            },
        },
        "automountServiceAccountToken": False,
    }
