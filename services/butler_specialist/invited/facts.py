"""PURE: an invitation's appointment as a record, by the clock of the person who told it.

Invariant: `details` name the invitation, so that a later version finds the record; the moment in them is exact
where the wall clock shows the same time twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from butler_contracts.invitation import InvitedEventV1
from butler_specialist.store.model import RecordDraft

__all__ = ["INVITATION", "KIND", "Facts", "draft_of", "exact_start", "facts_of", "length_of", "told_of"]

KIND: Final = "appointment"
INVITATION: Final = "invitation"
"""The key in a record's `details` that holds its invitation."""
_UNTIL: Final = "until"


@dataclass(frozen=True, slots=True)
class Facts:
    """When and where it is; `last_day` is set only for several whole days, `ends` is by the same clock."""

    day: date
    at: time | None
    ends: datetime | None = None
    last_day: date | None = None
    place: str | None = None


def facts_of(event: InvitedEventV1, zone: ZoneInfo) -> Facts | None:
    """Return the facts; None for an event without a time."""
    if event.first_day is not None:
        several = event.last_day is not None and event.last_day > event.first_day
        return Facts(event.first_day, None, last_day=event.last_day if several else None, place=event.place)
    if event.wall is None:
        return None
    begins = event.starts.astimezone(zone) if event.starts is not None else event.wall.replace(tzinfo=zone)
    ends = None
    if event.length_s:
        ends = (begins.astimezone(UTC) + timedelta(seconds=event.length_s)).astimezone(zone)
    return Facts(begins.date(), begins.time(), ends, place=event.place)


def draft_of(event: InvitedEventV1, facts: Facts, *, untitled: str, cancelled: bool = False) -> RecordDraft:
    """Return the record; `untitled` is the name of one without a title."""
    details: dict[str, Any] = {INVITATION: _told(event, cancelled=cancelled)}
    if facts.last_day is not None:
        details[_UNTIL] = facts.last_day.isoformat()
    return RecordDraft(
        kind=KIND,
        occurred_on=facts.day,
        occurred_at=facts.at,
        text=event.title or untitled,
        party=event.organizer_name or event.organizer,
        place=facts.place,
        details=details,
    )


def told_of(record: RecordDraft) -> Mapping[str, Any]:
    """Return what a record stores of its invitation; empty for any other record."""
    told = record.details.get(INVITATION)
    return told if isinstance(told, Mapping) else {}


def exact_start(record: RecordDraft, zone: ZoneInfo) -> datetime | None:
    """Return its start in UTC, if its invitation states it and nobody has moved it since."""
    said = told_of(record).get("starts")
    if record.occurred_at is None or not isinstance(said, str):
        return None
    moment = datetime.fromisoformat(said)
    wall = moment.astimezone(zone).replace(tzinfo=None, fold=0)
    return moment if wall == datetime.combine(record.occurred_on, record.occurred_at) else None


def length_of(record: RecordDraft) -> timedelta | None:
    """Return its length, if its invitation states it."""
    seconds = told_of(record).get("seconds")
    return timedelta(seconds=seconds) if isinstance(seconds, int) and seconds > 0 else None


def _told(event: InvitedEventV1, *, cancelled: bool) -> dict[str, Any]:
    said: dict[str, Any] = {
        "uid": event.uid,
        "sequence": event.sequence,
        "stamped_at": event.stamped_at.isoformat() if event.stamped_at is not None else None,
        "organizer": event.organizer,
        "which": event.which,
        "next": event.next,
        "rule": event.rule,
        "starts": event.starts.isoformat() if event.starts is not None else None,
        "seconds": event.length_s,
        "cancelled": True if cancelled else None,
    }
    return {name: value for name, value in said.items() if value is not None}
