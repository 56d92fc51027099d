"""Routed work and records as frozen models; what is read and what is to be written (pure)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, Literal, Protocol
from uuid import UUID, uuid5

from butler_contracts.errors import ErrorDetail
from butler_contracts.language import Language
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.people import PeopleV1
from butler_contracts.route import RouteEnvelopeV1
from butler_specialist.store.reminder_model import (
    DATE_GRACE,
    GRACE,
    MOST_REMINDERS,
    MOST_WAITING,
    Asker,
    Reminder,
    ReminderAnswer,
    ReminderDraft,
    ReminderReader,
    ReminderStop,
    StandingWish,
    reminder_id,
)
from butler_specialist.store.scheduled import Scheduled

__all__ = [
    "DATE_GRACE",
    "GRACE",
    "MOST_REMINDERS",
    "MOST_ROWS",
    "MOST_WAITING",
    "PRIVATE",
    "Abandoned",
    "Asker",
    "Outcome",
    "Question",
    "Record",
    "RecordChange",
    "RecordDraft",
    "RecordReader",
    "Reminder",
    "ReminderAnswer",
    "ReminderDraft",
    "ReminderReader",
    "ReminderStop",
    "RoutedWork",
    "SaidAudience",
    "Scheduled",
    "Shown",
    "StandingWish",
    "Telling",
    "TellingDraft",
    "as_draft",
    "change_id",
    "dated",
    "record_id",
    "reminder_id",
]

MOST_ROWS: Final = 5000
"""The most records that one question reads, the newest first."""

PRIVATE: Final = ("fact", "preference")
"""The kinds of records about the person who told them; nobody else is shown any (D68, ADR 0078)."""

SaidAudience = Literal["household", "private"]
"""Whose a record is, if somebody said so or its kind is private: the whole household's, or its teller's."""

_NONE: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """One fact to keep. `occurred_on` is the day it is about, in the household's time zone.

    `done_on` is the day on which a task was done or a bill paid. `audience` is whose it is; None means the default
    of its kind. `shared_with` are the people (see `teller_key`) with whom its teller shared it by name (ADR 0100).
    """

    kind: str
    occurred_on: date
    text: str
    title: str | None = None
    occurred_at: time | None = None
    amount: Decimal | None = None
    currency: str | None = None
    quantity: Decimal | None = None
    quantity_second: Decimal | None = None
    unit: str | None = None
    party: str | None = None
    place: str | None = None
    code: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    done_on: date | None = None
    audience: SaidAudience | None = None
    shared_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record(RecordDraft):
    """A stored fact; a higher `seq` was learned later. `contact_id` is the contact who told it.

    `version` counts its states; a `withdrawn` one only exists to be restored.
    """

    seq: int = 0
    channel: str = ""
    sender: str = ""
    contact_id: UUID | None = None
    sender_class: str = "household"
    record_id: UUID = _NONE
    request_id: UUID = _NONE
    version: int = 1
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A change of the stored fact at `version`: it becomes `after`, or is withdrawn if that is None.

    With `withdrawn` it is withdrawn as `after`, which records what took it back. `cause` is the reason, in one
    word; `undoes` is the request whose writing it takes back. Whose the record is only changes with a change about
    that (`whose`) or one that takes something back.
    """

    record_id: UUID
    version: int
    cause: str
    after: RecordDraft | None = None
    undoes: UUID | None = None
    whose: bool = False
    withdrawn: bool = False


Shown = Literal["whole", "part", "among", "open"]


@dataclass(frozen=True, slots=True)
class Question:
    """The question of an answer: which of the `candidates` does `text`, said at `moment`, mean.

    With `shown` it asked nothing, and listed them in this order in its answer to `text`: the `whole` of what there
    is, a `part` of it, or `among` what others listed. An `open` one is a model's own: `text` is the question.
    """

    text: str
    moment: datetime
    candidates: tuple[UUID, ...]
    shown: Shown | None = None


class RecordReader(Protocol):
    """The reads that questions need."""

    async def find(
        self,
        kinds: Collection[str],
        *,
        start: date | None = None,
        end: date | None = None,
        all_senders: bool = False,
    ) -> Sequence[Record]: ...


@dataclass(frozen=True, slots=True)
class TellingDraft:
    """Words of the message to pass on to another member of the household."""

    contact_id: UUID
    words: str


