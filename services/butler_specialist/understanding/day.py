"""A day that a text names, and the side of today on which it is meant (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

__all__ = ["Day", "Form", "Side"]

Side = Literal["past", "future", "nearest"]
Form = Literal["written", "weekday", "relative"]


@dataclass(frozen=True, slots=True)
class Day:
    """A day that the text names. `before` and `after` are what it means when only the past or future is meant."""

    day: date
    start: int
    end: int
    before: date
    after: date
    form: Form = "written"
    beside: int | None = None
    """The weekday that stands beside a date; the two may disagree."""

    def on(self, side: Side) -> date:
        return {"past": self.before, "future": self.after, "nearest": self.day}[side]
