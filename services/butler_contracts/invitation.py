"""What an invitation that came by mail says (RFC 5545, 5546, 6047), as whoever read the mail understood it. Pure.

Anybody may have made one up: who sent the mail is what Switchboard says of its sender, and `organizer` is a word in it.
Invariant: a time is here only where it is certain; one that is not is `unclear`, and no guess.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Final, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, model_validator

from butler_contracts.base import YEARS, StrictModel, Timestamp, rule_broken
from butler_contracts.text import STORABLE, Line

__all__ = [
    "CAPABILITY",
    "EVENTS_MAX",
    "SEGMENT",
    "TEXT_MAX",
    "Answered",
    "InvitationV1",
    "InvitedEventV1",
    "Method",
    "Unclear",
]

CAPABILITY: Final = "invitations"
"""What a butler says that it can do which makes records of them."""
SEGMENT: Final = "invitation"
"""The segment of a message that is its invitation, and not its words."""
EVENTS_MAX: Final = 10
"""Appointments of one mail; a file with more is somebody's calendar."""
TEXT_MAX: Final = 200
LENGTH_MAX_S: Final = 31 * 86_400
SEQUENCE_MAX: Final = 2**31 - 1

Method = Literal["publish", "request", "reply", "add", "cancel", "refresh", "counter", "declinecounter"]
Unclear = Literal["time", "rule", "over"]
"""Why it has no time: none that is certain, a rule that nobody can follow, or a series that has ended."""
Answered = Literal["accepted", "declined", "tentative"]


Day = TypeVar("Day", bound=date)


def _without_zone(value: datetime) -> datetime:
    if value.tzinfo is not None:
        raise rule_broken("", "has a zone", "what a clock on the wall shows")
    return value


def _of_a_calendar(value: Day) -> Day:
    if not YEARS[0] <= value.year <= YEARS[1]:
        raise rule_broken("", f"is in the year {value.year}", f"a year from {YEARS[0]} to {YEARS[1]}")
    return value


Short = Annotated[Line, Field(max_length=TEXT_MAX)]
Wall = Annotated[datetime, AfterValidator(_without_zone), AfterValidator(_of_a_calendar)]
Whole = Annotated[date, AfterValidator(_of_a_calendar)]
Which = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z?)?$")]
"""One time of a series: a day, a moment in UTC, or what a clock on the wall shows."""


class InvitedEventV1(StrictModel):
    """One appointment: of a series its next time, as of the writing of the mail.

    `starts` is a moment, `wall` what the clock shows then where the event is at home; one that is at home nowhere has a
    `wall` alone, by the clock of whoever reads it. Whole days are from `first_day` to `last_day`, both included.
    `which` is the one time of a series that the mail is about, `next` the one that was taken of a series.
    `sequence` and `stamped_at` say which of two versions is the later one (RFC 5546, section 2.1.5).
    """

    uid: Annotated[str, Field(min_length=1, max_length=TEXT_MAX), STORABLE]
    sequence: Annotated[int, Field(ge=0, le=SEQUENCE_MAX)] = 0
    stamped_at: Timestamp | None = None
    title: Short | None = None
    place: Short | None = None
    organizer: Short | None = None
    organizer_name: Short | None = None
    answered_by: Short | None = None
    answered: Answered | None = None
    cancelled: bool = False
    which: Which | None = None
    next: Which | None = None
    rule: Annotated[str, Field(pattern=r"^[A-Z0-9=;,+-]{1,200}$")] | None = None
    starts: Timestamp | None = None
    wall: Wall | None = None
    length_s: Annotated[int, Field(ge=0, le=LENGTH_MAX_S)] | None = None
    first_day: Whole | None = None
    last_day: Whole | None = None
    unclear: Unclear | None = None

    @model_validator(mode="after")
    def _has_one_time_or_says_why_not(self) -> Self:
        timed, whole = self.wall is not None, self.first_day is not None
        if self.starts is not None and not timed:
            raise rule_broken("wall", "is missing beside `starts`", "what the clock shows at that moment")
        if timed + whole + (self.unclear is not None) != 1:
            raise rule_broken("", "has no time, or two", "`wall`, `first_day`, or `unclear`")
        if (self.last_day is not None) != whole or (whole and self.last_day < self.first_day):  # type: ignore[operator]
            raise rule_broken("last_day", "does not go with `first_day`", "the same day or a later one")
        return self


class InvitationV1(StrictModel):
    """`method` is what its sender wants; None where they do not say, as a file that is only handed on.

    `more` counts appointments beyond `events`. `apart`: the mail has words of its own beside it.
    """

    method: Method | None = None
    events: Annotated[tuple[InvitedEventV1, ...], Field(min_length=1, max_length=EVENTS_MAX)]
    more: Annotated[int, Field(ge=0)] = 0
    apart: bool = False

    @property
    def is_all(self) -> bool:
        """Whether its words, if it has any, are a program's, which say the same once more."""
        return not self.apart or self.method not in (None, "publish", "request")
