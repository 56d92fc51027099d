"""PURE: what is counted for a service level, over which windows, and how good it is to be (docs/adr/0073, 0113).

An objective is a share of events that have to be good; the rest is its error budget. A budget burns at rate 1 if it
lasts exactly for the period, faster if more events are bad.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["BurnPolicy", "Count", "Measured", "Sli", "WindowPair"]


@dataclass(frozen=True, slots=True)
class WindowPair:
    """A budget burns if used `burn` times too fast over both: the long proves it, the short that it lasts."""

    long_s: float
    short_s: float
    burn: float


@dataclass(frozen=True, slots=True, order=True)
class Sli:
    """One figure: an objective, and the part of its events that is counted alone, where that matters."""

    objective: str
    part: str = ""

    def __str__(self) -> str:
        return f"{self.objective}/{self.part}" if self.part else str(self.objective)


@dataclass(frozen=True, slots=True)
class Count:
    """A number of events, and how many of them are bad."""

    events: int = 0
    bad: int = 0

    def burn(self, target: float) -> float:
        """Return how many times too fast the budget of `target` is used; 0 if nothing happened."""
        if not self.events or not self.bad:
            return 0.0
        return self.bad / self.events / (1 - target)


Measured = Mapping[Sli, Mapping[float, Count]]
"""The counts for one level, by figure and length of the window in seconds."""


@dataclass(frozen=True, slots=True)
class BurnPolicy:
    """The share of good events of each objective, which of them act, and when a budget burns.

    Nothing is concluded from fewer than `minimum_events` in a long window, or fewer than `minimum_failures` bad ones.
    """

    targets: Mapping[str, float]
    acting: frozenset[str] = frozenset()
    fast: WindowPair = WindowPair(3600.0, 300.0, 14.4)
    slow: WindowPair = WindowPair(21_600.0, 1800.0, 6.0)
    minimum_events: int = 20
    minimum_failures: int = 10
    release_after_s: float = 900.0
    tightens: bool = True
    period_days: int = 30

    @property
    def windows_s(self) -> tuple[float, ...]:
        """All window lengths that are counted, each once."""
        pairs = (self.fast, self.slow)
        return tuple(sorted({length for pair in pairs for length in (pair.short_s, pair.long_s)}))

    @property
    def period_s(self) -> float:
        return self.period_days * 86_400.0
