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
    """Quiet hours, in local time."""

    start: WallTime = Field(description="Start time, such as 22:00.")
    end: WallTime = Field(
        description="End time, such as 07:00. It is on the next day if earlier than the start."
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
        message=f"`{kind}` lists a number of days twice; remove one",
        holds=holds,
    )


class RemindBefore(ResourceModel):
    """Reminders by kind of record, in days before it is due. Each number is one reminder."""

    RULES: ClassVar[tuple[Rule, ...]] = tuple(
        _each_once(kind) for kind in ("bills", "birthdays", "departures")
    )

    bills: Days | None = Field(
        default=None,
        max_length=_MOST,
        description="Reminders at 09:00, in days before a bill is due, 0 for the day itself, such as [3]. Default: "
        "[1].",
    )
    birthdays: Days | None = Field(
        default=None,
        max_length=_MOST,
        description="Reminders at 09:00, in days before a birthday, 0 for the day itself, such as [7, 0]. Default: "
        "[1].",
    )
    departures: DaysBefore | None = Field(
        default=None,
        max_length=_MOST,
        description="Reminders at 18:00, in days before a departure, in addition to three hours before. Default: [1].",
    )


class Household(ResourceModel):
    """Settings of all butlers of a household. A butler may set its own `timezone`."""

    timezone: TimeZone | None = Field(
        default=None,
        description="IANA time zone, such as Europe/Berlin, for interpreting `today` and `this month`. Default: UTC.",
    )
    currency: Currency | None = Field(
        default=None,
        description="ISO 4217 code, such as EUR, of a sum stated without a currency. Default: none; such a sum is kept "
        "as a note.",
    )
    quiet_hours: QuietHours | None = Field(
        default=None,
        description="Quiet hours. Unsolicited messages are held until they end. Reminders with a set time are sent at "
        "that time, answers and urgent messages at once. Default: none.",
    )
    language: Literal["en", "de", "fr", "es"] | None = Field(
        default=None,
        description="Language of unsolicited messages (digest, approval requests, reminders of `remindOf`) and of "
        "answers to messages in no recognisable language. Other answers use the language of the question. Default: "
        "en.",
    )
    digest_at: WallTime | None = Field(
        default=None,
        description="Time of each member's daily digest of today's events and items of low urgency, such as 07:30. "
        "Within quiet hours, it is sent when they end. Default: none; nobody is told.",
    )
    remind_of: tuple[Literal["bills", "birthdays", "departures", "tablets"], ...] | None = Field(
        default=None,
        max_length=4,
        description="Kinds of records to remind each member of automatically, in `language`, for records that they "
        "reported over Telegram or mail. Members override it by saying “remind me of bills” or “stop reminding me of "
        "bills”. Default: none.",
    )
    remind_before: RemindBefore | None = Field(
        default=None,
        description="Lead times of reminders, unless a member sets their own, as in “remind me of bills three days "
        "before”. Default: the day before.",
    )
    ca_bundle_ref: CaBundleRef | None = Field(
        default=None,
        description="Certificate authorities that every butler and connector trusts in addition to the system's, for "
        "mail servers, the Bot API, collectors, and PostgreSQL with `sslmode=verify-full`. Default: none.",
    )
    telemetry: HouseholdTelemetry | None = Field(
        default=None,
        description="Export of spans and metrics, for all butlers and connectors without their own setting.",
    )

    @property
    def collector(self) -> str | None:
        """Where spans and metrics go when a manifest does not say."""
        return None if self.telemetry is None else self.telemetry.otlp_endpoint
