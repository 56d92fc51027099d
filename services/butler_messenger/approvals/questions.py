"""PURE: the queries about approvals and the calls that decide one; errors name the bad field."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.text import STORABLE
from butler_kit.operations import ActBody

__all__ = [
    "ApprovalQuestion",
    "ApprovalsQuestion",
    "DecideCall",
    "EndRuleCall",
    "RulesQuestion",
    "VerdictBody",
    "params_of",
]

Cursor = Annotated[str, Field(max_length=500)]
Limit = Annotated[int, Field(ge=1, le=500)]
ActKey = Annotated[str, Field(min_length=1, max_length=200), STORABLE]


class ApprovalsQuestion(StrictModel):
    """Without `state` what waits; `cursor` continues a page."""

    state: Literal["waiting", "approved", "denied", "expired", "all"] = "waiting"
    cursor: Cursor | None = None
    limit: Limit = 50


class ApprovalQuestion(StrictModel):
    """Names one: the id of the delivery that waits."""

    approval_id: UUID


class VerdictBody(ActBody):
    """Why; with an approval also for how many seconds from now on the same needs none (90 days at most)."""

    always_for_s: Annotated[float, Field(gt=0, le=90 * 86_400, allow_inf_nan=False)] | None = None


def params_of(body: VerdictBody) -> dict[str, Any]:
    """Return the parameters that a repetition must share with the first, besides reason and target."""
    return {} if body.always_for_s is None else {"always_for_s": body.always_for_s}


class DecideCall(VerdictBody):
    """The tool's arguments; the same `idempotency_key` again does nothing."""

    approval_id: UUID
    decision: Literal["approve", "deny"]
    idempotency_key: ActKey | None = None


class RulesQuestion(StrictModel):
    """Without `state` what is in force; `cursor` continues a page."""

    state: Literal["in_force", "all"] = "in_force"
    cursor: Cursor | None = None
    limit: Limit = 50


class EndRuleCall(ActBody):
    """The tool's arguments; the same `idempotency_key` again does nothing."""

    rule_id: UUID
    idempotency_key: ActKey | None = None
