"""Brings the calendar in line with the appointments, with each message and every minute (docs/adr/0098).

Invariants: the row is claimed before the calendar is asked; a crash anywhere is repaired by asking again, with the
same words and the same id; an unreachable calendar is retried for a day, one that is off for ever and quietly.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.calendar import Booking, Deleted
from butler_contracts.errors import ButlerError, InternalFailure
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock, wait_until_set
from butler_specialist.booking.calendar import HouseholdCalendar
from butler_specialist.booking.notices import Notices
from butler_specialist.booking.plan import PATIENCE, State, again_in_s, differs, is_wanted, moved, wish_of
from butler_specialist.invited.facts import told_of
from butler_specialist.metrics import BookingOutcome, CalendarMetrics
from butler_specialist.store.bookings import BookingStore, Claimed, Standing
from butler_specialist.store.model import Record
from butler_specialist.store.visibility import Policy

__all__ = ["Bookings"]

_log = get_logger(__name__)

_EVERY_S: Final = 60.0
_SOON_S: Final = 5.0
_OFF_S: Final = 300.0
"""The pause between two requests to a calendar that is off."""
_MOST: Final = 20
_MOST_OF_WORK: Final = 10
_LOOK_S: Final = 0.1
_ANSWER_S: Final = 12.0
"""How long an answer waits for the calendar."""


@dataclass(frozen=True, slots=True)
class _End:
    state: State
    stands: bool
    answer: dict[str, Any] | None = None
    again_s: float = 0.0


class Bookings:
    """Books appointments.

    `zone_of` is the teller's clock, `policy` is whose a record is, `notices` keeps promises.
    """

    def __init__(
        self,
        store: BookingStore,
        calendar: HouseholdCalendar,
        *,
        notices: Notices,
        zone_of: Callable[[UUID | None], ZoneInfo],
        minutes: int,
        policy: Policy,
        metrics: CalendarMetrics,
        clock: Clock,
    ) -> None:
        self._store = store
        self._calendar = calendar
        self._notices = notices
        self._zone_of = zone_of
        self._minutes = minutes
        self._policy = policy
        self._metrics = metrics
        self._clock = clock
        self._changed = asyncio.Event()
        self._settled = asyncio.Event()

    async def run(self, stopping: asyncio.Event) -> None:
        """Reconcile every minute, and sooner while something is due."""
        while not stopping.is_set():
            self._changed.clear()
            more = True
            try:
                more = await self.reconcile()
            except ButlerError as failure:
                _log.warning("booking_failed", problem=failure.message)
            except Exception:
                _log.exception("booking_failed")
            await wait_until_set(self._changed, _SOON_S if more else _EVERY_S)

    async def reconcile(self) -> bool:
        """Reconcile once; return whether there may be more to do soon.

        Raises the errors of an unavailable database.
        """
        wanted = await self._store.wanted(self._today, _MOST)
        claimed = await self._store.claim(wanted, self._today) if wanted else []
        await self._book(claimed)
        told = await self._notices.keep()
        return bool(claimed) or not told

    @property
    def _today(self) -> date:
        return self._clock.now().astimezone(self._zone_of(None)).date()

    async def of_work(
        self, request_id: UUID, segment_id: str, *, titles: Callable[[UUID | None], bool]
    ) -> list[Standing]:
        """Return the state of the appointments that a segment made or changed, after trying for a few seconds.

        `titles`: whether the teller of one, who may hear of it later, may read what else is in the calendar.
        """
        ids = (await self._store.of_work(request_id, segment_id))[:_MOST_OF_WORK]
        if not ids:
            return []
        try:
            async with asyncio.timeout(_ANSWER_S):
                await self._book(await self._store.claim(ids, self._today))
                # Rows that another pass or replica has claimed are settled there.
                while any(one.in_hand for one in await self._store.standing(ids)):
                    self._settled.clear()
                    await wait_until_set(self._settled, _LOOK_S)
        except TimeoutError:
            _log.info("booking_not_waited_for", count=len(ids))
        standing = await self._store.standing(ids)
        records = await self._store.records([one.record_id for one in standing])
        known = [
            Standing(record, one, is_wanted(record, self._policy))
            for one in standing
            if (record := records.get(one.record_id)) is not None
        ]
        await self._promise(
            [one.record for one in known if one.stands.state == "due" and not one.stands.off], titles
        )
        return known

    async def _promise(self, waiting: Sequence[Record], titles: Callable[[UUID | None], bool]) -> None:
        """Promise the tellers of the records to hear of a later refusal, each with what they may read."""
        for readable in (True, False):
            ids = [one.record_id for one in waiting if titles(one.contact_id) is readable]
            if ids:
                await self._store.promise(ids, titles=readable)
        if waiting:
            self._changed.set()

    async def _book(self, claimed: Sequence[Claimed]) -> None:
        records = await self._store.records([one.record_id for one in claimed])
        for one in claimed:
            record = records.get(one.record_id)
            if record is None:
                continue
            end = await self._end(one, record)
            self._metrics.answered(_outcome(end))
            await self._store.settle(
                one, end.state, stands=end.stands, answer=end.answer, again_s=end.again_s
            )
            self._settled.set()

    async def _end(self, claimed: Claimed, record: Record) -> _End:
        try:
            return await self._asked(claimed, record)
        except ButlerError as failure:
            return _failed(claimed, failure, claimed.now)
        except (ValueError, OverflowError):
            # A day that no calendar has must not keep other records from being booked, or an answer from
            # being sent.
            _log.exception("booking_impossible", record_id=str(claimed.record_id))
            return _End("refused", claimed.stands, {"refusal": "its day is none of a calendar"})

    async def _asked(self, claimed: Claimed, record: Record) -> _End:
        zone = self._zone_of(record.contact_id)
        wish = wish_of(record, zone, minutes=self._minutes, policy=self._policy)
        if wish.create is None:
            deleted = await self._calendar.delete(wish.delete)
            if deleted.status == "off":
                return _off(claimed)
            return _removed(claimed, record, deleted)
        if claimed.stands:
            booking = await self._calendar.move(moved(wish.create))
            if booking.status != "absent":
                return _booked(claimed, booking, stood=True)
        booking = await self._calendar.create(wish.create)
        if booking.status == "booked" and differs(booking.event, wish.create):
            # An answer was lost, and meanwhile the record was moved to another time.
            booking = await self._calendar.move(moved(wish.create))
            return _booked(claimed, booking, stood=booking.status != "absent")
        return _booked(claimed, booking, stood=False)


def _outcome(end: _End) -> BookingOutcome:
    """Return the calendar's answer as the metrics count it."""
    answer = end.answer or {}
    if end.state == "due":
        return "off" if "off" in answer else "put_off"
    if end.state == "booked":
        return "there" if "booking" in answer else "booked"
    return end.state


