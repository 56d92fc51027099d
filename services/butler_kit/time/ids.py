"""UUIDv7 ids that carry exactly the millisecond they were minted for (D13; RFC 9562 §5.7, §6.2 method 2).

Invariant: ids that one process mints in a row for one millisecond strictly increase; the millisecond itself
is never moved, so after a clock step back the timestamp is right and the order follows the clock.
(uuid-utils keeps no order for a given timestamp, and its own clock cannot be injected.)
"""

from __future__ import annotations

import secrets
import threading
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final
from uuid import UUID

__all__ = ["new_uuid7", "uuid7_of", "uuid7_timestamp"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_RAND_A_BITS: Final = 12
_RAND_B_BITS: Final = 62
_TAIL_BITS: Final = _RAND_A_BITS + _RAND_B_BITS
_STEP_BITS: Final = 32
"""An id's tail grows by a random step below 2**32, so the next id cannot be guessed from this one."""


class _Sequence:
    """The last tail given out per process; a new millisecond starts from fresh randomness."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._millisecond = -1
        self._tail = 0

    def next_tail(self, millisecond: int) -> int:
        with self._lock:
            if millisecond == self._millisecond:
                self._tail += 1 + secrets.randbits(_STEP_BITS)
            else:
                # The top bit stays clear: 2**41 ids fit into one millisecond before the tail could wrap.
                self._tail = secrets.randbits(_TAIL_BITS - 1)
                self._millisecond = millisecond
            return self._tail


_sequence = _Sequence()


def new_uuid7(now: datetime) -> UUID:
    """Mint a UUIDv7 for `now` (aware, any zone), which is cut to its millisecond.

    Raises `ValueError` for a naive datetime or one before 1970.
    """
    millisecond = _millisecond(now)
    return _composed(millisecond, _sequence.next_tail(millisecond))


def uuid7_of(moment: datetime, what: str) -> UUID:
    """Return the UUIDv7 of `what` at `moment`: the same in every process and at every try.

    Raises `ValueError` as `new_uuid7` does.
    """
    digest = int.from_bytes(sha256(what.encode()).digest(), "big")
    return _composed(_millisecond(moment), digest >> (256 - _TAIL_BITS))


def _millisecond(moment: datetime) -> int:
    if moment.tzinfo is None:
        raise ValueError("a UUIDv7 needs an aware datetime")
    millisecond = (moment - _EPOCH) // _MILLISECOND
    if millisecond < 0:
        raise ValueError("a UUIDv7 needs a moment after 1970-01-01T00:00:00Z")
    return millisecond


def _composed(millisecond: int, tail: int) -> UUID:
    high = (millisecond << 16) | (0x7 << _RAND_A_BITS) | (tail >> _RAND_B_BITS)
    low = (0b10 << _RAND_B_BITS) | (tail & ((1 << _RAND_B_BITS) - 1))
    return UUID(int=(high << 64) | low)


def uuid7_timestamp(value: UUID) -> datetime:
    """Return the millisecond inside a UUIDv7 as aware UTC; `ValueError` for another version or a year after 9999."""
    if value.version != 7:
        raise ValueError(f"{value} is not a UUIDv7")
    try:
        return _EPOCH + (value.int >> 80) * _MILLISECOND
    except OverflowError:
        raise ValueError(f"{value} is of a year after 9999") from None
