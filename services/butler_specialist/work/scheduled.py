"""Scheduled work, which nobody sent: who it is for, and who hears of its end (ADR 0097).

Invariant: the same run always gives the same notify requests under one key, so a repeat is recognised by its key
and content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from butler_contracts.errors import ButlerError, ErrorDetail, ValidationFailed
from butler_contracts.notify import DeliveryChannel, NotifyDelivery, NotifyRequestV1
from butler_contracts.text import plain_line
from butler_contracts.uncertain import UNCERTAIN
from butler_kit.markup import Words, said
from butler_kit.queue import Decision, Defer, Lease, after_error
from butler_kit.telemetry import get_logger
from butler_specialist.metrics import ScheduleMetrics
from butler_specialist.people.ways import Ways
from butler_specialist.remind.reach import channels_of
from butler_specialist.schedules.wording import failure_text, unknown_text
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import Outcome, RoutedWork
from butler_specialist.work.answers import failed
from butler_specialist.work.decide import MISSED, Meet
from butler_specialist.work.switchboard import Switchboard

__all__ = ["ScheduledRuns", "ending_of", "told_by_schedule"]

_log = get_logger(__name__)

_LONGEST_PAUSE_S: Final = 15.0
_SUBJECT_CHARS: Final = 90


@dataclass(frozen=True, slots=True)
class ScheduledRuns:
    """Runs schedules; `ways` are a person's or the household's."""

    own_name: str
    inbox: RouteInbox
    switchboard: Switchboard
    ways: Callable[[UUID | None], Ways]
    metrics: ScheduleMetrics

    async def meet(self, work: RoutedWork, lease: Lease, step: Meet) -> Decision | RoutedWork | None:
        """Learn who the run is for; if the household knows no such person, end the run and tell the owner."""
        to = work.scheduled.to if work.scheduled is not None else None
        try:
            people = await self.switchboard.whom(to)
        except ButlerError as away:
            if not step.last:
                _log.warning("schedule_waits", problem=away.message)
                return Defer(min(after_error(away, lease.attempt).delay_s, _LONGEST_PAUSE_S))
            return await self.commit(lease, work, failed(away.to_detail()))
        if people is None:
            return await self._of_nobody(work, lease)
        return await self.inbox.meet(lease, work, people)

    async def commit(self, lease: Lease, work: RoutedWork, outcome: Outcome) -> RoutedWork | None:
        """Commit as `RouteInbox.commit` does; a failed schedule adds a line that says so."""
        scheduled, error = work.scheduled, outcome.error
        if scheduled is None or error is None or outcome.notify is not None:
            return await self._kept(lease, work, outcome)
        ways = self.ways(work.contact_id)
        line = failure_text(scheduled, error, butler=self.own_name, ways=ways, now=work.now)
        missed = (MISSED,) if error.original_class == MISSED else ()
        told = told_by_schedule(work, outcome, Words(line), own_name=self.own_name)
        return await self._kept(lease, work, replace(told, tags=(*outcome.tags, *missed)))

    async def _of_nobody(self, work: RoutedWork, lease: Lease) -> RoutedWork | None:
        """End the run and tell the owner that it does not run."""
        if work.scheduled is None:
            return None
        line = unknown_text(work.scheduled, self.ways(None))
        ended = failed(ValidationFailed(f"nobody is called '{work.scheduled.to}'").to_detail())
        return await self._kept(
            lease, work, told_by_schedule(work, ended, Words(line), own_name=self.own_name)
        )

    async def _kept(self, lease: Lease, work: RoutedWork, outcome: Outcome) -> RoutedWork | None:
        kept = await self.inbox.commit(lease, work, outcome)
        if work.scheduled is not None and kept is not None:
            self.metrics.ran(work.scheduled.name, ending_of(outcome.error))
            _log.info("schedule_ran", schedule=work.scheduled.name, ending=ending_of(outcome.error))
        return kept


def told_by_schedule(work: RoutedWork, outcome: Outcome, told: Words, *, own_name: str) -> Outcome:
    """Return the outcome with the message to its recipient, by their first channel, then by the other."""
    first, second = (
        _request(work, told, channel, own_name) for channel in channels_of(work.people, work.contact_id)
    )
    return replace(outcome, notify=first, fallback=second)


def _request(work: RoutedWork, told: Words, channel: DeliveryChannel, own_name: str) -> NotifyRequestV1:
    person = work.contact_id
    delivery = NotifyDelivery(
        intent="send",
        channel=channel,
        message=told.text,
        format=told.format,
        contact_id=str(person) if person is not None else None,
        subject=plain_line(said(*told), most=_SUBJECT_CHARS) if channel == "email" else None,
        idempotency_key=f"schedule:{work.request_id}",
        urgency=work.scheduled.urgency if work.scheduled is not None else "normal",
    )
    return NotifyRequestV1(origin_butler=own_name, delivery=delivery)


def ending_of(error: ErrorDetail | None) -> str:
    """Return how a run that ended so is counted and shown: done, missed, uncertain, or failed."""
    if error is None:
        return "done"
    return {MISSED: "missed", UNCERTAIN: "uncertain"}.get(error.original_class or "", "failed")
