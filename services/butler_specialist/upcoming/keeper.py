"""Keeps the reminders of records in line with the records, after each message and every minute (ADR 0061).

Invariant: it only reads records and derives; a crash anywhere is repaired by the next pass. The text is looked up
once more when it is due, so that a late pass tells nothing that is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import get_logger
from butler_kit.time import wait_until_set
from butler_kit.wording.standing import Topic
from butler_specialist.people.ways import Ways
from butler_specialist.remind.clock import Clock
from butler_specialist.store.model import Record
from butler_specialist.store.upcoming import UpcomingStore
from butler_specialist.upcoming.occasions import (
    KINDS,
    Occasion,
    Window,
    day_of_key,
    occasions,
    topic_of_key,
)
from butler_specialist.upcoming.plan import Due, Standing, Wants, due_of, plan_of

__all__ = ["Upcoming", "UpcomingSettings"]

_log = get_logger(__name__)

_EVERY_S: Final = 60.0
"""The interval besides each message, for what an operator changed, another replica wrote, or a crash left."""
_AHEAD: Final = timedelta(days=60)
"""A household that is down for less than this finds its reminders there, and tells what was missed."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class UpcomingSettings:
    """The butler's topics, those the household wants and how early, and how each person is told."""

    topics: tuple[Topic, ...]
    household: frozenset[Topic]
    ways: Callable[[UUID | None], Ways]
    before: Mapping[Topic, tuple[int, ...]] = field(default_factory=dict)


class OfEverybody(Protocol):
    """What each person is reminded of: their own records, told to them alone."""

    async def of_everybody(self, kinds: Collection[str]) -> Sequence[Record]: ...


class Upcoming:
    """The reminders of one butler's records; `look` tells the reminders' queue that there are new ones."""

    def __init__(
        self,
        *,
        settings: UpcomingSettings,
        records: OfEverybody,
        store: UpcomingStore,
        look: Callable[[], object],
    ) -> None:
        self._settings = settings
        self._records = records
        self._store = store
        self._look = look
        self._changed = asyncio.Event()

    def changed(self) -> None:
        """Records or wishes were written: reconcile now."""
        self._changed.set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Reconcile whenever something changed, and every minute."""
        while self._settings.topics and not stopping.is_set():
            self._changed.clear()
            try:
                await self.reconcile()
            except ButlerError as failure:
                _log.warning("upcoming_failed", problem=failure.message)
            await wait_until_set(self._changed, _EVERY_S)

    async def reconcile(self) -> None:
        """Reconcile once. Raises the errors of an unavailable database."""
        waiting = await self._store.waiting()
        wants, now = await self._wants()
        if not waiting and not self._anybody(wants):
            return
        due = await self._due(self._window(waiting, now), wants)
        ended = await self._store.ended([one.occasion.reminder_id for one in due])
        plan = plan_of(due, (*waiting, *ended), now)
        if plan.is_empty:
            return
        await reached_async(points.UPCOMING_DECIDED)
        if await self._store.keep(plan):
            self._look()
        await reached_async(points.UPCOMING_KEPT)
        if plan.lapse:
            await self._store.lapse(plan.lapse)
        if plan.comes_back:
            self._changed.set()

    async def text_of(self, record_id: UUID, key: str) -> str | None:
        """Return the current text of a record's occasion; None if it no longer comes up."""
        topic, day = topic_of_key(key), day_of_key(key)
        if topic is None:
            return None
        wants, now = await self._wants()
        day = day or self._today(now)
        due = due_of(await self._of(topic, Window(day, day + _DAY), wants), wants)
        return next((one.text for one in due if one.names == (record_id, key)), None)

    async def _wants(self) -> tuple[Wants, datetime]:
        found, settings = await self._store.wishes(), self._settings
        wants = Wants(
            found.said, settings.household, lambda who: settings.ways(who).language, settings.before
        )
        return wants, found.now

    def _anybody(self, wants: Wants) -> bool:
        return bool(wants.household.intersection(self._settings.topics)) or any(
            wish.wanted and topic in self._settings.topics for (_, topic), wish in wants.wishes.items()
        )

    def _window(self, waiting: Sequence[Standing], now: datetime) -> Window:
        """Return the days from the oldest waiting reminder, so that missed ones are told, to some way ahead.

        It begins no later than yesterday, which it still is somewhere.
        """
        today = self._today(now)
        days: list[date] = [day for one in waiting if (day := day_of_key(one.key)) is not None]
        return Window(min([today - _DAY, *days]), max([today + _AHEAD, *(day + _DAY for day in days)]))

    def _today(self, now: datetime) -> date:
        return now.astimezone(self._settings.ways(None).clock.zone).date()

    async def _due(self, window: Window, wants: Wants) -> list[Due]:
        found = [one for topic in self._settings.topics for one in await self._of(topic, window, wants)]
        return due_of(found, wants)

    async def _of(self, topic: Topic, window: Window, wants: Wants) -> Sequence[Occasion]:
        rows = await self._records.of_everybody(KINDS[topic])
        return occasions(topic, rows, window, self._clock, wants.leads(topic))

    def _clock(self, row: Record) -> Clock:
        return self._settings.ways(row.contact_id).clock
