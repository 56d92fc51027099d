"""PURE: the base of every document of the ops API, and what several of them say."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from butler_kit.runtime.standing import Unavailable

__all__ = ["Document", "FaultView", "View"]

Document = dict[str, Any]


class View(BaseModel):
    """A part of a document; times are UTC."""

    model_config = ConfigDict(frozen=True)


class FaultView(View):
    """Why a runtime cannot be had, by kind and in words, and since when."""

    kind: str
    message: str
    since: datetime

    @classmethod
    def of(cls, found: Unavailable) -> Self:
        return cls(kind=found.kind, message=found.message, since=found.since)
