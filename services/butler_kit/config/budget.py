"""`[budget]` and `[runtime.price]`: limits and prices of sessions (SWB-33.1, D59).

Invariant: amounts are whole cents, prices whole cents per million tokens; no money is a fraction.
"""

from __future__ import annotations

from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from butler_kit.config.section import Section

__all__ = ["BudgetConfig", "DayBudget", "PersonDayBudget", "PriceConfig", "SessionBudgetConfig"]

Cents = Annotated[int, Field(ge=1, le=1_000_000)]
PerMillion = Annotated[int, Field(ge=0, le=1_000_000)]

_UNBOUNDED: Final = (
    "a day's budget in cents needs [budget.session] cents, no more than it: "
    "so much is put aside for each session"
)


class PriceConfig(Section):
    """`[runtime.price]`: of the dearest model that is asked."""

    input_cents_per_million: PerMillion
    output_cents_per_million: PerMillion


class SessionBudgetConfig(Section):
    """`[budget.session]`; what is left out has no bound of the owner's."""

    seconds: Annotated[int, Field(ge=1, le=3600)] | None = None
    turns: Annotated[int, Field(ge=1, le=32)] | None = None
    tool_calls: Annotated[int, Field(ge=1, le=64)] | None = None
    tokens: Annotated[int, Field(ge=1_000, le=10_000_000)] | None = None
    cents: Cents | None = None


class DayBudget(Section):
    """`[budget.day]`: of this butler in a UTC day."""

    cents: Cents | None = None
    sessions: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class PersonDayBudget(Section):
    """`[budget.person_day]`: of one person with all butlers in a UTC day."""

    cents: Cents | None = None


class BudgetConfig(Section):
    """`[budget]`: the end of any of them is a terminal error of its own kind."""

    session: SessionBudgetConfig = SessionBudgetConfig()
    day: DayBudget = DayBudget()
    person_day: PersonDayBudget = PersonDayBudget()

    @model_validator(mode="after")
    def _days_hold_a_session(self) -> Self:
        days = [cents for cents in (self.day.cents, self.person_day.cents) if cents is not None]
        if days and (self.session.cents is None or self.session.cents > min(days)):
            raise ValueError(_UNBOUNDED)
        return self

    @property
    def in_cents(self) -> bool:
        """Whether any limit is in money: a day's limit requires one for a session."""
        return self.session.cents is not None

    @property
    def ends_by_cents(self) -> bool:
        """Whether money bounds a session alone, and not what is reserved of a day."""
        return self.in_cents and self.day.cents is None and self.person_day.cents is None

    @property
    def of_a_model(self) -> bool:
        """Whether any limit bounds what only a model uses."""
        plain = self.session.model_copy(update={"seconds": None})
        return self.model_copy(update={"session": plain}) != BudgetConfig()
