"""Kubernetes' own `Secret` (v1), as far as a manifest directory may contain it.

So that one directory serves both places: `kubectl apply` creates it, and the local place reads it when
neither its own secrets nor the environment have the value. Values never show in a repr, an error or a log.
"""

from __future__ import annotations

import base64
import binascii
from typing import Literal

from pydantic import Field, model_validator

from butler_resources.kinds.base import Metadata, ResourceModel, SecretRef

__all__ = ["Secret"]


class Secret(ResourceModel):
    """A Kubernetes Secret."""

    api_version: Literal["v1"] = Field(description="API version.")
    kind: Literal["Secret"] = Field(description="Kind.")
    metadata: Metadata = Field(description="Name and labels.")
    type: str = Field(default="Opaque", description="Type of the Secret, as in Kubernetes.")
    string_data: dict[str, str] = Field(default_factory=dict, repr=False, description="Values as text.")
    data: dict[str, str] = Field(default_factory=dict, repr=False, description="Values in base64.")

    @property
    def name(self) -> str:
        """The name that a reference uses."""
        return self.metadata.name

    @model_validator(mode="after")
    def _data_is_base64_text(self) -> Secret:
        for key, value in self.data.items():
            try:
                base64.b64decode(value, validate=True).decode()
            except (binascii.Error, UnicodeDecodeError):
                raise ValueError(f"data.{key} is not base64 of text; use stringData") from None
        return self

    def value(self, ref: SecretRef) -> str | None:
        """The value that `ref` names, or None when this secret does not have it."""
        if ref.name != self.name:
            return None
        if ref.key in self.string_data:
            return self.string_data[ref.key]
        return base64.b64decode(self.data[ref.key]).decode() if ref.key in self.data else None
