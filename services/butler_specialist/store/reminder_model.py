"""Reminders as frozen models: what a session asks for, and the stored ones (pure, D67)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, Protocol
from uuid import UUID, uuid5

from butler_contracts.language import Language
from butler_kit.wording.standing import Topic
from butler_specialist.understanding.household import teller_key

__all__ = [
    "DATE_GRACE",
    "GRACE",
    "MOST_REMINDERS",
    "MOST_WAITING",
    "Asker",
    "Reminder",
    "ReminderAnswer",
    "ReminderDraft",
    "ReminderReader",
    "ReminderStop",
    "StandingWish",
    "reminder_id",
]

GRACE: Final = timedelta(hours=1)
"""How late a reminder with a time may still be sent; later it is reported missed."""
DATE_GRACE: Final = timedelta(hours=24)
"""The same for a reminder that only names a day."""
MOST_REMINDERS: Final = 20
"""The most reminders of one message, and the most stops."""
MOST_WAITING: Final = 500
"""The most reminders that wait for one person: as many as are read when somebody asks for theirs."""

ReminderState = Literal["waiting", "sent", "missed", "stopped"]
ReminderSource = Literal["asked", "record"]


@dataclass(frozen=True, slots=True)
class ReminderDraft:
    """One reminder to keep; `due_at` (UTC) is its first moment.

    `rule` is an RFC 5545 RRULE without its prefix, counted in the wall time of `zone` (IANA). `language` is that of
    the words around `text`. `can_wait` makes it respect the person's quiet hours. A record's reminder that is put
    off or set again keeps its `record_id` and `occasion`. One that `elapses` keeps its moment if the person's zone
    changes.
    """

    text: str
    due_at: datetime
    zone: str
    rule: str | None = None
    grace: timedelta = GRACE
    source: ReminderSource = "asked"
    language: Language = "en"
    can_wait: bool = False
    record_id: UUID | None = None
    occasion: str | None = None
    elapses: bool = False


@dataclass(frozen=True, slots=True)
class ReminderStop:
    """A request to end one reminder; a person can only stop their own."""

    reminder_id: UUID


@dataclass(frozen=True, slots=True)
class StandingWish:
    """The sender's wish to be reminded of their records of a topic, `leads` days before, or no longer."""

    topic: Topic
    wanted: bool
    language: Language
    leads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReminderAnswer:
    """A person's answer to one told occurrence; with `replaces` it supersedes their putting it off."""

    reminder_id: UUID
    due_at: datetime
    answer: Literal["done", "put_off"]
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Asker:
    """The person that reminders belong to: the contact, else the address that a message came from."""

    contact_id: UUID | None
    channel: str
    sender: str

    @property
    def key(self) -> str:
        return teller_key(self.contact_id, self.channel, self.sender)


@dataclass(frozen=True, slots=True)
class Reminder:
    """A stored reminder; `due_at` is its next moment (UTC), or the last one when it is over."""

    reminder_id: UUID
    request_id: UUID
    text: str
    due_at: datetime
    zone: str
    rule: str | None
    grace: timedelta
    state: ReminderState
    source: ReminderSource
    language: Language
    record_id: UUID | None = None
    occasion: str | None = None
    can_wait: bool = False
    elapses: bool = False


class ReminderReader(Protocol):
    """The reads that a question about reminders needs."""

    async def find_reminders(self, person: Asker) -> Sequence[Reminder]:
        """Return one person's waiting reminders, the next one first."""
        ...

    async def find_stopped(self, person: Asker, request_id: UUID) -> Sequence[Reminder]:
        """Return the person's reminders that a request stopped, as they were."""
        ...


def reminder_id(request_id: UUID, segment_id: str, ordinal: int) -> UUID:
    """The id of the n-th reminder of a segment: the same in every attempt."""
    return uuid5(request_id, f"reminder:{segment_id}:{ordinal}")
