"""Reads, books, moves and deletes events in the household's calendar, and never books over an event.

Invariants: bookings are made one at a time, each after a check for conflicts; the same event requested twice is one
event; the state of the calendar is the result of its last call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from datetime import datetime
from typing import Final, Literal, TypeVar
from zoneinfo import ZoneInfo

from butler_contracts.calendar import (
    MOST_LISTED,
    Booking,
    CalendarCreate,
    CalendarDelete,
    CalendarEvent,
    CalendarList,
    CalendarMove,
    CalendarPeriod,
    CalendarWord,
    Deleted,
    FreeBusy,
    FreeTime,
)
from butler_contracts.errors import ButlerError
from butler_kit.calendar.conflicts import DayHours, around, busy_in, free_times, in_the_way, span_of
from butler_kit.calendar.port import CalendarPort, Span, misconfigured
from butler_kit.config import CalendarConfig
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock, wait_until_set

__all__ = ["CalendarDesk"]

_log = get_logger(__name__)

_WELL_S: Final = 300.0
_AMISS_S: Final = 15.0
_OFF: Final = (
    "the calendar is off: it has no secret; name one in the messenger's spec.modules.calendar.secretRef"
)
_UTC: Final = ZoneInfo("UTC")
_T = TypeVar("_T")


class CalendarDesk:
    """`port` is None if the calendar is off, or if `wrong` says what keeps it from working."""

    def __init__(
        self,
        port: CalendarPort | None,
        config: CalendarConfig,
        hours: DayHours,
        clock: Clock,
        *,
        wrong: str | None = None,
    ) -> None:
        self._port = port
        self._config = config
        self._hours = hours
        self._clock = clock
        self._wrong = wrong
        self._well: bool | None = None
        self._booking = asyncio.Lock()

    @property
    def is_on(self) -> bool:
        """Whether an account is configured."""
        return self._port is not None or self._wrong is not None

    def word(self) -> CalendarWord:
        """Return the state of the calendar."""
        state: Literal["off", "well", "amiss", "unknown"] = "off"
        if self.is_on:
            state = "amiss" if self._wrong is not None else "well" if self._well else "unknown"
        words = self._wrong or (_OFF if state == "off" else "")
        return CalendarWord(
            provider=self._config.provider, conflicts=self._config.conflicts, state=state, words=words
        )

    async def run(self, stopping: asyncio.Event) -> None:
        """Check regularly that the account still opens the calendar, more often while it does not."""
        while self._port is not None and not stopping.is_set():
            try:
                await self._asked(self._port.check())
            except ButlerError:
                pass  # `word` returns it from now on
            except Exception:
                _log.exception("calendar_look_failed")
            await wait_until_set(stopping, _WELL_S if self._wrong is None else _AMISS_S)

    async def aclose(self) -> None:
        if self._port is not None:
            await self._port.aclose()

    async def list(self, asked: CalendarPeriod) -> CalendarList:
        """Return the events of a period, earliest first."""
        if not self.is_on:
            return CalendarList(off=True)
        found = await self._asked(self._opened().events(Span(asked.start, asked.end)))
        events = sorted(found, key=_order)
        return CalendarList(events=tuple(events[:MOST_LISTED]), more=len(events) > MOST_LISTED)

    async def freebusy(self, asked: CalendarPeriod) -> FreeBusy:
        """Return the busy times of a period."""
        if not self.is_on:
            return FreeBusy(off=True)
        wanted = Span(asked.start, asked.end)
        found = await self._asked(self._opened().events(wanted))
        spans = busy_in(wanted, found, _UTC)[:MOST_LISTED]
        return FreeBusy(busy=tuple(FreeTime(start=one.start, end=one.end) for one in spans))

    async def create(self, asked: CalendarCreate) -> Booking:
        """Book the event, unless it is there already or conflicts; the same id returns the same booking."""
        if not self.is_on:
            return Booking(status="off")
        port, event = self._opened(), _event(asked, asked.title)
        async with self._booking:
            there = await self._asked(port.find(event.event_id))
            if there is not None:
                return Booking(status="booked", event=there)
            zone = ZoneInfo(asked.timezone)
            theirs = await self._of_others(port, asked.uid, event, zone)
            if theirs is not None:
                return Booking(status="there", event=theirs)
            refusal = await self._conflict(port, event, zone)
            return refusal or Booking(status="booked", event=await self._asked(port.create(event)))

    async def move(self, asked: CalendarMove) -> Booking:
        """Move the event, unless the new time conflicts; `absent` if it is not, or no longer, there."""
        if not self.is_on:
            return Booking(status="off")
        port, zone = self._opened(), ZoneInfo(asked.timezone)
        async with self._booking:
            there = await self._asked(port.find(str(asked.event_id)))
            if there is None:
                return Booking(status="absent")
            event = _event(asked, asked.title or there.title)
            if span_of(event, zone) != span_of(there, zone):
                refusal = await self._conflict(port, event, zone)
                if refusal is not None:
                    return refusal
            moved = await self._asked(port.move(event))
            return Booking(status="absent") if moved is None else Booking(status="booked", event=moved)

    async def delete(self, asked: CalendarDelete) -> Deleted:
        """Delete the event; `absent` if it is not there."""
        if not self.is_on:
            return Deleted(status="off")
        async with self._booking:
            gone = await self._asked(self._opened().delete(str(asked.event_id)))
        return Deleted(status="deleted" if gone else "absent")

    async def _of_others(
        self, port: CalendarPort, uid: str | None, event: CalendarEvent, zone: ZoneInfo
    ) -> CalendarEvent | None:
        """Return the same event if another program entered it."""
        wanted = span_of(event, zone)
        return await self._asked(port.by_uid(uid, wanted)) if uid is not None and wanted is not None else None

    async def _conflict(self, port: CalendarPort, event: CalendarEvent, zone: ZoneInfo) -> Booking | None:
        """Return the conflicts and free times instead; None without conflicts, or if it takes no time."""
        wanted = span_of(event, zone)
        if not event.busy or wanted is None:
            return None
        events = await self._asked(port.events(around(wanted, zone)))
        met = in_the_way(wanted, events, zone, but=event.event_id)
        if not met:
            return None
        free = self._free(wanted, events, zone, event.event_id)
        return Booking(status="conflict", conflicts=met[:MOST_LISTED], free=free)

    def _free(
        self, wanted: Span, events: Sequence[CalendarEvent], zone: ZoneInfo, but: str
    ) -> tuple[FreeTime, ...]:
        found = free_times(wanted, events, zone=zone, hours=self._hours, now=self._clock.now(), but=but)
        return tuple(FreeTime(start=one.start, end=one.end) for one in found)

    def _opened(self) -> CalendarPort:
        if self._port is None:
            raise misconfigured(self._wrong or _OFF)
        return self._port

    async def _asked(self, call: Awaitable[_T]) -> _T:
        """Return the provider's answer, and take its success or failure as the calendar's state."""
        try:
            answer = await call
        except ButlerError as failure:
            self._say(failure.message)
            raise
        self._say(None)
        return answer

    def _say(self, wrong: str | None) -> None:
        if wrong is None and self._well is not True:
            _log.info("calendar_well", provider=self._config.provider)
        if wrong is not None and wrong != self._wrong:
            _log.warning("calendar_amiss", provider=self._config.provider, problem=wrong)
        self._wrong, self._well = wrong, wrong is None


def _event(asked: CalendarCreate | CalendarMove, title: str) -> CalendarEvent:
    """Return the event; an all-day event makes nobody busy."""
    return CalendarEvent(
        event_id=str(asked.event_id),
        title=title,
        start=asked.start,
        end=asked.end,
        first_day=asked.day,
        last_day=asked.last_day or asked.day,
        place=asked.place,
        busy=asked.day is None,
    )


def _order(event: CalendarEvent) -> tuple[datetime, bool, str]:
    span = span_of(event, _UTC)
    return (span.start if span else datetime.max.replace(tzinfo=_UTC), event.start is not None, event.title)
