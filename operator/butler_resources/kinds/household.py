"""The block `household` of the Switchboard: what holds for every butler of the household (D83)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from butler_contracts.person_settings import QuietHoursV1
from butler_resources.kinds.base import Currency, ResourceModel, TimeZone, WallTime
from butler_resources.kinds.ca_bundle import CaBundleRef
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.telemetry import HouseholdTelemetry

__all__ = ["UTC", "Household", "QuietHours", "RemindBefore"]

UTC: Final = "UTC"


class QuietHours(QuietHoursV1, ResourceModel):
    """When the household wants to be left alone, by its clock."""

    start: WallTime = Field(description="When they begin, such as 22:00.")
    end: WallTime = Field(
        description="When they end, such as 07:00; the next day where it is the earlier of both."
    )


_LONGEST: Final = 30
_MOST: Final = 3
Days = tuple[Annotated[int, Field(ge=0, le=_LONGEST)], ...]
DaysBefore = tuple[Annotated[int, Field(ge=1, le=_LONGEST)], ...]


def _each_once(kind: str) -> Rule:
    def holds(before: RemindBefore) -> bool:
        days: tuple[int, ...] = getattr(before, kind) or ()
        return len(set(days)) == len(days)

    return Rule(
        cel=f"!has(self.{kind}) || self.{kind}.all(day, self.{kind}.exists_one(other, other == day))",
        message=f"`{kind}` has a number of days twice; remove one",
        holds=holds,
    )


class RemindBefore(ResourceModel):
    """How many days before a record comes up it is told, for each kind of record; several are several reminders."""

    RULES: ClassVar[tuple[Rule, ...]] = tuple(
        _each_once(kind) for kind in ("bills", "birthdays", "departures")
    )

    bills: Days | None = Field(
        default=None,
        max_length=_MOST,
        description="At 09:00 so many days before a bill is due, 0 on the day, such as [3]. Default: [1].",
    )
    birthdays: Days | None = Field(
        default=None,
        max_length=_MOST,
        description="At 09:00 so many days before a birthday, 0 on the day, such as [7, 0]. Default: [1].",
    )
    departures: DaysBefore | None = Field(
        default=None,
        max_length=_MOST,
        description="At 18:00 so many days before a departure, besides three hours before. Default: [1].",
    )


class Household(ResourceModel):
    """What a household's butlers have in common; a butler may have a `timezone` of its own."""

    timezone: TimeZone | None = Field(
        default=None,
        description="IANA time zone, such as Europe/Berlin, in which `today` and `this month` are understood. "
        "Default: UTC.",
    )
    currency: Currency | None = Field(
        default=None,
        description="ISO 4217 code, such as EUR, of a sum that is told without a currency. Default: none; such "
        "a sum is kept as a note.",
    )
    quiet_hours: QuietHours | None = Field(
        default=None,
        description="What nobody asked for, or named an hour for, is told when they end: a reminder with an hour of "
        "its own comes at it, answers and what is urgent come at once. Default: none.",
    )
    language: Literal["en", "de", "fr", "es"] | None = Field(
        default=None,
        description="In which what nobody asked for is told: the digest, questions for an approval, and what "
        "`remindOf` names; and words of no language are answered. Any other answer is in the language of its question. "
        "Default: en.",
    )
    digest_at: WallTime | None = Field(
        default=None,
        description="When each member is told once a day what is on today and what is of low urgency, such as 07:30; "
        "when quiet hours end, where it falls into them. Default: none; nobody is told.",
    )
    remind_of: tuple[Literal["bills", "birthdays", "departures", "tablets"], ...] | None = Field(
        default=None,
        max_length=4,
        description="Of which records each member is reminded by itself, in `language`: of those that they told over "
        "Telegram or mail. Who says “remind me of bills” or “stop reminding me of bills” has it as they say. Default: "
        "none.",
    )
    remind_before: RemindBefore | None = Field(
        default=None,
        description="How many days before, for whom no word of their own says otherwise, such as “remind me of bills "
        "three days before”. Default: the day before.",
    )
    ca_bundle_ref: CaBundleRef | None = Field(
        default=None,
        description="Certificate authorities that every butler and connector trusts besides the system's: for mail "
        "servers, the Bot API, collectors, and PostgreSQL with `sslmode=verify-full`. Default: none.",
    )
    telemetry: HouseholdTelemetry | None = Field(
        default=None,
        description="Where the spans of every butler and connector go that do not say otherwise.",
    )

    @property
    def collector(self) -> str | None:
        """Where spans go when a manifest does not say."""
        return None if self.telemetry is None else self.telemetry.otlp_endpoint