def _off(claimed: Claimed) -> _End:
    """Return the result for a calendar that is off: it is asked again later."""
    return _End("due", claimed.stands, {"off": True}, again_s=_OFF_S)


def _removed(claimed: Claimed, record: Record, deleted: Deleted) -> _End:
    """Return the result of a deletion.

    `absent`: none of ours was there. One that a person had deleted was, but an invitation may be there twice.
    """
    absent = deleted.status == "absent" and (not claimed.stands or bool(told_of(record)))
    return _End("removed", False, {"absent": True} if absent else None)


def _booked(claimed: Claimed, booking: Booking, *, stood: bool) -> _End:
    """Return the result of an answer.

    `stood`: its event is there, at the old time if the new one is taken.
    """
    if booking.status == "booked":
        return _End("booked", True)
    if booking.status == "off":
        return _off(claimed)
    if booking.status == "there":
        return _End("booked", False, {"booking": booking.to_wire()})
    if booking.status == "conflict":
        return _End("conflict", stood, {"booking": booking.to_wire()})
    return _End("due", False, again_s=again_in_s(1))


def _failed(claimed: Claimed, failure: ButlerError, now: datetime) -> _End:
    # A defect on the other side says nothing about our request.
    later = failure.retryable or isinstance(failure, InternalFailure)
    if later and now - claimed.since < PATIENCE:
        pause_s = max(again_in_s(claimed.tries), failure.retry_after_s or 0.0)
        _log.info("booking_put_off", record_id=str(claimed.record_id), problem=failure.message)
        return _End("due", claimed.stands, again_s=pause_s)
    _log.warning("booking_refused", record_id=str(claimed.record_id), problem=failure.message)
    return _End("refused", claimed.stands, {"refusal": failure.message})