@dataclass(frozen=True, slots=True)
class Telling:
    """A message to somebody else: their name, the words, the request that sends it, and its result.

    `language` is that of the sender, who reads about it. An `aside` goes to the sender: what is not said in a group.
    """

    name: str
    words: str
    language: Language
    request: NotifyRequestV1
    response: dict[str, Any] | None = None
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one segment: what is stored, what is told to whom, how the subrequest ends.

    `fallback` says the same over another channel, for an owner who cannot be reached over the first.
    """

    result: dict[str, Any] | None = None
    error: ErrorDetail | None = None
    records: tuple[RecordDraft, ...] = ()
    notify: NotifyRequestV1 | None = None
    fallback: NotifyRequestV1 | None = None
    tags: tuple[str, ...] = ()
    changes: tuple[RecordChange, ...] = ()
    question: Question | None = None
    reminders: tuple[ReminderDraft, ...] = ()
    reminder_stops: tuple[ReminderStop, ...] = ()
    answers: tuple[ReminderAnswer, ...] = ()
    wishes: tuple[StandingWish, ...] = ()
    tellings: tuple[Telling, ...] = ()
    held: tuple[dict[str, Any], ...] = ()
    """Rows of calls that wait for approval, as `held.wishes` makes them."""
    forgets: bool = False
    """Whether the sender wants everything known of them forgotten, so their episodes too."""


@dataclass(frozen=True, slots=True)
class RoutedWork:
    """A subrequest as stored; `now` is the database's clock when it was read.

    `scheduled` work has no sender: its `people` are known once Switchboard was asked who it is for. `books`: its
    appointments go into the calendar; `booking` is what the answer says about that, once it was looked up.
    """

    envelope: RouteEnvelopeV1
    lifecycle_state: str
    accepted_at: datetime
    queue_deadline_at: datetime
    now: datetime
    runs: int = 0
    started_at: datetime | None = None
    outcome_at: datetime | None = None
    finished_at: datetime | None = None
    result: dict[str, Any] | None = None
    error: ErrorDetail | None = None
    notify_request: NotifyRequestV1 | None = None
    notify_fallback: NotifyRequestV1 | None = None
    notify_response: dict[str, Any] | None = None
    observed_at: datetime | None = None
    people: PeopleV1 | None = None
    tellings: tuple[Telling, ...] = ()
    scheduled: Scheduled | None = None
    books: bool = False
    booking: str | None = None

    @property
    def said_at(self) -> datetime:
        """The time of the message itself, from which its days are counted."""
        return self.observed_at or self.envelope.request_context.received_at

    @property
    def contact_id(self) -> UUID | None:
        """The contact who wrote the message; None for anybody else, whatever they call themselves (D22)."""
        household = self.envelope.request_context.sender_class == "household"
        return self.people.sender if self.people is not None and household else None

    @property
    def role(self) -> Literal["child", "guest"] | None:
        """The role of the contact who wrote, if neither owner nor adult."""
        members = self.people.members if self.people is not None else ()
        return next((one.role for one in members if one.contact_id == self.contact_id), None)

    @property
    def asker(self) -> Asker:
        """The person whose reminders this message asks for and about."""
        context = self.envelope.request_context
        return Asker(self.contact_id, context.source_channel.value, context.source_sender_identity)

    @property
    def contact_name(self) -> str | None:
        """The name of the contact who wrote."""
        members = self.people.members if self.people is not None else ()
        return next((one.name for one in members if one.contact_id == self.contact_id), None)

    @property
    def subrequest_id(self) -> UUID:
        return self.envelope.subrequest.subrequest_id

    @property
    def request_id(self) -> UUID:
        return self.envelope.request_context.request_id

    @property
    def duration_ms(self) -> float:
        """From the start of the work to its outcome."""
        if self.outcome_at is None or self.started_at is None:
            return 0.0
        return max(0.0, (self.outcome_at - self.started_at).total_seconds() * 1000)


@dataclass(frozen=True, slots=True)
class Abandoned:
    """What the completion of abandoned work needs; `now` is the database's clock."""

    subrequest_id: UUID
    request_id: UUID
    error: ErrorDetail
    started_at: datetime
    outcome_at: datetime
    now: datetime


def record_id(request_id: UUID, segment_id: str, ordinal: int) -> UUID:
    """The id of the n-th fact of a segment: the same in every attempt."""
    return uuid5(request_id, f"record:{segment_id}:{ordinal}")


def change_id(request_id: UUID, segment_id: str, ordinal: int) -> UUID:
    """The id of the n-th change of a segment: the same in every attempt."""
    return uuid5(request_id, f"change:{segment_id}:{ordinal}")


def as_draft(record: RecordDraft) -> RecordDraft:
    """Return what a record says, without its origin."""
    return RecordDraft(**{item.name: getattr(record, item.name) for item in fields(RecordDraft)})


def dated(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record's details without the mark that its day is only that of the message."""
    return {name: value for name, value in details.items() if (name, value) != ("day", "of the message")}
