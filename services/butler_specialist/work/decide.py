"""PURE: the next step of a subrequest, decided from its stored state alone (D12, D17, SWB-17.3).

Invariant: no step that precedes the outcome is taken after it, so a worker that continues after a crash repeats
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from butler_contracts.errors import ErrorDetail, InternalFailure, OverloadRejected, TimedOut
from butler_contracts.notify import NotifyRequestV1
from butler_specialist.store.model import RoutedWork, Scheduled

__all__ = [
    "KEEP_ORDER",
    "LONGEST_PAUSE_S",
    "MAX_RUNS",
    "MISSED",
    "OFFERED_AGAIN_S",
    "PATIENCE",
    "PATIENCE_FOR_OTHERS",
    "Book",
    "Close",
    "Complete",
    "Ended",
    "Fail",
    "Meet",
    "Run",
    "Step",
    "Tell",
    "TellOther",
    "keeps_order",
    "next_step",
    "offered_again_in_s",
    "run_again_in_s",
]

MAX_RUNS: Final = 8
"""The most sessions for one subrequest; outages and crashes count, so nothing is retried for ever."""
PATIENCE: Final = timedelta(hours=24)
"""How long an answer or completion is offered to a Switchboard that cannot take it."""
PATIENCE_FOR_OTHERS: Final = timedelta(minutes=1)
"""How long the answer waits for the delivery to another member, which it reports on."""
KEEP_ORDER: Final = timedelta(minutes=10)
"""How long the next message of a thread waits for an answer that cannot be delivered."""

OFFERED_AGAIN_S: Final = 5.0
"""The pause between two offers of an answer while its request waits: the run clock is set to minutes."""
LONGEST_PAUSE_S: Final = 60.0
"""The longest single wait; a longer pause that a provider asks for is waited in parts.

Each offer restarts the run clock, which would otherwise run out while the answer waits here.
"""


MISSED: Final = "schedule_missed"
"""The `original_class` of a schedule whose session could not begin in time, and a tag of its row."""


@dataclass(frozen=True, slots=True)
class Meet:
    """Ask Switchboard who a schedule is for; `last` on the last try."""

    last: bool


@dataclass(frozen=True, slots=True)
class Close:
    """End the work; nobody is waiting to be told."""


@dataclass(frozen=True, slots=True)
class Run:
    """Run the session and store its outcome."""


@dataclass(frozen=True, slots=True)
class Fail:
    """End the subrequest with this error; it may not be worked on."""

    error: ErrorDetail


@dataclass(frozen=True, slots=True)
class Tell:
    """Hand the answer over; `last` on the last try."""

    request: NotifyRequestV1
    last: bool


@dataclass(frozen=True, slots=True)
class TellOther:
    """Pass a message on to another member; `place` is its index in the tellings, `last` on the last try."""

    place: int
    request: NotifyRequestV1
    last: bool


@dataclass(frozen=True, slots=True)
class Book:
    """Look up the state of the appointments in the calendar, for the answer."""


@dataclass(frozen=True, slots=True)
class Complete:
    """Report the end to Switchboard; `last` on the last try."""

    last: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing is left to do."""


Step = Meet | Run | Fail | Tell | TellOther | Book | Complete | Close | Ended


def next_step(work: RoutedWork) -> Step:
    """Return the next step; the time is the database's, as read with the row."""
    if work.finished_at is not None:
        return Ended()
    if work.outcome_at is None:
        return _before_outcome(work)
    untold = next((n for n, one in enumerate(work.tellings) if one.response is None), None)
    if untold is not None:
        late = work.now - work.outcome_at >= PATIENCE_FOR_OTHERS
        return TellOther(untold, work.tellings[untold].request, late)
    if work.books and work.booking is None and _has_written(work):
        return Book()
    last = work.now - work.outcome_at >= PATIENCE
    if work.notify_request is not None and work.notify_response is None:
        return Tell(work.notify_request, last)
    return Complete(last) if work.scheduled is None else Close()


def keeps_order(work: RoutedWork) -> bool:
    """Return whether the thread still waits for this row."""
    return work.outcome_at is None or work.now - work.outcome_at < KEEP_ORDER


def offered_again_in_s(work: RoutedWork, delay_s: float, *, asked: bool) -> float:
    """Return the seconds until an answer or completion is offered again; `delay_s` was `asked` for or has grown.

    A requested pause is kept, a part at a time: an earlier offer only learns how long it still lasts. A grown pause
    must not outlast Messenger's absence for long: the request would time out although its answer is ready.
    """
    if asked:
        return min(delay_s, LONGEST_PAUSE_S)
    return min(delay_s, OFFERED_AGAIN_S) if keeps_order(work) else delay_s


def run_again_in_s(scheduled: Scheduled, runs: int) -> float:
    """Return the seconds until a schedule's session that could not start for now is retried.

    Pauses double, so that `MAX_RUNS` runs are spread over its grace.
    """
    grace_s = (scheduled.until - scheduled.due_at).total_seconds()
    return float(grace_s * 2**runs / (2 ** (MAX_RUNS - 1) - 1))


def _has_written(work: RoutedWork) -> bool:
    """Return whether records were added or changed."""
    result = work.result or {}
    return work.error is None and bool(result.get("records") or result.get("changes"))


def _before_outcome(work: RoutedWork) -> Step:
    if work.scheduled is not None:
        return _of_schedule(work, work.scheduled)
    if work.runs == 0 and work.now > work.queue_deadline_at:
        waited_s = round((work.now - work.accepted_at).total_seconds())
        message = f"the message waited {waited_s} s for its turn, which is too long; please send it again"
        return Fail(OverloadRejected(message).to_detail())
    if work.runs >= MAX_RUNS:
        message = f"the message could not be worked on in {work.runs} attempts"
        return Fail(InternalFailure(message).to_detail())
    return Run()


def _of_schedule(work: RoutedWork, scheduled: Scheduled) -> Step:
    """Return the next step of a scheduled run, whose grace counts from its due moment.

    Its recipient has to be known first, since a failure is reported to them too.
    """
    if work.people is None:
        return Meet(last=work.now - work.accepted_at >= PATIENCE)
    if work.now > scheduled.until:
        message = (
            f"it was due at {scheduled.due_at.isoformat()}, and could not begin before its grace was over"
        )
        missed = TimedOut(message, retryable=False, details={"original_class": MISSED})
        return Fail(missed.to_detail())
    if work.runs >= MAX_RUNS:
        return Fail(InternalFailure(f"it came to no end in {work.runs} sessions").to_detail())
    return Run()
