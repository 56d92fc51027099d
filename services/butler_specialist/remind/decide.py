"""PURE: what to tell of a reminder now, and when it comes again (D67).

It is decided from its stored state and the database's clock. Invariants: each occurrence is in exactly one telling;
once a telling has begun its occurrences stay its own, whatever the clock does, so that its key tells Messenger what
it has already.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.quiet_hours import QuietHours
from butler_specialist.remind.rule import Occurrence, occurrences_after

__all__ = ["Standing", "Tell", "Wait", "next_telling"]


@dataclass(frozen=True, slots=True)
class Standing:
    """When a reminder is next due, and up to which occurrence a telling has begun."""

    reminder_id: UUID
    first: Occurrence
    zone: ZoneInfo
    rule: str | None
    grace: timedelta
    begun: datetime | None
    quiet: QuietHours | None = None
    can_wait: bool = False

    def told_at(self, one: Occurrence) -> datetime:
        """Return when an occurrence is told: at its moment, or at the end of quiet hours if it can wait."""
        return self.quiet.told_at(one.at, self.zone) if self.quiet and self.can_wait else one.at


@dataclass(frozen=True, slots=True)
class Wait:
    """It is not due yet."""

    until: datetime


@dataclass(frozen=True, slots=True)
class Tell:
    """Tell of `count` occurrences, `first` to `last`: that one is due, or that they were missed; then `upcoming`.

    `due_at` is when it was to be told: later than `first` if that fell into quiet hours.
    """

    first: Occurrence
    last: Occurrence
    count: int
    missed: bool
    upcoming: Occurrence | None
    key: str
    due_at: datetime


def next_telling(standing: Standing, now: datetime) -> Wait | Tell:
    """Return what to do at `now`.

    An occurrence may be told late within its grace, and until the next one is due. Later ones are reported missed,
    all of an absence in one telling.
    """
    first = standing.first
    if standing.begun is None and now < standing.told_at(first):
        return Wait(standing.told_at(first))
    later = occurrences_after(standing.rule, first, standing.zone)
    upcoming = next(later, None)
    last, count = first, 1
    while upcoming is not None and _shares_its_telling(standing, first, upcoming):
        last, upcoming = upcoming, next(later, None)
    missed = now >= _expiry(standing, last, upcoming)
    if (
        missed
        and standing.begun is None
        and standing.quiet
        and (end := standing.quiet.told_at(now, standing.zone)) > now
    ):
        return Wait(end)
    while upcoming is not None and (missed or standing.begun is not None):
        following = next(later, None)
        if not _belongs(standing, upcoming, following, now):
            break
        last, count, upcoming = upcoming, count + 1, following
    key = f"reminder:{standing.reminder_id}:{first.at.isoformat()}"
    return Tell(first, last, count, missed or count > 1, upcoming, key, standing.told_at(first))


def _shares_its_telling(standing: Standing, first: Occurrence, following: Occurrence) -> bool:
    """Return whether both waited for the end of the same quiet hours: they are told once."""
    told = standing.told_at(first)
    return told > first.at and standing.told_at(following) == told


def _belongs(standing: Standing, one: Occurrence, following: Occurrence | None, now: datetime) -> bool:
    """Return whether an occurrence is missed with those before it, now or when the telling was begun."""
    if standing.begun is not None:
        return one.at <= standing.begun
    return now >= _expiry(standing, one, following)


def _expiry(standing: Standing, one: Occurrence, following: Occurrence | None) -> datetime:
    expiry = standing.told_at(one) + standing.grace
    return expiry if following is None else min(expiry, standing.told_at(following))
