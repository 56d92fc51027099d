"""PURE: each person's clock and language: by their own settings, else the household's (D83)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.language import Language
from butler_contracts.person_settings import PersonSettings
from butler_contracts.quiet_hours import QuietHours
from butler_specialist.remind.clock import Clock

__all__ = ["Everybody", "Ways"]


@dataclass(frozen=True, slots=True)
class Ways:
    """A clock, and the language for where a person's own words have none."""

    clock: Clock
    language: Language

    def of(self, own: PersonSettings) -> Ways:
        """Return these with a person's own settings applied."""
        zone = ZoneInfo(own.timezone) if own.timezone else self.clock.zone
        quiet = self.clock.quiet
        if own.quiet_hours is not None:
            quiet = QuietHours.of(own.quiet_hours)
        return Ways(Clock(zone, quiet), own.language or self.language)


@dataclass(frozen=True)
class Everybody:
    """The household's ways, and `own`, the settings of those who have any."""

    household: Ways
    own: Mapping[UUID, PersonSettings] = field(default_factory=dict)

    def of(self, contact_id: UUID | None) -> Ways:
        """Return a person's ways; the household's for anybody who is no contact."""
        own = self.own.get(contact_id) if contact_id is not None else None
        return self.household.of(own) if own is not None else self.household
