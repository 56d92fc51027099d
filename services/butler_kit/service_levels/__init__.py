"""Service levels, decided alike by every service that keeps some (SWB-41, MSG-15): pure, without storage."""

from butler_kit.service_levels.burning import Level, State, burn_of, burning, decided, why_of
from butler_kit.service_levels.counts import BurnPolicy, Count, Measured, Sli, WindowPair

__all__ = [
    "BurnPolicy",
    "Count",
    "Level",
    "Measured",
    "Sli",
    "State",
    "WindowPair",
    "burn_of",
    "burning",
    "decided",
    "why_of",
]
