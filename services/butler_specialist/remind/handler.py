"""Tells what is due, under a lease (D67): stores which occurrences, asks Messenger, stores the next one.

Invariant: a telling's key is that of its first occurrence, and without a request it is the whole key of Messenger's
delivery (MSG-7): a crash between any two steps repeats the telling and duplicates nothing. What cannot be delivered
waits, and is then reported missed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from butler_contracts.errors import ButlerError, ErrorDetail
from butler_contracts.notify import DeliveryChannel, NotifyDelivery, NotifyRequestV1
from butler_contracts.text import plain_line
from butler_kit.faults import points, reached_async
from butler_kit.queue import Decision, Defer, Finish, Finished, Lease, after_error
from butler_kit.telemetry import get_logger
from butler_specialist.metrics import ReminderMetrics
from butler_specialist.remind.actions import actions_of
from butler_specialist.remind.decide import Tell, Wait, next_telling
from butler_specialist.remind.reach import Reach, other_ways
from butler_specialist.remind.wording import telling_text
from butler_specialist.store.reminders import DueReminder, ReminderStore
from butler_specialist.work.switchboard import Switchboard

__all__ = ["OfRecords", "ReminderWorker"]

_log = get_logger(__name__)

_LONGEST_PAUSE_S: Final = 15.0
"""A late reminder is worth little: an unavailable service is retried sooner than for an answer."""
_SUBJECT_CHARS: Final = 90


@dataclass(frozen=True, slots=True)
class OfRecords:
    """What a record's reminder needs: its current text, None for nothing; and ending it untold."""

    text_of: Callable[[UUID, str], Awaitable[str | None]]
    lapse: Callable[[Lease], Awaitable[None]]


class ReminderWorker:
    """The handler of the queue `reminder_work`."""

    def __init__(
        self,
        *,
        own_name: str,
        store: ReminderStore,
        switchboard: Switchboard,
        metrics: ReminderMetrics,
        of_records: OfRecords,
    ) -> None:
        self._own_name = own_name
        self._store = store
        self._switchboard = switchboard
        self._metrics = metrics
        self._of_records = of_records

    async def process(self, lease: Lease) -> Decision:
        """Tell what is due now. Raises `LeaseLost`, and the errors of an unavailable database."""
        reminder = await self._store.find(lease)
        if reminder is None:
            return Finish()
        step = next_telling(reminder.standing, reminder.now)
        if isinstance(step, Wait):
            return Defer((step.until - reminder.now).total_seconds())
        stands = await self._as_it_stands(reminder)
        if stands is None:
            await self._of_records.lapse(lease)
            return Finished()
        reminder = stands
        await self._store.begin(lease, step)
        await reached_async(points.REMINDER_BEGUN)
        refused = await self._tell(reminder, step)
        await reached_async(points.REMINDER_TOLD)
        if refused is not None and refused.retryable:
            _log.warning("reminder_put_off", problem=refused.message)
            return _again(refused, lease.attempt)
        return await self._advance(lease, reminder, step, refused)

    async def _as_it_stands(self, reminder: DueReminder) -> DueReminder | None:
        """Return a record's reminder with the current text.

        None if that is paid, cancelled or no longer wanted.
        """
        if reminder.record_id is None or reminder.occasion is None:
            return reminder
        text = await self._of_records.text_of(reminder.record_id, reminder.occasion)
        return replace(reminder, text=text) if text is not None else None

    async def _advance(
        self, lease: Lease, reminder: DueReminder, step: Tell, refused: ErrorDetail | None
    ) -> Decision:
        sent = refused is None and not step.missed
        problem = refused.message if refused is not None else None
        now = await self._store.advance(lease, step, sent=sent, problem=problem)
        await reached_async(points.REMINDER_KEPT)
        self._metrics.told("refused" if refused is not None else "sent" if sent else "missed")
        if sent:
            self._metrics.late((reminder.now - step.due_at).total_seconds() * 1000)
        if refused is not None:
            _log.error("reminder_refused", reminder_id=str(lease.item_id), problem=refused.message)
        if step.upcoming is None:
            return Finished()
        return Defer(max(0.0, (step.upcoming.at - now).total_seconds()))

    async def give_up(self, lease: Lease, cause: BaseException) -> Decision:
        """End a reminder that nobody can work on (the queue's `on_exhausted`)."""
        why = cause.message if isinstance(cause, ButlerError) else type(cause).__name__
        await self._store.abandon(lease, why)
        self._metrics.told("refused")
        _log.error("reminder_given_up", reminder_id=str(lease.item_id), cause=type(cause).__name__)
        return Finished()

    async def _tell(self, reminder: DueReminder, step: Tell) -> ErrorDetail | None:
        """Deliver it where the person is reached; if that is refused, by their other channels."""
        refused: ErrorDetail | None = None
        for reach in (reminder.reach, *other_ways(reminder.reach)):
            try:
                response = await self._switchboard.notify(self._request(reminder, step, reach))
            except ButlerError as failure:
                problem: ErrorDetail | None = failure.to_detail()
            else:
                problem = response.error
            if problem is None or problem.retryable:
                return problem
            refused = refused or problem
        return refused

    def _request(self, reminder: DueReminder, step: Tell, reach: Reach) -> NotifyRequestV1:
        standing = reminder.standing
        message = telling_text(
            step, reminder.text, now=reminder.now, zone=standing.zone, language=reminder.language
        )
        delivery = NotifyDelivery(
            intent="send",
            channel=reach.channel,
            message=message,
            contact_id=str(reach.contact_id) if reach.contact_id is not None else None,
            recipient=reach.address,
            subject=_subject(message, reach.channel),
            idempotency_key=step.key,
            actions=actions_of(standing.reminder_id, step.last.at, reminder.language),
            # A named hour is kept, also in quiet hours (ADR 0040).
            urgency="normal" if standing.can_wait or step.missed else "high",
        )
        return NotifyRequestV1(origin_butler=self._own_name, delivery=delivery)


def _subject(message: str, channel: DeliveryChannel) -> str | None:
    return plain_line(message, most=_SUBJECT_CHARS) if channel == "email" else None


def _again(problem: ErrorDetail, attempt: int) -> Defer:
    delay_s = after_error(ButlerError.from_detail(problem), attempt).delay_s
    return Defer(min(delay_s, _LONGEST_PAUSE_S))
