"""The volume of a connector's checkpoint: how large, and of which class; it grows and never shrinks."""

from __future__ import annotations

from pydantic import Field

from butler_resources.kinds.base import ObjectName, ResourceModel
from butler_resources.kinds.quantities import Bytes
from butler_resources.kinds.rules import Rule

__all__ = ["STORAGE_RULES", "Storage"]


class Storage(ResourceModel):
    """Requested volume. Each value defaults to the installation's."""

    class_name: ObjectName | None = Field(
        default=None, description="StorageClass of a new volume. An existing volume keeps its own."
    )
    size: Bytes | None = Field(
        default=None,
        description="Size, such as 1Gi. Increasing it expands the volume, if its class allows it.",
    )


STORAGE_RULES = (
    Rule(
        cel="!has(oldSelf.storage) || !has(oldSelf.storage.size) || !has(self.storage) || "
        "!has(self.storage.size) || "
        "quantity(self.storage.size).compareTo(quantity(oldSelf.storage.size)) >= 0",
        message="a volume never becomes smaller; set `storage.size` to its previous value, or remove it",
        path=".storage",
    ),
    Rule(
        cel="self.type != 'webhook' || !has(self.storage)",
        message="a webhook has no checkpoint to keep; remove `storage`",
        holds=lambda spec: spec.type != "webhook" or spec.storage is None,
        path=".storage",
    ),
    Rule(
        cel="self.checkpoint == 'file' || !has(self.storage)",
        message="Switchboard keeps the checkpoint; remove `storage`",
        holds=lambda spec: spec.checkpoint == "file" or spec.storage is None,
        path=".storage",
    ),
)
"""Rules of `ConnectorSpec`."""
