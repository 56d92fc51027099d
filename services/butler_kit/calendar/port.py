"""The interface to a calendar at any provider (MSR-01.2, D53).

Invariant: every write names the event by our id and is idempotent: a caller that does not know the outcome repeats it
unchanged and gets the event as it stands.
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
    """One calendar of one account. Raises `TargetUnavailable` in an outage, `ValidationFailed` on refusal."""

    async def check(self) -> None:
        """Check only that the calendar exists for this account."""

    async def events(self, span: Span) -> Sequence[CalendarEvent]:
        """Return every event at any time of `span`; recurring ones once for each occurrence."""

    async def find(self, event_id: str) -> CalendarEvent | None:
        """Return an event of ours; None where it is not, or no longer, there."""

    async def by_uid(self, uid: str, span: Span) -> CalendarEvent | None:
        """Return the event that other programs know by this id, whenever it is; of a series the first time in `span`.

        None where it does not exist or is cancelled.
        """

    async def create(self, event: CalendarEvent) -> CalendarEvent:
        """Create the event; if there is one with this id already, return that one unchanged.

        One that was called off in the meantime is restored as `event`.
        """

    async def move(self, event: CalendarEvent) -> CalendarEvent | None:
        """Set the time and words of an event of ours to those of `event`; None where it does not exist."""

    async def delete(self, event_id: str) -> bool:
        """Delete an event of ours; False where it does not exist."""

    async def aclose(self) -> None: ...


def unreachable(words: str, *, retry_after_s: float | None = None) -> TargetUnavailable:
    """Return the error for a provider that is unavailable now."""
    return TargetUnavailable(f"the calendar cannot be reached: {words}", retry_after_s=retry_after_s)


def misconfigured(words: str) -> TargetUnavailable:
    """Return the error for a fault that only a person can fix; waiting work resumes once it is fixed."""
    return TargetUnavailable(words, details={"original_class": "unauthorized"})


def refused(words: str) -> ButlerError:
    """Return the error for a request that the provider refuses."""
    return ValidationFailed(words)
