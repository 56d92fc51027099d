"""PURE: until when a message waits for the end of a person's quiet hours (D66, docs/adr/0080).

Invariant: a reply is never held, nor is a message of high urgency.
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
    """Return whether it may be held at all."""
    urgency = wished.notify_request["delivery"].get("urgency")
    return wished.intent == "send" and wished.target_identity is not None and urgency != "high"


def is_digested(wished: Wished) -> bool:
    """Return whether it goes into its recipient's digest; a message with buttons or files does not."""
    wish = wished.notify_request["delivery"]
    by_itself = wish.get("actions") or wish.get("attachments")
    return can_wait(wished) and wish.get("urgency") == "low" and not by_itself


@dataclass(frozen=True, slots=True)
class HouseholdHours:
    """The defaults for people without settings of their own.

    Without `quiet` they have no quiet hours, without `digest_at` no digest.
    """

    zone: ZoneInfo
    quiet: QuietHours | None
    digest_at: time | None = None

    def digest_for(self, own: PersonSettings, now: datetime) -> datetime | None:
        """Return the time of a person's next digest after `now`; None if they have none."""
        zone = ZoneInfo(own.timezone) if own.timezone else self.zone
        at = time.fromisoformat(own.digest_at) if own.digest_at is not None else self.digest_at
        if at is None:
            return None
        today = now.astimezone(zone).date()
        days = (today, today + timedelta(days=1))
        moments = (datetime.combine(day, at, zone).astimezone(UTC) for day in days)
        return next(moment for moment in moments if moment > now)

    def end_for(self, own: PersonSettings, now: datetime) -> datetime | None:
        """Return the end of the person's quiet hours at `now`; None if they are in none."""
        zone = ZoneInfo(own.timezone) if own.timezone else self.zone
        quiet = QuietHours.of(own.quiet_hours) if own.quiet_hours is not None else self.quiet
        end = quiet.told_at(now, zone) if quiet is not None else now
        return end if end > now else None
