"""PURE: what every answer is made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["Document", "Model"]

Document = dict[str, Any]
"""JSON of a shape that another part decides."""


class Model(BaseModel):
    """A part of an answer: frozen; moments are UTC."""

    model_config = ConfigDict(frozen=True)
