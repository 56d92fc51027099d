"""Time and time-ordered ids as arguments: nothing below reads the wall clock or mints an id on its own."""

from butler_kit.time.clock import Clock, ManualClock, SystemClock
from butler_kit.time.ids import new_uuid7, uuid7_of, uuid7_timestamp
from butler_kit.time.waiting import wait_until_set

__all__ = [
    "Clock",
    "ManualClock",
    "SystemClock",
    "new_uuid7",
    "uuid7_of",
    "uuid7_timestamp",
    "wait_until_set",
]
