"""The position of a backfill in a mailbox, and which mails belong to the requested days (RFC 9051). Pure.

Invariant: only mails that live reading has passed are history, so that none is taken from it and left unanswered.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from butler_connectors.base.orders import Range

__all__ = ["WINDOW", "Past", "Window", "begin", "in_range", "search_days", "window"]

WINDOW: Final = 2_000
"""How many UIDs one search covers, so that its answer stays small in a mailbox of any size."""
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
    """The UIDs to search next; `last` if live reading has passed nothing beyond them."""

    first: int
    until: int
    last: bool


def begin(cursor: str | None, uid_validity: int) -> Past:
    """Return the place that a cursor names; the beginning if it is missing, unreadable or of another UIDVALIDITY.

    Mails that are then read again are known to Switchboard.
    """
    validity, _, uid = (cursor or "").partition("/")
    if validity == str(uid_validity) and uid.isdecimal() and len(uid) <= 10:
        return Past(uid_validity, int(uid))
    return Past(uid_validity)


def window(past: Past, *, passed_uid: int) -> Window | None:
    """Return what to search next, or None if everything that live reading has passed is settled."""
    if past.uid >= passed_uid:
        return None
    until = min(past.uid + WINDOW, passed_uid)
    return Window(past.uid + 1, until, last=until == passed_uid)


def search_days(asked: Range) -> tuple[date, date]:
    """Return the days to search, with a day of margin: the server compares dates without a zone."""
    since = asked.date_from - _DAY if asked.date_from > date(1, 1, 2) else asked.date_from
    before = asked.date_to + 2 * _DAY if asked.date_to < date(9999, 12, 29) else asked.date_to
    return since, before


def in_range(asked: Range, internal_date: datetime) -> bool:
    """Return whether a mail was delivered on one of the days, in UTC, both ends included."""
    first = datetime.combine(asked.date_from, time(), UTC)
    last = datetime.combine(asked.date_to, time.max, UTC)
    return first <= internal_date <= last
