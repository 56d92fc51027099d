"""What a handler says about the row it worked on, and what a runner tells its observer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from butler_contracts.errors import ButlerError
from butler_contracts.stored import Unreadable
from butler_kit import db

__all__ = [
    "MAX_ATTEMPTS",
    "Decision",
    "Defer",
    "Exhausted",
    "Failed",
    "Finish",
    "Finished",
    "QueueObserver",
    "SilentObserver",
    "Unblock",
    "after_error",
    "after_failure",
    "after_outage",
    "is_outage",
]

MAX_ATTEMPTS: Final = 5
"""Attempts at a row that may fail by a defect; their pauses keep its thread waiting for half a minute in all."""

_LONGEST_RETRY_S = 300.0
_OUTAGE_STEPS = 5
"""Of an outage: 2, 4, 8, 16, 32 s."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The work is done: take the row out."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The handler has taken the row out itself, in the transaction of its effect."""


@dataclass(frozen=True, slots=True)
class Defer:
    """Try again in `delay_s`; the thread waits."""

    delay_s: float


@dataclass(frozen=True, slots=True)
class Unblock:
    """Let the thread go on, and look at this row again in `delay_s`."""

    delay_s: float


Decision: TypeAlias = Finish | Finished | Defer | Unblock


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt failed by a defect: it is counted, and another follows in `delay_s`."""

    delay_s: float
    releases_thread: bool = False


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The last attempt failed: the row has to end."""


def is_outage(error: BaseException) -> bool:
    """Whether something that the work needs is away or busy: waiting helps, and no attempt is used up."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_outage(one) for one in error.exceptions)
    if isinstance(error, ButlerError):
        return error.retryable
    return isinstance(error, TimeoutError) or db.is_outage(error) or db.is_locked_out(error)


def after_failure(error: BaseException, *, failures: int, max_attempts: int) -> Failed | Exhausted:
    """What follows a defect after `failures` earlier ones of the same row.

    A row that cannot be read lets its thread go on at once. It is looked at again like any other, because a replica
    of the version that wrote it may run beside this one.
    """
    if failures + 1 >= max_attempts:
        return Exhausted()
    delay_s = min(_LONGEST_RETRY_S, 2.0 ** (failures + 1))
    return Failed(delay_s, releases_thread=isinstance(error, Unreadable))


def after_error(error: BaseException, attempt: int) -> Defer:
    """Try again after 2, 4, 8 … s, at most 300, or when the error itself says (`retry_after_s`)."""
    if isinstance(error, ButlerError) and error.retry_after_s is not None:
        return Defer(error.retry_after_s)
    return Defer(min(_LONGEST_RETRY_S, 2.0 ** min(attempt, 9)))


def after_outage(error: BaseException, attempt: int) -> Defer:
    """The same of something that is away, but after 32 s at most where the error does not say when.

    `attempt` counts every look at the row, those too that only put it off: they say nothing of this outage.
    """
    return after_error(error, min(attempt, _OUTAGE_STEPS))


class QueueObserver(Protocol):
    """Where a service counts what its queue does (the metrics of CON-4.1)."""

    def enqueued(self, path: Literal["hot", "cold"]) -> None:
        """A reference entered a lane: by `offer` (hot) or by the scanner (cold)."""

    def backpressure(self, lane: str) -> None:
        """A lane was full: the row waits in the database."""

    def recovered(self, count: int) -> None:
        """The scanner brought `count` rows back."""

    def taken(self, lane: str, *, starvation_override: bool) -> None:
        """A worker took a reference from `lane`."""

    def waited_ms(self, milliseconds: float) -> None:
        """A row was claimed for the first time, so long after it had been queued."""


class SilentObserver:
    """Counts nothing."""

    def enqueued(self, path: Literal["hot", "cold"]) -> None: ...

    def backpressure(self, lane: str) -> None: ...

    def recovered(self, count: int) -> None: ...

    def taken(self, lane: str, *, starvation_override: bool) -> None: ...

    def waited_ms(self, milliseconds: float) -> None: ...
