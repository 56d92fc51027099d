"""PURE: moves a reminder when its person's time zone changes (ADR 0059).

Invariant: a named hour stays that hour, by the new clock; one that elapses keeps its moment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from butler_specialist.remind.rule import Occurrence, first_occurrence

__all__ = ["Kept", "moved", "rule_by"]

_ELAPSED: Final = ("FREQ=HOURLY", "FREQ=MINUTELY")
_UNTIL: Final = "UNTIL="
_WALL: Final = "%Y%m%dT%H%M%S"


@dataclass(frozen=True, slots=True)
class Kept:
    """A waiting reminder: its next occurrence and its rule, by the clock of `zone`.

    Whether its moment `elapses`.
    """

    next: Occurrence
    rule: str | None
    zone: ZoneInfo
    elapses: bool = False


def moved(kept: Kept, zone: ZoneInfo) -> Kept:
    """Return the same reminder by the clock of `zone`."""
    if kept.elapses or (kept.rule or "").startswith(_ELAPSED):
        rule = rule_by(kept.rule, kept.zone, zone) if kept.rule is not None else None
        return replace(kept, next=first_occurrence(kept.next.at, zone), rule=rule, zone=zone)
    wall = kept.next.wall
    return replace(kept, next=Occurrence(wall, wall.replace(tzinfo=zone).astimezone(UTC)), zone=zone)


def rule_by(rule: str, before: ZoneInfo, zone: ZoneInfo) -> str:
    """Return a stored rule, which ends at a wall time, so that it ends at the same moment in `zone`."""
    parts = [
        f"{_UNTIL}{_end(part, before, zone)}" if part.startswith(_UNTIL) else part for part in rule.split(";")
    ]
    return ";".join(parts)


def _end(part: str, before: ZoneInfo, zone: ZoneInfo) -> str:
    wall = datetime.strptime(part.removeprefix(_UNTIL), _WALL)
    return f"{wall.replace(tzinfo=before).astimezone(zone):{_WALL}}"
