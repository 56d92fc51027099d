"""A run of a schedule as `route_inbox.scheduled` keeps it (pure, ADR 0097)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler_contracts.notify import Urgency
from butler_contracts.stored import stored

__all__ = ["Scheduled", "scheduled_from", "scheduled_to_wire"]


@dataclass(frozen=True, slots=True)
class Scheduled:
    """Which schedule was due when (UTC), and until when its session may begin; for the owner or the member `to`.

    It stands for `count` moments, `due_at` the last of them: several where it only reports that they were missed. What
    is told of it is of this `urgency`.
    """

    name: str
    due_at: datetime
    until: datetime
    to: str | None = None
    count: int = 1
    urgency: Urgency = "normal"


def scheduled_to_wire(scheduled: Scheduled) -> dict[str, Any]:
    """As `route_inbox.scheduled` keeps it."""
    return {
        "name": scheduled.name,
        "due_at": scheduled.due_at.isoformat(),
        "until": scheduled.until.isoformat(),
        "to": scheduled.to,
        "count": scheduled.count,
        "urgency": scheduled.urgency,
    }


def scheduled_from(document: Mapping[str, Any]) -> Scheduled:
    """As it was kept. Raises `Unreadable`."""
    return stored(Scheduled, document)
