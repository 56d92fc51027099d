"""Budgets and prices of a butler's sessions, from its configuration (pure; D59)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from butler_contracts.budgets import MICROCENTS, DayLimits
from butler_kit.config import BudgetConfig, RuntimeConfig

__all__ = ["FREE", "Price", "SessionBudget", "Terms"]

_MOST_SESSION: Final = 10**9
"""Tokens of a session, where no limit is set."""


@dataclass(frozen=True, slots=True)
class Price:
    """Micro-cents per token; the same number is cents per million tokens."""

    input: int = 0
    output: int = 0

    def of(self, input_tokens: int, output_tokens: int) -> int:
        """Return the micro-cents for these tokens."""
        return self.input * input_tokens + self.output * output_tokens


FREE: Final = Price()


@dataclass(frozen=True, slots=True)
class SessionBudget:
    """The limits of one session; None: no limit by the owner."""

    seconds: float | None = None
    turns: int | None = None
    tool_calls: int | None = None
    tokens: int | None = None
    microcents: int | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """Budgets and price; `priced` is False if the price is unknown: tokens are counted, the cost is not."""

    session: SessionBudget = SessionBudget()
    days: DayLimits = field(default_factory=DayLimits)
    price: Price = FREE
    priced: bool = False

    @classmethod
    def of(cls, budget: BudgetConfig, runtime: RuntimeConfig) -> Terms:
        """Build from `[budget]` and `[runtime.price]`."""
        session, price = budget.session, runtime.known_price
        return cls(
            session=SessionBudget(
                seconds=session.seconds,
                turns=session.turns,
                tool_calls=session.tool_calls,
                tokens=session.tokens,
                microcents=_micro(session.cents),
            ),
            days=DayLimits(
                day_microcents=_micro(budget.day.cents),
                day_sessions=budget.day.sessions,
                person_day_microcents=_micro(budget.person_day.cents),
            ),
            price=Price(price.input_cents_per_million, price.output_cents_per_million) if price else FREE,
            priced=price is not None,
        )

    @property
    def worst_microcents(self) -> int:
        """The most that a session may cost, which is reserved for it; 0 where no budget is in cents."""
        session, dearest = self.session, max(self.price.input, self.price.output)
        if session.microcents is None:
            return 0
        return min(session.microcents, dearest * (session.tokens or _MOST_SESSION))


def _micro(cents: int | None) -> int | None:
    return None if cents is None else cents * MICROCENTS
