"""The household's calendar, as butlers ask for it through Switchboard and Messenger answers (SWB-24.2, MSR-01.2, D53).

Invariant: an event of ours has the id that its caller gives it, so that the same wish twice is one event.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from butler_contracts.base import UUID5, StrictModel, Timestamp, TolerantModel, rule_broken
from butler_contracts.person_settings import known_time_zone
from butler_contracts.text import STORABLE

__all__ = [
    "CALENDAR",
    "CREATE_TOOL",
    "DELETE_TOOL",
    "FREEBUSY_TOOL",
    "LIST_TOOL",
    "LONGEST",
    "MOST_LISTED",
    "MOVE_TOOL",
    "STATUS_TOOL",
    "TOOLS",
    "Booking",
    "CalendarCreate",
    "CalendarDelete",
    "CalendarEvent",
    "CalendarList",
    "CalendarMove",
    "CalendarPeriod",
    "CalendarWord",
    "Deleted",
    "FreeBusy",
    "FreeTime",
]

CALENDAR: Final = "calendar"
"""What Messenger says that it can do where its calendar has an account."""
LIST_TOOL: Final = "calendar_list"
FREEBUSY_TOOL: Final = "calendar_freebusy"
CREATE_TOOL: Final = "calendar_create"
MOVE_TOOL: Final = "calendar_move"
DELETE_TOOL: Final = "calendar_delete"
STATUS_TOOL: Final = "calendar_status"
TOOLS: Final = (LIST_TOOL, FREEBUSY_TOOL, CREATE_TOOL, MOVE_TOOL, DELETE_TOOL)

MOST_LISTED: Final = 200
"""Events, or busy times, of one answer."""
LONGEST: Final = timedelta(days=31)
"""The longest period that one call may ask about, and the longest event that one may make."""

OwnEvent = UUID5
"""The id of an event of ours, as records have one; other programs draw theirs by chance, and what is theirs stays."""
Title = Annotated[str, Field(min_length=1, max_length=300), STORABLE]
Place = Annotated[str, Field(min_length=1, max_length=300), STORABLE]
Uid = Annotated[str, Field(min_length=1, max_length=200), STORABLE]
Zone = Annotated[str, Field(max_length=64), AfterValidator(known_time_zone)]


class CalendarPeriod(StrictModel):
    """From `start` up to but not including `end`, 31 days at most."""

    start: Timestamp
    end: Timestamp

    @model_validator(mode="after")
    def _is_a_period(self) -> Self:
        _ordered(self.start, self.end)
        return self


class CalendarEvent(TolerantModel):
    """One event, or one time of a recurring one: with hours, or from `first_day` to `last_day`, both included.

    `busy`: nobody is to be booked over it.
    """

    event_id: str
    title: str
    start: Timestamp | None = None
    end: Timestamp | None = None
    first_day: date | None = None
    last_day: date | None = None
    place: str | None = None
    busy: bool = True


class CalendarList(TolerantModel):
    """What is in the calendar in a period, in order of time; `more`: than is listed; `off`: there is no calendar."""

    events: tuple[CalendarEvent, ...] = ()
    more: bool = False
    off: bool = False


class FreeTime(TolerantModel):
    """A time, in UTC."""

    start: Timestamp
    end: Timestamp


class FreeBusy(TolerantModel):
    """When somebody is busy in a period, without what they do."""

    busy: tuple[FreeTime, ...] = ()
    off: bool = False


class CalendarCreate(StrictModel):
    """An event to be booked: with hours, or on a whole `day`, which books nobody's time.

    The same `event_id` again makes no second event. `timezone` is whose days and hours are proposed in a conflict.
    `last_day` is the last of several whole days. `uid` is what other programs know the event by (RFC 5545, section
    3.8.4.7): where one of them put it there, it stands and is not booked.
    """

    event_id: OwnEvent
    title: Title
    start: Timestamp | None = None
    end: Timestamp | None = None
    day: date | None = None
    last_day: date | None = None
    uid: Uid | None = None
    place: Place | None = None
    timezone: Zone = "UTC"

    @model_validator(mode="after")
    def _has_a_time(self) -> Self:
        _one_time(self.start, self.end, self.day, self.last_day)
        return self


class CalendarMove(StrictModel):
    """Another time, and where given other words, for an event that `calendar_create` booked."""

    event_id: OwnEvent
    start: Timestamp | None = None
    end: Timestamp | None = None
    day: date | None = None
    last_day: date | None = None
    title: Title | None = None
    place: Place | None = None
    timezone: Zone = "UTC"

    @model_validator(mode="after")
    def _has_a_time(self) -> Self:
        _one_time(self.start, self.end, self.day, self.last_day)
        return self


class CalendarDelete(StrictModel):
    """An event of ours that is to be there no longer; one that is not there is gone already."""

    event_id: OwnEvent


class Booking(TolerantModel):
    """`booked`: the event stands so. `conflict`: nothing was booked; what is there then, and up to three free times.

    `absent`: there is no such event to be moved. `off`: there is no calendar. `there`: another program has it
    there as `event` says, and it stays so.
    """

    status: Literal["booked", "conflict", "absent", "off", "there"]
    event: CalendarEvent | None = None
    conflicts: tuple[CalendarEvent, ...] = ()
    free: tuple[FreeTime, ...] = ()


class Deleted(TolerantModel):
    """Whether there was anything to delete."""

    status: Literal["deleted", "absent", "off"]


class CalendarWord(TolerantModel):
    """How the calendar stands, as Messenger says it: on or off, and in words why it is not well."""

    provider: str
    conflicts: str
    state: Literal["off", "well", "amiss", "unknown"]
    words: str = ""


def _one_time(start: datetime | None, end: datetime | None, day: date | None, last_day: date | None) -> None:
    if last_day is not None and (day is None or not day <= last_day <= day + LONGEST):
        raise rule_broken(
            "last_day", "does not go with `day`", f"a day up to {LONGEST.days} days after `day`"
        )
    if day is not None:
        if start is not None or end is not None:
            raise rule_broken("day", "is given beside hours", "either `day`, or `start` and `end`")
        return
    if start is None or end is None:
        raise rule_broken("start", "has no time", "either `day`, or `start` and `end`")
    _ordered(start, end)


def _ordered(start: datetime, end: datetime) -> None:
    if not start < end <= start + LONGEST:
        raise rule_broken(
            "end", "is not after `start`, or too far from it", f"a moment up to {LONGEST.days} days later"
        )
