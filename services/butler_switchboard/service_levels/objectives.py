"""PURE: how good the message plane is to be (SWB-41.1, docs/adr/0113)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from butler_kit.service_levels import BurnPolicy

__all__ = ["ACTING", "NAME", "WITHIN_S", "Objective", "Policy"]

NAME: Final = "switchboard"
"""What operators call this level; those of Messenger have the names of channels."""


class Objective(StrEnum):
    """What is measured: the good events among all."""

    ACCEPT = "accept"
    """Submissions that were answered soon enough; those of backfills, for which nobody waits, are left out."""
    COMPLETE = "complete"
    """Requests that ended soon enough, however they ended."""
    SUCCESS = "success"
    """Parts of requests that ended well; a part that was itself at fault is left out."""
    INTERACTIVE = "interactive"
    """Requests of somebody who waits for the answer that ended soon enough for that."""


ACTING: Final[frozenset[str]] = frozenset(Objective)
"""All of them: less that nobody waits for helps against each."""

WITHIN_S: Final[Mapping[str, float]] = {
    Objective.ACCEPT: 0.25,
    Objective.COMPLETE: 300.0,
    Objective.INTERACTIVE: 60.0,
}
"""How soon is soon enough by default."""


@dataclass(frozen=True, slots=True)
class Policy(BurnPolicy):
    """Objectives and their consequences; `within_s` is by objective, of those about time."""

    acting: frozenset[str] = ACTING
    within_s: Mapping[str, float] = field(default_factory=lambda: dict(WITHIN_S))
