"""What a handler says about the row it worked on, and what a runner tells its observer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from butler_contracts.errors import ButlerError

__all__ = [
    "Decision",
    "Defer",
    "Finish",
    "Finished",
    "QueueObserver",
    "SilentObserver",
    "Unblock",
    "after_error",
]

_LONGEST_RETRY_S = 300.0


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


def after_error(error: BaseException, attempt: int) -> Decision:
    """Try again after 2, 4, 8 … s, at most 300, or when the error itself says (`retry_after_s`)."""
    if isinstance(error, ButlerError) and error.retry_after_s is not None:
        return Defer(error.retry_after_s)
    return Defer(min(_LONGEST_RETRY_S, 2.0 ** min(attempt, 9)))


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
