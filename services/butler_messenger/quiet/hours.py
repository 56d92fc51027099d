"""PURE: until when a message waits for a person who wants to be left alone (D66, docs/adr/0080).

Invariant: an answer is never held, nor what is of high urgency.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from butler_contracts.person_settings import PersonSettings
from butler_contracts.quiet_hours import QuietHours
from butler_messenger.delivery.outgoing import Wished

__all__ = ["HouseholdHours", "can_wait", "is_digested"]


def can_wait(wished: Wished) -> bool:
    """Whether it may be held at all."""
    urgency = wished.notify_request["delivery"].get("urgency")
    return wished.intent == "send" and wished.target_identity is not None and urgency != "high"


def is_digested(wished: Wished) -> bool:
    """Whether it is told with others at the hour of its person's digest; what can be pressed, or has files, is not."""
    wish = wished.notify_request["delivery"]
    by_itself = wish.get("actions") or wish.get("attachments")
    return can_wait(wished) and wish.get("urgency") == "low" and not by_itself


@dataclass(frozen=True, slots=True)
class HouseholdHours:
    """What holds for whoever has none of their own; without `quiet` nobody else is left alone, without `digest_at`
    nobody else has a digest."""

    zone: ZoneInfo
    quiet: QuietHours | None
    digest_at: time | None = None

    def digest_for(self, own: PersonSettings, now: datetime) -> datetime | None:
        """When a person's next digest is after `now`; None where they have none."""
        zone = ZoneInfo(own.timezone) if own.timezone else self.zone
        at = time.fromisoformat(own.digest_at) if own.digest_at is not None else self.digest_at
        if at is None:
            return None
        today = now.astimezone(zone).date()
        days = (today, today + timedelta(days=1))
        moments = (datetime.combine(day, at, zone).astimezone(UTC) for day in days)
        return next(moment for moment in moments if moment > now)

    def end_for(self, own: PersonSettings, now: datetime) -> datetime | None:
        """When the quiet hours end in which a person is at `now`; None where they are in none."""
        zone = ZoneInfo(own.timezone) if own.timezone else self.zone
        quiet = QuietHours.of(own.quiet_hours) if own.quiet_hours is not None else self.quiet
        end = quiet.told_at(now, zone) if quiet is not None else now
        return end if end > now else None
