"""Where a backfill is in a mailbox, and which of its mails belong to the days that were asked for (RFC 9051). Pure.

Invariant: only what live reading has passed is history, so that no mail is taken from live reading and left unanswered.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from butler_connectors.base.orders import Range

__all__ = ["WINDOW", "Past", "Window", "begin", "in_range", "search_days", "window"]

WINDOW: Final = 2_000
"""UIDs that one search covers: its answer stays small in a mailbox of any size."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True)
class Past:
    """Everything up to `uid` is settled; the oldest mail comes first."""

    uid_validity: int
    uid: int = 0

    @property
    def cursor(self) -> str:
        """The form that Switchboard keeps: `uidvalidity/uid`."""
        return f"{self.uid_validity}/{self.uid}"


@dataclass(frozen=True)
class Window:
    """The UIDs to search next; `last` when live reading has passed no more."""

    first: int
    until: int
    last: bool


def begin(cursor: str | None, uid_validity: int) -> Past:
    """The place that a cursor names; the beginning for none, for one of another UIDVALIDITY, or an unreadable one.

    What is then read anew is known to Switchboard.
    """
    validity, _, uid = (cursor or "").partition("/")
    if validity == str(uid_validity) and uid.isdecimal() and len(uid) <= 10:
        return Past(uid_validity, int(uid))
    return Past(uid_validity)


def window(past: Past, *, passed_uid: int) -> Window | None:
    """What to search next, or None when everything that live reading has passed is settled."""
    if past.uid >= passed_uid:
        return None
    until = min(past.uid + WINDOW, passed_uid)
    return Window(past.uid + 1, until, last=until == passed_uid)


def search_days(asked: Range) -> tuple[date, date]:
    """The days to search, with a day of margin: the server compares dates without a zone."""
    since = asked.date_from - _DAY if asked.date_from > date(1, 1, 2) else asked.date_from
    before = asked.date_to + 2 * _DAY if asked.date_to < date(9999, 12, 29) else asked.date_to
    return since, before


def in_range(asked: Range, internal_date: datetime) -> bool:
    """Whether a mail was delivered on one of the days, in UTC; both ends are part of it."""
    first = datetime.combine(asked.date_from, time(), UTC)
    last = datetime.combine(asked.date_to, time.max, UTC)
    return first <= internal_date <= last
