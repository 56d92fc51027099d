"""PURE: the queries of the suppression list, and the calls that change it; errors name the bad field."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.text import STORABLE
from butler_kit.operations import ActBody

__all__ = ["EndSuppressionCall", "SuppressBody", "SuppressionsQuestion"]


class SuppressionsQuestion(StrictModel):
    """Without `state` what is in force; `cursor` continues a page."""

    state: Literal["in_force", "all"] = "in_force"
    cursor: Annotated[str, Field(max_length=500)] | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class SuppressBody(ActBody):
    """Why, and whom: an address or a chat id of the channel."""

    recipient: Annotated[str, Field(min_length=1, max_length=320), STORABLE]


class EndSuppressionCall(ActBody):
    """The tool's arguments; the same `idempotency_key` again does nothing."""

    suppression_id: UUID
    idempotency_key: Annotated[str, Field(min_length=1, max_length=200), STORABLE] | None = None
