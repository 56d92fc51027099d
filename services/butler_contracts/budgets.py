"""How a budget ends, in the words that butlers, traces, metrics and pages share, and what is said to its ledger (D59).

Invariant: money is whole micro-cents: the price of a token in cents per million tokens is that of one token in them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.errors import ErrorDetail
from butler_contracts.text import STORABLE

__all__ = [
    "MICROCENTS",
    "Asking",
    "Bound",
    "DayLimits",
    "Reservation",
    "Spent",
    "ends_a_budget",
]

MICROCENTS: Final = 1_000_000
"""In a cent."""
_MOST: Final = 10**15
Microcents = Annotated[int, Field(ge=0, le=_MOST)]
Count = Annotated[int, Field(ge=0, le=10**12)]


class Bound(StrEnum):
    """Which budget is used up; the `original_class` of the error that says so."""

    SESSION_SECONDS = "budget_session_seconds"
    SESSION_TURNS = "budget_session_turns"
    SESSION_TOOL_CALLS = "budget_session_tool_calls"
    SESSION_TOKENS = "budget_session_tokens"
    SESSION_CENTS = "budget_session_cents"
    DAY_CENTS = "budget_day_cents"
    DAY_SESSIONS = "budget_day_sessions"
    PERSON_DAY_CENTS = "budget_person_day_cents"


_BOUNDS: Final = frozenset(bound.value for bound in Bound)


def ends_a_budget(error: ErrorDetail | None) -> bool:
    """Whether the error is the end of a budget: it says nothing against whoever worked, and its message is whole."""
    return error is not None and error.original_class in _BOUNDS


class DayLimits(StrictModel):
    """What a butler may spend in a UTC day, and one person with all butlers; None: as much as it likes."""

    day_microcents: Microcents | None = None
    day_sessions: Count | None = None
    person_day_microcents: Microcents | None = None

    @property
    def any(self) -> bool:
        """Whether anything has to be reserved."""
        return self != DayLimits()


class Reservation(StrictModel):
    """What a session may cost at most, put aside before it asks; the same `session_id` again puts nothing aside."""

    session_id: UUID
    person: UUID | None = None
    request_id: UUID | None = None
    worst_microcents: Microcents
    lasts_s: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
    """After that the session is taken for dead, and what it did not ask for is given back."""
    limits: DayLimits


class Asking(StrictModel):
    """How far a session is before its next question: what it has cost, and what that question may cost at most."""

    session_id: UUID
    spent_microcents: Microcents
    asked_microcents: Microcents


class Spent(StrictModel):
    """What a session came to; the same `session_id` again changes nothing."""

    session_id: UUID
    person: UUID | None = None
    request_id: UUID | None = None
    model: Annotated[str, Field(min_length=1, max_length=200), STORABLE]
    questions: Count
    input_tokens: Count
    output_tokens: Count
    microcents: Microcents
    priced: bool
    """Whether the owner gave a price; without one the cost is that of a public list, or 0, and charges no budget."""
