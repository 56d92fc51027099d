"""PURE: the queries about dead letters (MSG-5.1.2); errors name the bad field."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel, Timestamp
from butler_contracts.notify import DeliveryChannel
from butler_contracts.text import STORABLE, ButlerName
from butler_contracts.undelivered import Undelivered
from butler_kit.operations import ActBody

__all__ = ["DeadLetterQuestion", "DiscardCall", "ListQuestion", "ReplayBody", "ReplayCall"]

_BY_TOOL: Final = "replayed with messenger_dead_letter_replay"
Key = Annotated[str, Field(min_length=1, max_length=200), STORABLE]


class ListQuestion(StrictModel):
    """The filters of the list; without `state` everything that is not discarded. `cursor` continues a page."""

    channel: DeliveryChannel | None = None
    origin_butler: ButlerName | None = None
    error_class: Annotated[str, Field(min_length=1, max_length=60), STORABLE] | None = None
    since: Timestamp | None = None
    state: Literal["open", "replayed", "discarded", "all"] | None = None
    request_id: UUID | None = None
    cursor: Annotated[str, Field(max_length=500)] | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class DeadLetterQuestion(StrictModel):
    """Names one dead letter."""

    dead_letter_id: UUID


class ReplayBody(ActBody):
    """Why it is sent again; `resend_uncertain` is the operator's word that it may arrive twice (D41)."""

    resend_uncertain: bool = False

    def params(self) -> dict[str, Any]:
        """Return the parameters that distinguish this order from another one with the same target."""
        return {"resend_uncertain": self.resend_uncertain}


class ReplayCall(ReplayBody, Undelivered):
    """The tool's arguments; the same `idempotency_key` again does nothing."""

    reason: Annotated[str, Field(min_length=1, max_length=500), STORABLE] = _BY_TOOL
    idempotency_key: Key | None = None


class DiscardCall(ActBody, Undelivered):
    """The tool's arguments; the same `idempotency_key` again does nothing."""

    idempotency_key: Key | None = None
