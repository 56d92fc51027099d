"""A backfill job as a connector receives it and reports on it (SWB-20, D34). Pure.

Invariant: Switchboard's answers are read with their types or refused as a `ContractViolation`; unknown fields are
ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, Field

from butler_contracts.base import TolerantModel
from butler_contracts.heartbeat import CURSOR_MAX
from butler_contracts.parse import parse

__all__ = ["Answer", "Figures", "Order", "Range", "order_in"]

Day = Annotated[
    date, BeforeValidator(lambda value: date.fromisoformat(value) if isinstance(value, str) else value)
]


class Range(TolerantModel):
    """What to read, how fast, and what a message costs; both days are part of it."""

    date_from: Day
    date_to: Day
    rate_limit_per_hour: Annotated[int, Field(ge=1)] = 100
    cents_per_message: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0


class Order(TolerantModel):
    """A job that is ours for `lease_s` seconds after each word from us."""

    job_id: UUID
    params: Range
    cursor: Annotated[str, Field(max_length=CURSOR_MAX)] | None = None
    lease_id: UUID
    lease_s: Annotated[float, Field(gt=0)] = 60.0
    batch_seq: Annotated[int, Field(ge=0)] = 0


class Answer(TolerantModel):
    """What Switchboard says to a report: the job's state, to be obeyed."""

    status: str
    outcome: str = "applied"
    rate_limit_per_hour: Annotated[int, Field(ge=1)] | None = None

    @property
    def goes_on(self) -> bool:
        return self.status == "active" and self.outcome != "lease_lost"


class Figures(TolerantModel):
    """One batch, as deltas; `status` only for an end."""

    rows_processed: int = 0
    rows_skipped: int = 0
    cost_spent_cents: float = 0.0
    cursor: str | None = None
    status: str | None = None
    error: Annotated[str, Field(max_length=1_000)] | None = None


def order_in(answer: Mapping[str, Any]) -> Order | None:
    """Return the job in the answer to a poll. Raises `ContractViolation`."""
    job = answer.get("job")
    return None if job is None else parse(Order, job)
