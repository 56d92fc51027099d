"""PURE: how much of a budget is left, as the statement `admit` counts it (MSR-05, docs/adr/0067)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from butler_messenger.admission.limits import WINDOW_S, Demand

__all__ = ["Headroom", "Taken", "headroom"]

SLOT_S: Final = WINDOW_S / 12
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Taken:
    """The use of a budget in the twelfth of a minute that began at `opened_at`."""

    opened_at: datetime
    sends: float
    replies: float


@dataclass(frozen=True, slots=True)
class Headroom:
    """`used` counts against the requester, `room` is left; `free_in_s` is None if the message fits."""

    demand: Demand
    sends: float
    replies: float
    used: float
    room: float
    free_in_s: float | None


def headroom(demand: Demand, taken: Sequence[Taken], *, cost: float, now: datetime) -> Headroom:
    """Return the state of a budget for a message of `cost`; `taken` is the window, oldest first."""
    used = _counted(taken, demand)
    return Headroom(
        demand=demand,
        sends=sum(one.sends for one in taken),
        replies=sum(one.replies for one in taken),
        used=used,
        room=max(0.0, demand.most - used),
        free_in_s=None if _fits(used, cost, demand) else _free_in_s(demand, taken, cost, now),
    )


def _free_in_s(demand: Demand, taken: Sequence[Taken], cost: float, now: datetime) -> float:
    """Return the seconds until enough twelfths have left the window."""
    for gone, one in enumerate(taken, start=1):
        if _fits(_counted(taken[gone:], demand), cost, demand):
            free_at = one.opened_at + timedelta(seconds=SLOT_S + WINDOW_S)
            return (free_at - now).total_seconds()
    return WINDOW_S


def _counted(taken: Iterable[Taken], demand: Demand) -> float:
    held = list(taken)
    return sum(one.replies for one in held) + min(sum(one.sends for one in held), demand.sends_at_most)


def _fits(used: float, cost: float, demand: Demand) -> bool:
    return used + cost <= demand.most + _ROUNDING
