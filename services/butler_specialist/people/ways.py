"""PURE: how each person says and is told things: by their own settings, else as the household has it (D83)."""

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
    """By which clock, and in which language where their own words are of none."""

    clock: Clock
    language: Language

    def of(self, own: PersonSettings) -> Ways:
        """These, but for what a person has of their own."""
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
        """A person's; the household's for who is no contact."""
        own = self.own.get(contact_id) if contact_id is not None else None
        return self.household.of(own) if own is not None else self.household
