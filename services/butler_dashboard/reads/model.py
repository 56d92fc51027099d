"""PURE: what every answer is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

__all__ = ["Document", "Model", "Row"]

Document = dict[str, Any]
"""JSON of a shape that another part decides."""


class Model(BaseModel):
    """A part of an answer: frozen; moments are UTC."""

    model_config = ConfigDict(frozen=True)


class Row(Protocol):
    """A row of a view, by column."""

    def __getitem__(self, column: str, /) -> Any: ...
    def __contains__(self, column: object, /) -> bool: ...
    def keys(self) -> Iterable[str]: ...
