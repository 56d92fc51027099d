"""What was said before by the person who writes now, as frozen models (pure)."""

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
    """A change that was made, with the record before it and as it is now; it `stands` while that is what it made."""

    former: Record
    now: Record
    cause: str
    undoes: UUID | None = None
    stands: bool = True


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier message of the same person, answered at `ended_at`, which is `fresh` for a day.

    Its words, the facts it told as they are now, what it changed, what its answer asked back.
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
    """What "that" and "undo" need."""

    async def earlier(self) -> Sequence[Earlier]:
        """What came of the same person's messages, the newest first."""
        ...

    async def records(self, ids: Collection[UUID]) -> Sequence[Record]:
        """Those that there are, as they are now."""
        ...


class _NoConversation:
    async def earlier(self) -> Sequence[Earlier]:
        return ()

    async def records(self, ids: Collection[UUID]) -> Sequence[Record]:
        return ()


NO_CONVERSATION: Final = _NoConversation()
"""Nothing was said before."""
