"""Knows what each person has for themselves: from the start what was kept, then what each heartbeat is told (ADR 0059).

Invariant: what Switchboard cannot say changes nothing; reminders are moved at every heartbeat until all are by the
clock of their person, so that one that was being told meanwhile follows too.
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
    """`changed` is told when somebody has other settings, `moved` when reminders have other moments."""

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
        """What was told before this process. Raises what the database's absence raises."""
        try:
            self._known = Everybody(self._known.household, await self._store.settings())
        except Unreadable as problem:
            _log.warning("settings_unreadable", problem=problem.message)

    async def heard(self, answer: Mapping[str, Any]) -> None:
        """Take what an answer to a heartbeat says of people; what cannot be read or kept waits for the next one."""
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
