"""A handler's decision about its row, and what a runner reports to its observer."""

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
"""Attempts at a row before a defect ends it; their pauses keep its thread waiting for half a minute in all."""

_LONGEST_RETRY_S = 300.0
_OUTAGE_STEPS = 5
"""Steps of the backoff in an outage: 2, 4, 8, 16, 32 s."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The work is done: remove the row."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The handler has removed the row itself, in the transaction of its effect."""


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
    """Return whether something that the work needs is away or busy: waiting helps, no attempt is used up."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_outage(one) for one in error.exceptions)
    if isinstance(error, ButlerError):
        return error.retryable
    return isinstance(error, TimeoutError) or db.is_outage(error) or db.is_locked_out(error)


def after_failure(error: BaseException, *, failures: int, max_attempts: int) -> Failed | Exhausted:
    """Return what follows a defect after `failures` earlier ones of the same row.

    A row that cannot be read lets its thread go on at once. It is retried like any other, because a replica of the
    version that wrote it may run beside this one.
    """
    if failures + 1 >= max_attempts:
        return Exhausted()
    delay_s = min(_LONGEST_RETRY_S, 2.0 ** (failures + 1))
    return Failed(delay_s, releases_thread=isinstance(error, Unreadable))


def after_error(error: BaseException, attempt: int) -> Defer:
    """Return a retry after 2, 4, 8 … s, at most 300, or after the error's own `retry_after_s`."""
    if isinstance(error, ButlerError) and error.retry_after_s is not None:
        return Defer(error.retry_after_s)
    return Defer(min(_LONGEST_RETRY_S, 2.0 ** min(attempt, 9)))


def after_outage(error: BaseException, attempt: int) -> Defer:
    """Return the same for an outage, but after 32 s at most where the error does not say when.

    `attempt` counts every claim of the row, even those that only deferred it: they say nothing about this outage.
    """
    return after_error(error, min(attempt, _OUTAGE_STEPS))


class QueueObserver(Protocol):
    """Counts what a service's queue does (the metrics of CON-4.1)."""

    def enqueued(self, path: Literal["hot", "cold"]) -> None:
        """A reference entered a lane: by `offer` (hot) or by the scanner (cold)."""

    def backpressure(self, lane: str) -> None:
        """A lane was full: the row waits in the database."""

    def recovered(self, count: int) -> None:
        """The scanner brought `count` rows back."""

    def taken(self, lane: str, *, starvation_override: bool) -> None:
        """A worker took a reference from `lane`."""

    def waited_ms(self, milliseconds: float) -> None:
        """A row was claimed for the first time, this long after it had been queued."""


class SilentObserver:
    """Counts nothing."""

    def enqueued(self, path: Literal["hot", "cold"]) -> None: ...

    def backpressure(self, lane: str) -> None: ...

    def recovered(self, count: int) -> None: ...

    def taken(self, lane: str, *, starvation_override: bool) -> None: ...

    def waited_ms(self, milliseconds: float) -> None: ...
