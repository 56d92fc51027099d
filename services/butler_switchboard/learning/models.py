"""PURE: what was learned, as the ops API tells it (D71, ADR 0111)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.text import plain_line
from butler_switchboard.learning.deciding import RuleState
from butler_switchboard.learning.trying import Difference
from butler_switchboard.operations.dead_letter_models import Operated
from butler_switchboard.operations.view import View

__all__ = [
    "DifferenceView",
    "EndedRuleView",
    "LearnedQuestion",
    "LearnedRuleView",
    "LearnedView",
    "TriedQuestion",
    "TriedView",
]

_SHOWN: Final = 200


class LearnedQuestion(StrictModel):
    """Which rules: those in force, or all that are still known."""

    state: Literal["in_force", "all"] = "in_force"
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class LearnedRuleView(View):
    """A rule: messages of `person`, by `name`, that are like `texts` go to `butler`.

    `request_id`: the message that was corrected last.
    """

    rule_id: UUID
    person: UUID
    name: str | None
    butler: str
    texts: list[str]
    request_id: UUID
    state: RuleState
    offered_at: datetime
    answered_at: datetime | None
    ended_at: datetime | None
    ended_by: str | None
    end_reason: str | None


class LearnedView(View):
    """The rules, newest first; `learns`: whether the `examples` decide too, in this `version`."""

    learns: bool
    examples: int
    version: str
    rules: list[LearnedRuleView]


class EndedRuleView(Operated):
    """A rule that decides nothing any more."""

    rule_id: UUID
    butler: str
    state: Literal["ended"]


class TriedQuestion(StrictModel):
    """How many days of messages to decide again."""

    days: Annotated[int, Field(ge=1, le=365)] = 30


class DifferenceView(View):
    """A message that went to `went_to`, and would go to `would_go_to`; `reason` as it would be recorded."""

    request_id: UUID
    received_at: datetime
    text: str
    went_to: list[str]
    would_go_to: str
    confidence: float
    reason: str

    @classmethod
    def told(cls, one: Difference) -> Self:
        decided = one.decided
        return cls(
            request_id=decided.request_id,
            received_at=decided.received_at,
            text=plain_line(decided.message.text, most=_SHOWN),
            went_to=list(decided.butlers),
            would_go_to=one.butler,
            confidence=round(one.confidence, 3),
            reason=one.reason,
        )


class TriedView(View):
    """A dry run: `read` of members' newest messages were decided again; `learns`: whether it is so already."""

    learns: bool
    examples: int
    version: str
    read: int
    differences: list[DifferenceView]
