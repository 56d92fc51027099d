"""The volume for a connector's checkpoint file and the refusals noted beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_resources.kinds import Connector
from butler_resources.kinds.quantities import canonical
from butler_resources.kinds.storage import Storage
from butler_resources.render.cluster.names import metadata_of
from butler_resources.render.cluster.place import Place

__all__ = ["WRITTEN_ONCE", "keeps_checkpoint", "render_pvc"]

WRITTEN_ONCE: Final = frozenset({"PersistentVolumeClaim"})
"""Kinds that are created and then left alone.

The API server always refuses another class or a smaller size, so a place with new settings would keep every connector
from being reconciled. A larger size is handled separately (`butler_operator.control.volumes`).
"""


def keeps_checkpoint(connector: Connector) -> bool:
    """Whether the connector resumes from a file of its own; a webhook has nothing to resume."""
    return connector.spec.checkpoint == "file" and connector.spec.type != "webhook"


def render_pvc(connector: Connector, place: Place, owner: Mapping[str, str]) -> dict[str, Any] | None:
    """Render the volume claim; None for a connector without a checkpoint file."""
    if not keeps_checkpoint(connector):
        return None
    said = connector.spec.storage or Storage()
    spec: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": canonical(said.size or place.storage_size)}},
    }
    storage_class = said.class_name or place.storage_class
    if storage_class is not None:
        spec["storageClassName"] = storage_class
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata_of(connector, place.namespace, owner),
        "spec": spec,
    }
