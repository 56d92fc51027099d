"""Knows each person's own settings: at the start the stored ones, then those of each heartbeat (ADR 0059).

Invariant: without word from Switchboard nothing changes; reminders are moved at every heartbeat until all are by
their person's clock, so that one that was being told meanwhile follows too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.errors import ButlerError
from butler_contracts.person_settings import people_in
from butler_contracts.quiet_hours import QuietHours
from butler_contracts.stored import Unreadable
from butler_kit.telemetry import get_logger
from butler_specialist.people.ways import Everybody, Ways
from butler_specialist.store.people import PeopleStore

__all__ = ["People"]

_log = get_logger(__name__)


class People:
    """Everybody's settings; `changed` is called when they change, `moved` when reminders have new moments."""

    def __init__(
        self,
        store: PeopleStore,
        household: Ways,
        *,
        changed: Callable[[], object],
        moved: Callable[[], object],
    ) -> None:
        self._store = store
        self._known = Everybody(household)
        self._changed = changed
        self._moved = moved

    def of(self, contact_id: UUID | None) -> Ways:
        return self._known.of(contact_id)

    def zone_of(self, contact_id: UUID | None) -> ZoneInfo:
        return self.of(contact_id).clock.zone

    def quiet_of(self, contact_id: UUID | None) -> QuietHours | None:
        return self.of(contact_id).clock.quiet

    async def begin(self) -> None:
        """Load the settings stored before this process. Raises the errors of an unavailable database."""
        try:
            self._known = Everybody(self._known.household, await self._store.settings())
        except Unreadable as problem:
            _log.warning("settings_unreadable", problem=problem.message)

    async def heard(self, answer: Mapping[str, Any]) -> None:
        """Take the settings from a heartbeat's answer.

        What cannot be read or stored waits for the next one.
        """
        try:
            told = people_in(answer)
            if told is None:
                return
            if told != self._known.own:
                await self._store.replace(told)
                self._known = Everybody(self._known.household, told)
                _log.info("settings_changed", people=len(told))
                self._changed()
            if await self._store.move_reminders(self._known.household.clock.zone, told):
                self._moved()
        except ButlerError as problem:
            _log.warning("settings_not_taken", problem=problem.message)
