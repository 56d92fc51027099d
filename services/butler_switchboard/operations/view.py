"""PURE: the base of every document of the ops API."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["Document", "View"]

Document = dict[str, Any]


class View(BaseModel):
    """A part of a document; times are UTC."""

    model_config = ConfigDict(frozen=True)
