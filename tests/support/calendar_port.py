"""A calendar in memory, for tests of what is done with one; the adapters have servers of their own."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from butler_contracts.calendar import CalendarEvent
from butler_contracts.errors import ButlerError
from butler_kit.calendar.conflicts import span_of
from butler_kit.calendar.port import CalendarPort, Span

__all__ = ["MemoryCalendar"]


class MemoryCalendar(CalendarPort):
    """`fault` is raised by every call, `lost` after the next write was done."""

    def __init__(self, *events: CalendarEvent) -> None:
        self.there = {event.event_id: event for event in events}
        self.fault: ButlerError | None = None
        self.lost: ButlerError | None = None
        self.writes: list[str] = []

    async def check(self) -> None:
        self._asked()

    async def events(self, span: Span) -> Sequence[CalendarEvent]:
        self._asked()
        zone = ZoneInfo("UTC")
        return [one for one in self.there.values() if (when := span_of(one, zone)) and when.meets(span)]

    async def find(self, event_id: str) -> CalendarEvent | None:
        self._asked()
        return self.there.get(event_id)

    async def by_uid(self, uid: str, span: Span) -> CalendarEvent | None:
        self._asked()
        return self.there.get(uid)

    async def create(self, event: CalendarEvent) -> CalendarEvent:
        self._asked()
        self.there.setdefault(event.event_id, event)
        self._written(f"create {event.event_id}")
        return self.there[event.event_id]

    async def move(self, event: CalendarEvent) -> CalendarEvent | None:
        self._asked()
        if event.event_id not in self.there:
            return None
        self.there[event.event_id] = event
        self._written(f"move {event.event_id}")
        return event

    async def delete(self, event_id: str) -> bool:
        self._asked()
        gone = self.there.pop(event_id, None) is not None
        self._written(f"delete {event_id}")
        return gone

    async def aclose(self) -> None:
        return None

    def _asked(self) -> None:
        if self.fault is not None:
            raise self.fault

    def _written(self, what: str) -> None:
        self.writes.append(what)
        lost, self.lost = self.lost, None
        if lost is not None:
            raise lost
