"""Earlier messages of the current sender, as frozen models (pure)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from butler_specialist.store.model import Question, Record

__all__ = ["NO_CONVERSATION", "Changed", "Conversation", "Earlier"]


@dataclass(frozen=True, slots=True)
class Changed:
    """A change, with the record before it and as it is now.

    It `stands` while the record is still as it made it.
    """

    former: Record
    now: Record
    cause: str
    undoes: UUID | None = None
    stands: bool = True


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier message of the same person, answered at `ended_at` and `fresh` for a day.

    It has its words, the facts it told as they are now, what it changed, and the question its answer asked.
    """

    request_id: UUID
    ended_at: datetime
    fresh: bool = True
    in_thread: bool = True
    told: tuple[Record, ...] = ()
    changed: tuple[Changed, ...] = ()
    question: Question | None = None
    text: str = ""


class Conversation(Protocol):
    """The reads that "that" and "undo" need."""

    async def earlier(self) -> Sequence[Earlier]:
        """Return the same person's earlier messages, the newest first."""
        ...

    async def records(self, ids: Collection[UUID]) -> Sequence[Record]:
        """Return those of the records that exist, as they are now."""
        ...


class _NoConversation:
    async def earlier(self) -> Sequence[Earlier]:
        return ()

    async def records(self, ids: Collection[UUID]) -> Sequence[Record]:
        return ()


NO_CONVERSATION: Final = _NoConversation()
"""The conversation without earlier messages."""
