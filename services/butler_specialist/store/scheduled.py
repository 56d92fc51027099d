"""A run of a schedule as stored in `route_inbox.scheduled` (pure, ADR 0097)."""

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
    """A schedule's run, due at `due_at` (UTC), whose session may begin `until` then.

    For the owner or the member `to`.

    It stands for `count` moments, `due_at` being the last: several if it only reports that they were missed.
    `urgency` is that of its messages.
    """

    name: str
    due_at: datetime
    until: datetime
    to: str | None = None
    count: int = 1
    urgency: Urgency = "normal"


def scheduled_to_wire(scheduled: Scheduled) -> dict[str, Any]:
    """Return the run as stored in `route_inbox.scheduled`."""
    return {
        "name": scheduled.name,
        "due_at": scheduled.due_at.isoformat(),
        "until": scheduled.until.isoformat(),
        "to": scheduled.to,
        "count": scheduled.count,
        "urgency": scheduled.urgency,
    }


def scheduled_from(document: Mapping[str, Any]) -> Scheduled:
    """Return the stored run. Raises `Unreadable`."""
    return stored(Scheduled, document)
