"""When a mail was written, whatever its header says (RFC 5322 §3.6.1, RFC 3501 §2.3.3). Pure.

"Yesterday" in a mail is relative to when it was written. `Date` comes from the sender's clock, which may never have
been set, so it counts only within a day before the mail's arrival; otherwise the arrival does. The arrival is the
mailbox's own date, which a mail keeps when it is copied or moved.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

__all__ = ["written_at"]

_BELIEVED: Final = timedelta(days=1)


def written_at(headers: dict[str, list[str]], *, arrived_at: datetime) -> datetime:
    """Return the mail's `Date` where it can be true, else `arrived_at`."""
    written = _moment(next(iter(headers.get("date", [])), ""))
    if written is None or not timedelta(0) <= arrived_at - written <= _BELIEVED:
        return arrived_at
    return written


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
