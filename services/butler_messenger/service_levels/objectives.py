"""PURE: the objectives of deliveries and their targets (MSG-15, docs/adr/0073)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from butler_kit.service_levels import BurnPolicy

__all__ = ["ACTING", "WITHIN_S", "Objective", "Policy"]


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


ACTING: Final[frozenset[str]] = frozenset(
    {Objective.SUCCESS, Objective.LATENCY, Objective.ONCE, Objective.QUEUE}
)
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
class Policy(BurnPolicy):
    """Objectives and their consequences; shares lie between 0 and 1, `within_s` is by channel and intent."""

    acting: frozenset[str] = ACTING
    within_s: Mapping[tuple[str, str], float] = field(default_factory=lambda: dict(WITHIN_S))
