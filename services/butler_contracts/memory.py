"""What is known about a person, as Switchboard asks a butler for it and tells it (ADR 0078)."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel, Timestamp, TolerantModel
from butler_contracts.ingest import SourceChannel
from butler_contracts.text import STORABLE, Identity

__all__ = [
    "CAPABILITY",
    "CLEAN_UP_TOOL",
    "CONSOLIDATE_TOOL",
    "FORGET_TOOL",
    "PEOPLE_TOOL",
    "RECALL_TOOL",
    "REMEMBER_TOOL",
    "SHARED_TOOL",
    "SHARE_TOOL",
    "ForgetAsked",
    "Forgotten",
    "KnownOf",
    "KnownPeople",
    "Memory",
    "Nothing",
    "RecallAsked",
    "Recalled",
    "RememberAsked",
    "Remembered",
    "Shared",
    "SharedAsked",
    "SharedMemory",
    "SpokenOf",
]

CAPABILITY: Final = "memory"
"""What a butler says that it can do where its memory is on."""
REMEMBER_TOOL: Final = "memory_remember"
RECALL_TOOL: Final = "memory_recall"
FORGET_TOOL: Final = "memory_forget"
PEOPLE_TOOL: Final = "memory_people"
SHARE_TOOL: Final = "memory_share"
"""Of a butler that shares what it remembers with another: Switchboard asks on behalf of that one (D69)."""
SHARED_TOOL: Final = "memory.recall"
"""Switchboard's, for butlers."""
CONSOLIDATE_TOOL: Final = "memory_consolidate"
CLEAN_UP_TOOL: Final = "memory_clean_up"

Words = Annotated[str, Field(min_length=1, max_length=300), STORABLE]


class RememberAsked(StrictModel):
    """What the member `person` says of themselves, in the first person; the same key again keeps nothing more.

    Its source is who said it, `said_by`, an address of `said_through`. It holds to the end of `until`.
    """

    person: UUID
    statement: Words
    said_by: Identity
    said_through: SourceChannel
    idempotency_key: Annotated[str, Field(min_length=1, max_length=200), STORABLE]
    until: date | None = None


class RecallAsked(StrictModel):
    """What is known about `person`; with `query` what has any of its words."""

    person: UUID
    query: Annotated[str, Field(max_length=300), STORABLE] | None = None
    most: Annotated[int, Field(ge=1, le=100)] = 20


class ForgetAsked(StrictModel):
    """What is known about `person` no longer: these records, or `everything`, which is erased at once."""

    person: UUID
    idempotency_key: Annotated[str, Field(min_length=1, max_length=200), STORABLE]
    record_ids: Annotated[tuple[UUID, ...], Field(max_length=100)] = ()
    everything: bool = False


class Memory(TolerantModel):
    """One thing that is known, with its source: who said it, when, where, and how far it is relied on (0 to 1)."""

    record_id: UUID
    kind: Literal["fact", "preference"]
    statement: str
    said: str
    said_by: str
    said_through: str
    said_at: Timestamp
    request_id: UUID
    confidence: float
    until: date | None = None


class SpokenOf(TolerantModel):
    """What happened in a thread: the person's own words, a line for each message, cut where they are many."""

    episode_id: UUID
    said_through: str
    begun_at: Timestamp
    ended_at: Timestamp
    words: str


class Nothing(StrictModel):
    """Nothing is asked for in particular."""


class Remembered(TolerantModel):
    """`known`: it was known already, and is relied on more now; `superseded` is what it took the place of."""

    record_id: UUID
    known: bool
    superseded: tuple[UUID, ...] = ()


class Recalled(TolerantModel):
    """The best fitting first, else the newest; episodes only where words were asked for."""

    memories: tuple[Memory, ...] = ()
    episodes: tuple[SpokenOf, ...] = ()


class Forgotten(TolerantModel):
    """How many records are known no longer."""

    forgotten: int


class KnownOf(TolerantModel):
    """How much is known of a person, without a word of it; the oldest of it was told at `since`."""

    person: UUID
    facts: int
    preferences: int
    episodes: int
    since: Timestamp


class KnownPeople(TolerantModel):
    """Of whom anything is known, contacts of today or not."""

    people: tuple[KnownOf, ...] = ()


class SharedAsked(StrictModel):
    """What other butlers know of the writer of the message on whose part, `subrequest_id`, the caller works.

    With `query` what has any of its words.
    """

    subrequest_id: UUID
    query: Annotated[str, Field(max_length=300), STORABLE] | None = None
    most: Annotated[int, Field(ge=1, le=50)] = 20


class SharedMemory(Memory):
    """What `butler` remembers, and shares with the caller."""

    butler: str


class Shared(TolerantModel):
    """What is shared, the newest first; `by` are the butlers that share with the caller, if they know nothing too."""

    by: tuple[str, ...] = ()
    memories: tuple[SharedMemory, ...] = ()
