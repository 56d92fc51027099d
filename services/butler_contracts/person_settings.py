"""What one person of the household has for themselves: language, time zone, quiet hours, the hour of the digest (D83).

As the contacts file says it, as schema `shared` keeps it, and as Switchboard tells the butlers with their heartbeats;
also what a person may ask (ADR 0100). Settings and resources take from here what a time zone, a wall time and
quiet hours are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field, model_validator

from butler_contracts.base import StrictModel, TolerantModel
from butler_contracts.errors import InternalFailure
from butler_contracts.language import Language
from butler_contracts.stored import stored

__all__ = [
    "LIMITED",
    "MAY_BE_LIMITED",
    "PEOPLE",
    "LimitsV1",
    "PersonSettings",
    "QuietHoursV1",
    "WallTime",
    "in_quiet_hours",
    "is_time_zone",
    "known_time_zone",
    "people_in",
    "with_owner",
]

LIMITED: Final = ("child", "guest")
"""Roles of members who approve nothing, and in whose names nothing is done outside."""
MAY_BE_LIMITED: Final = ("adult", "member", *LIMITED)
"""Roles of members who may have `limits`; the owner has none, and others ask nothing."""
Standing = Literal["child", "guest"]
PEOPLE: Final = "people"
"""Of the answer to a butler's heartbeat: the settings of everybody who has any, by contact."""


def is_time_zone(name: str) -> bool:
    """Whether there is a time zone of this IANA name on this machine."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def known_time_zone(name: str) -> str:
    """The name, when it is a time zone's. Raises `ValueError` that says what is expected."""
    if not is_time_zone(name):
        raise ValueError(f"'{name}' is no time zone; expected an IANA name such as Europe/Berlin")
    return name


WallTime = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
"""An hour as a clock shows it: 07:00."""


def in_quiet_hours(at: str, start: str, end: str) -> bool:
    """Whether the wall time `at` (HH:MM) lies between `start` and `end`, over midnight where that is the earlier."""
    return start <= at < end if start < end else at >= start or at < end


class QuietHoursV1(StrictModel):
    """Wall times. `end` is on the next day if it is earlier than `start`."""

    start: WallTime
    end: WallTime

    @model_validator(mode="after")
    def _is_not_the_whole_day(self) -> Self:
        if self.start == self.end:
            raise ValueError(f"start and end are both {self.start}; expected two different times")
        return self


ButlerName = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", max_length=63)]


class LimitsV1(StrictModel):
    """Limits of an adult, child or guest: the `butlers` that they may ask, and the `hours` during which they may.

    For the butlers of `ask_first` the owner has to agree. A field that is not set imposes no limit.
    """

    butlers: Annotated[tuple[ButlerName, ...], Field(max_length=50)] | None = None
    ask_first: Annotated[tuple[ButlerName, ...], Field(max_length=50)] = Field(default=(), alias="askFirst")
    hours: QuietHoursV1 | None = None

    @model_validator(mode="after")
    def _says_each_butler_once(self) -> Self:
        both = sorted(set(self.butlers or ()) & set(self.ask_first))
        if both:
            raise ValueError(f"{both[0]} is in butlers and in askFirst; expected one of them")
        return self


class PersonSettings(TolerantModel):
    """Settings of one person. Unset fields are as for the household; only a child or guest has a `standing`."""

    language: Language | None = None
    timezone: Annotated[str, Field(max_length=64), AfterValidator(known_time_zone)] | None = None
    quiet_hours: QuietHoursV1 | None = Field(default=None, alias="quietHours")
    digest_at: WallTime | None = Field(default=None, alias="digestAt")
    standing: Standing | None = None
    limits: LimitsV1 | None = None

    @model_validator(mode="after")
    def _is_told_the_digest(self) -> Self:
        at, quiet = self.digest_at, self.quiet_hours
        if at is not None and quiet is not None and in_quiet_hours(at, quiet.start, quiet.end):
            said = f"digestAt is {at}, in the quietHours from {quiet.start} to {quiet.end}"
            raise ValueError(f"{said}; expected an hour outside of them")
        return self

    def to_wire(self) -> dict[str, Any]:
        """What is said alone; empty where that is nothing."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)


def people_in(answer: Mapping[str, Any]) -> dict[UUID, PersonSettings] | None:
    """The people of an answer to a heartbeat; None where it does not say, as that of the release before.

    Raises a `ButlerError` for what cannot be read.
    """
    told = answer.get(PEOPLE)
    if told is None:
        return None
    if not isinstance(told, Mapping):
        raise InternalFailure(f"the answer to the heartbeat has '{PEOPLE}' that is no object")
    return stored(dict[UUID, PersonSettings], told)


def with_owner(entries: Any) -> Any:
    """The contacts as they are written; where nobody is called the owner, the first is who has no role."""
    told = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    if not told or any(entry.get("role") == "owner" for entry in told) or "role" in told[0]:
        return entries
    return [{**entry, "role": "owner"} if entry is told[0] else entry for entry in entries]
