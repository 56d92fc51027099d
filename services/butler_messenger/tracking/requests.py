"""PURE: the queries of the tracking tools and the ops API (MSR-09); errors name the bad field."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from butler_contracts.base import Timestamp
from butler_contracts.notify import DeliveryChannel, Intent
from butler_contracts.text import ButlerName
from butler_messenger.tracking.reader import SearchFilter

__all__ = ["DeliveryQuestion", "SearchQuestion", "TraceQuestion"]

State = Literal[
    "pending",
    "in_progress",
    "sent",
    "bounced",
    "failed",
    "uncertain",
    "dead_lettered",
    "pending_approval",
    "pending_missing_identifier",
]


class _Question(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DeliveryQuestion(_Question):
    """Names one delivery."""

    delivery_id: UUID


class TraceQuestion(_Question):
    """Names one request."""

    request_id: UUID


class SearchQuestion(_Question):
    """The filters of a search; times are RFC 3339."""

    origin_butler: ButlerName | None = None
    channel: DeliveryChannel | None = None
    intent: Intent | None = None
    status: State | None = None
    since: Timestamp | None = None
    until: Timestamp | None = None
    request_id: UUID | None = None
    cursor: Annotated[str, Field(max_length=500)] | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50

    def to_filter(self) -> SearchFilter:
        """Return the same filters as the reader takes them."""
        return SearchFilter(**self.model_dump())
