"""What a message replies to, as it is told to the butler whose word that was."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from butler_contracts.actions import ACTIONS_MAX, ActionId
from butler_contracts.base import UUID7, StrictModel

__all__ = ["RepliedV1"]


class RepliedV1(StrictModel):
    """The earlier request that is meant, and the answers that were offered with what is replied to.

    What was told without a request (a reminder) has no `request_id`.
    """

    request_id: UUID7 | None = None
    actions: Annotated[tuple[ActionId, ...], Field(max_length=ACTIONS_MAX)] = ()
