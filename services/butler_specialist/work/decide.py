"""PURE: the next step of a subrequest, decided from its stored state alone (D12, D17, SWB-17.3).

Invariant: no step before the outcome is taken after it, so whoever goes on after a crash does nothing twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from butler_contracts.errors import ErrorDetail, InternalFailure, OverloadRejected
from butler_contracts.notify import NotifyRequestV1
from butler_specialist.store.model import RoutedWork

__all__ = [
    "KEEP_ORDER",
    "LONGEST_PAUSE_S",
    "MAX_RUNS",
    "OFFERED_AGAIN_S",
    "PATIENCE",
    "PATIENCE_FOR_OTHERS",
    "Book",
    "Complete",
    "Ended",
    "Fail",
    "Run",
    "Step",
    "Tell",
    "TellOther",
    "keeps_order",
    "next_step",
    "offered_again_in_s",
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


Step = Run | Fail | Tell | TellOther | Book | Complete | Ended


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
    return Complete(last)


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


def _has_written(work: RoutedWork) -> bool:
    """Whether facts were kept or changed."""
    result = work.result or {}
    return work.error is None and bool(result.get("records") or result.get("changes"))


def _before_outcome(work: RoutedWork) -> Step:
    if work.runs == 0 and work.now > work.queue_deadline_at:
        waited_s = round((work.now - work.accepted_at).total_seconds())
        message = f"the message waited {waited_s} s for its turn, which is too long; please send it again"
        return Fail(OverloadRejected(message).to_detail())
    if work.runs >= MAX_RUNS:
        message = f"the message could not be worked on in {work.runs} attempts"
        return Fail(InternalFailure(message).to_detail())
    return Run()
