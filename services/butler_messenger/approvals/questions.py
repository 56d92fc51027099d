"""PURE: what may be asked of approvals, and how one is decided; bad values name their field."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.text import STORABLE
from butler_kit.operations import ActBody

__all__ = ["ApprovalQuestion", "ApprovalsQuestion", "DecideCall"]


class ApprovalsQuestion(StrictModel):
    """Without `state` what waits; `cursor` continues a page."""

    state: Literal["waiting", "approved", "denied", "expired", "all"] = "waiting"
    cursor: Annotated[str, Field(max_length=500)] | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class ApprovalQuestion(StrictModel):
    """Names one: the id of the delivery that waits."""

    approval_id: UUID


class DecideCall(ActBody):
    """The tool's arguments; the same `idempotency_key` again does nothing."""

    approval_id: UUID
    decision: Literal["approve", "deny"]
    idempotency_key: Annotated[str, Field(min_length=1, max_length=200), STORABLE] | None = None
