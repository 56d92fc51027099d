"""A day that a text names, and the side of today on which it is meant (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

__all__ = ["ALL_DAY", "Day", "Form", "Side"]

Side = Literal["past", "future", "nearest"]
Form = Literal["written", "weekday", "relative"]
ALL_DAY: Final = re.compile(
    r"\b(?:all[ -]day|the whole day|ganztag\w*+|den ganzen tag|toute la journee|todo el dia)\b"
)
"""A whole-day event is planned."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day that the text names. `before` and `after` are its meaning if only the past or future is meant."""

    day: date
    start: int
    end: int
    before: date
    after: date
    form: Form = "written"
    beside: int | None = None
    """The weekday beside a date; the two may disagree."""
    bare: bool = False
    """Whether it names no month: "the 12th"."""

    def on(self, side: Side) -> date:
        return {"past": self.before, "future": self.after, "nearest": self.day}[side]
