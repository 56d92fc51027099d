"""What the operator has to hold, by the number of resources (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bench.measure.report import Goal

__all__ = ["FEW", "Figures", "converge_goal_s", "goals_for", "memory_goal_mb"]

FEW: Final = 300
"""Resources of a large household; more are several households'."""
FEW_S: Final = 60.0
FEW_MB: Final = 150.0
MANY_MB: Final = 250.0
WRITES: Final = 8
EVENTS: Final = 3
RESTORED_S: Final = 2.0


@dataclass(frozen=True)
class Figures:
    """What one run measured."""

    resources: int
    converge_s: float
    writes: float
    """Of the resource with the most."""
    events: float
    rss_mb: float
    idle_s: float
    idle_writes: int
    restored: int
    restored_p95_s: float


def converge_goal_s(resources: int) -> float:
    """Return how long everything may take until it has all its conditions: more resources, at the same pace."""
    return FEW_S * max(1.0, resources / FEW)


def memory_goal_mb(resources: int) -> float:
    """Return what the process may ever have resident, within the chart's limit of 256Mi."""
    return FEW_MB if resources <= FEW else MANY_MB


def goals_for(figures: Figures) -> list[Goal]:
    """Return every goal with its figure."""
    size = figures.resources
    return [
        Goal(f"{size} resources converged", figures.converge_s, at_most=converge_goal_s(size), unit="s"),
        Goal("writes a resource, most", figures.writes, at_most=WRITES),
        Goal("events a resource, most", figures.events, at_most=EVENTS),
        Goal("operator's memory", figures.rss_mb, at_most=memory_goal_mb(size), unit="MB"),
        Goal(f"writes while idle ({figures.idle_s:.0f} s)", figures.idle_writes, at_most=0),
        Goal(f"restored, p95 of {figures.restored}", figures.restored_p95_s, at_most=RESTORED_S, unit="s"),
    ]
