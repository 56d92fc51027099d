"""When a message was sent, as far as its source can be believed (pure; D16, D22, D34).

A message that waited at its source, in a mailbox's history or in an outage keeps its own day. A time that cannot be
its own, because it is after the message's arrival or before there were such messages, is replaced by its arrival.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

__all__ = ["EARLIEST", "said_at", "worth_telling"]

EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
"""An earlier time is from a clock that was never set: 1970, 1980."""
_QUARTER_S: Final = 900


def said_at(observed_at: datetime, received_at: datetime) -> datetime:
    """Return the time of the message itself."""
    return observed_at if EARLIEST <= observed_at <= received_at else received_at


def worth_telling(observed_at: datetime, received_at: datetime) -> datetime | None:
    """Return the time for a request context; None if `received_at` gives the same day in every time zone.

    Midnight falls on a quarter of an hour of UTC everywhere, so a live message almost never has anything new.
    """
    moment = said_at(observed_at, received_at)
    same = moment.timestamp() // _QUARTER_S == received_at.timestamp() // _QUARTER_S
    return None if same else moment
