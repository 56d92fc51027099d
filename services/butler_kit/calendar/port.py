"""What a calendar at a provider can do, whichever it is (MSR-01.2, D53).

Invariant: every write names the event by our id and may be made again: who does not know whether it was done asks
with the same words and is told how the event stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from butler_contracts.calendar import CalendarEvent
from butler_contracts.errors import ButlerError, TargetUnavailable, ValidationFailed

__all__ = ["MOST_EVENTS", "CalendarPort", "Span", "misconfigured", "refused", "unreachable"]

MOST_EVENTS: Final = 2000
"""The most events that one look reads: a household has some tens in a month."""


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` up to but not including `end`, both with a zone."""

    start: datetime
    end: datetime

    def meets(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


class CalendarPort(Protocol):
    """One calendar of one account. Raises `TargetUnavailable` while it cannot be had, `ValidationFailed` for a no."""

    async def check(self) -> None:
        """Ask for nothing but whether there is such a calendar for this account."""

    async def events(self, span: Span) -> Sequence[CalendarEvent]:
        """Every event that is at any time of `span`; recurring ones once for each time."""

    async def find(self, event_id: str) -> CalendarEvent | None:
        """An event of ours; None where it is not, or no longer, there."""

    async def by_uid(self, uid: str, span: Span) -> CalendarEvent | None:
        """The event that other programs know by this id, wherever it stands; of a series its first time in `span`.

        None where it is not there, or where it is cancelled.
        """

    async def create(self, event: CalendarEvent) -> CalendarEvent:
        """Put it there; where there is one of this id already, that one is the answer and stays as it is."""

    async def move(self, event: CalendarEvent) -> CalendarEvent | None:
        """Give an event of ours the time and the words of `event`; None where it is not there."""

    async def delete(self, event_id: str) -> bool:
        """Take an event of ours out; False where it is not there."""

    async def aclose(self) -> None: ...


def unreachable(words: str, *, retry_after_s: float | None = None) -> TargetUnavailable:
    """The provider cannot be had now."""
    return TargetUnavailable(f"the calendar cannot be reached: {words}", retry_after_s=retry_after_s)


def misconfigured(words: str) -> TargetUnavailable:
    """Nobody but a person ends this; what waits goes on as soon as somebody has."""
    return TargetUnavailable(words, details={"original_class": "unauthorized"})


def refused(words: str) -> ButlerError:
    """The provider says no to this very thing."""
    return ValidationFailed(words)
