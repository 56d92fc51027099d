"""Kubernetes' own `ConfigMap` (v1), as far as a manifest directory may contain it: what manifests read by name."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from butler_resources.kinds.base import Metadata, ResourceModel

__all__ = ["ConfigMap"]


class ConfigMap(ResourceModel):
    """A Kubernetes ConfigMap."""

    api_version: Literal["v1"] = Field(description="API version.")
    kind: Literal["ConfigMap"] = Field(description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    data: dict[str, str] = Field(default_factory=dict, description="Texts by key.")

    @property
    def name(self) -> str:
        """The name that a reference uses."""
        return self.metadata.name
