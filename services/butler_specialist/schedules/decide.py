"""PURE: which moments of a schedule are to be run or reported now (ADR 0097, D67).

Invariant: each moment is in one run or in one report. Those within the grace make one run, of the latest; those
beyond it make one report.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.notify import Urgency
from butler_kit.time.due import due_between, next_due

__all__ = ["MOST_COUNTED", "REPORTED", "Due", "Entry", "Missed", "due_now", "pause_s"]

REPORTED: Final = timedelta(days=31)
"""How far back missed moments are reported."""
MOST_COUNTED: Final = 1_000
_TICK: Final = timedelta(microseconds=1)
_LONGEST_PAUSE: Final = timedelta(seconds=30)
"""The clock is read again at least this often, so that a jump of it is noticed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A schedule of the manifest: five cron fields in `zone`; for the owner unless `to` names a member.

    `grace` is how late its session may begin, `urgency` that of its messages.
    """

    name: str
    cron: str
    zone: ZoneInfo
    prompt: str
    to: str | None
    grace: timedelta
    urgency: Urgency = "normal"


@dataclass(frozen=True, slots=True)
class Missed:
    """The missed moments (at most `MOST_COUNTED` are counted), and the last of them."""

    count: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Due:
    """What a schedule has to do, and up to which moment that settles it."""

    run: datetime | None
    missed: Missed | None

    @property
    def through(self) -> datetime:
        moments = [self.run, self.missed.last if self.missed is not None else None]
        return max(moment for moment in moments if moment is not None)


def due_now(entry: Entry, *, through: datetime, now: datetime) -> Due | None:
    """Return what is due at `now` and later than `through`; None if nothing is.

    If it was settled beyond `now`, a clock was wrong: that silences nothing, and nothing is reported of it.
    """
    limit = now - entry.grace
    after = max(through, now - REPORTED) if through <= now else limit - _TICK
    within = due_between(entry.cron, after=max(after, limit - _TICK), until=now, zone=entry.zone)
    beyond = due_between(entry.cron, after=after, until=limit - _TICK, zone=entry.zone)
    missed = list(islice(beyond, MOST_COUNTED))
    due = Due(next(within, None), Missed(len(missed), missed[0]) if missed else None)
    return due if due.run is not None or due.missed is not None else None


def pause_s(entries: tuple[Entry, ...], now: datetime) -> float:
    """Return the seconds until any of them is due next, at most half a minute."""
    waits = [next_due(one.cron, now, one.zone) - now for one in entries]
    return min([*waits, _LONGEST_PAUSE]) / timedelta(seconds=1)
