"""PURE: the objectives of deliveries, their targets, and the windows they are measured over (MSG-15, docs/adr/0073).

An objective is a share of events that have to be good; the rest is its error budget. A budget burns at rate 1 if it
lasts exactly for the period, faster if more events are bad.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

__all__ = ["ACTING", "WITHIN_S", "Count", "Measured", "Objective", "Policy", "Sli", "WindowPair"]


class Objective(StrEnum):
    """What is measured: the good events among all."""

    SUCCESS = "success"
    """Ended deliveries that were sent; those that failed by their own fault are left out."""
    LATENCY = "latency"
    """Sent deliveries that were sent soon enough, by intent."""
    ONCE = "once"
    """Sent deliveries of which at most one call can have reached the person."""
    QUEUE = "queue"
    """Moments at which more than a fifth of the places were free."""
    ADMISSION = "admission"
    """Requests not refused for lack of room; refusals by a tight channel do not count as bad."""
    DEAD_LETTERS = "dead_letters"
    """Ended deliveries that left no dead letter."""
    REPLAYS = "replays"
    """Ended replays that were sent."""


ACTING: Final = frozenset({Objective.SUCCESS, Objective.LATENCY, Objective.ONCE, Objective.QUEUE})
"""The objectives whose burning tightens a channel. The others are only shown: refusing more because much is refused
would never end, dead letters are in `success` already, and replays are made by a person."""

WITHIN_S: Final[Mapping[tuple[str, str], float]] = {
    ("telegram", "reply"): 30.0,
    ("telegram", "send"): 60.0,
    ("email", "reply"): 120.0,
    ("email", "send"): 300.0,
}
"""How soon a message has to be sent by default."""


@dataclass(frozen=True, slots=True)
class WindowPair:
    """A budget burns if used `burn` times too fast over both: the long proves it, the short that it lasts."""

    long_s: float
    short_s: float
    burn: float


@dataclass(frozen=True, slots=True, order=True)
class Sli:
    """One figure of an account: an objective, for one intent where that matters."""

    objective: Objective
    intent: str = ""

    def __str__(self) -> str:
        return f"{self.objective}/{self.intent}" if self.intent else self.objective.value


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
"""The counts of one account, by figure and length of the window in seconds."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Objectives and their consequences; shares lie between 0 and 1, `within_s` is by channel and intent.

    Nothing is concluded from fewer than `minimum_events` in a long window, or fewer than `minimum_failures` bad ones.
    """

    targets: Mapping[Objective, float]
    within_s: Mapping[tuple[str, str], float] = field(default_factory=lambda: dict(WITHIN_S))
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
