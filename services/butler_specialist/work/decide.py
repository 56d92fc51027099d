"""PURE: the next step of a subrequest, decided from its stored state alone (D12, D17, SWB-17.3).

Invariant: no step before the outcome is taken after it, so whoever goes on after a crash does nothing twice.
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
"""Sessions that may begin for one subrequest: outages and crashes count, so nothing is tried for ever."""
PATIENCE: Final = timedelta(hours=24)
"""How long an answer or a completion is offered to a Switchboard that cannot take it."""
PATIENCE_FOR_OTHERS: Final = timedelta(minutes=1)
"""How long the answer waits until another member is told: it says whether they were."""
KEEP_ORDER: Final = timedelta(minutes=10)
"""How long the next message of a thread waits for an answer that cannot be handed over."""

OFFERED_AGAIN_S: Final = 5.0
"""Pause between two offers of an answer while its request waits for it: the run clock stands at minutes."""
LONGEST_PAUSE_S: Final = 60.0
"""Of a longer pause that a provider asks for so much at a time: each offer begins the run clock anew, which would else
end while the answer lies here."""


MISSED: Final = "schedule_missed"
"""The `original_class` of the end of a schedule whose session could not begin in time, and a tag of its row."""


@dataclass(frozen=True, slots=True)
class Meet:
    """Ask for whom a schedule is; `last` when this is the last time."""

    last: bool


@dataclass(frozen=True, slots=True)
class Close:
    """It is over, and nobody waits to be told."""


@dataclass(frozen=True, slots=True)
class Run:
    """Run the session and keep its outcome."""


@dataclass(frozen=True, slots=True)
class Fail:
    """End the subrequest with this error: it may not be worked on."""

    error: ErrorDetail


@dataclass(frozen=True, slots=True)
class Tell:
    """Hand the answer over; `last` when this is the last time."""

    request: NotifyRequestV1
    last: bool


@dataclass(frozen=True, slots=True)
class TellOther:
    """Tell another member what was asked; `place` is which of them, `last` when this is the last time."""

    place: int
    request: NotifyRequestV1
    last: bool


@dataclass(frozen=True, slots=True)
class Book:
    """Look up how the appointments stand in the calendar, which the answer says."""


@dataclass(frozen=True, slots=True)
class Complete:
    """Tell Switchboard the end; `last` when this is the last time."""

    last: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing is left to do."""


Step = Meet | Run | Fail | Tell | TellOther | Book | Complete | Close | Ended


def next_step(work: RoutedWork) -> Step:
    """What is to be done now; time is the database's, as read with the row."""
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
    """Whether the thread still waits for this row."""
    return work.outcome_at is None or work.now - work.outcome_at < KEEP_ORDER


def offered_again_in_s(work: RoutedWork, delay_s: float, *, asked: bool) -> float:
    """When an answer or a completion is offered again, for a pause of `delay_s` that was `asked` for or has grown.

    One that was asked for is kept, a part at a time: who comes before its end is only told how long it still is. A
    grown pause must not outlast the absence of Messenger for long: the request would run out of its time though its
    answer lies here.
    """
    if asked:
        return min(delay_s, LONGEST_PAUSE_S)
    return min(delay_s, OFFERED_AGAIN_S) if keeps_order(work) else delay_s


def run_again_in_s(scheduled: Scheduled, runs: int) -> float:
    """When the session of a schedule is tried again that could not be had for the time being.

    Pauses double, so that as many runs as there may be are spread over its grace.
    """
    grace_s = (scheduled.until - scheduled.due_at).total_seconds()
    return float(grace_s * 2**runs / (2 ** (MAX_RUNS - 1) - 1))


def _has_written(work: RoutedWork) -> bool:
    """Whether facts were kept or changed."""
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
    """Its grace is from the moment at which it was due; whom it is for has to be known for what is told of it too."""
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
