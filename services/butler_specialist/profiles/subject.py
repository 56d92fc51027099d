"""What a profile has to say of its subject: what a message states, what it asks, how both are worded (pure)."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import resources
from types import MappingProxyType
from typing import Final

from butler_kit.wording.standing import Topic
from butler_specialist.profiles.answering import Lookup
from butler_specialist.profiles.listed import NOTHING_LISTED, Listed
from butler_specialist.questions.periods import Period
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.store.visibility import Audience
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.requests import Request

__all__ = ["MOST_FACTS", "UNREAD", "Subject"]

MOST_FACTS: Final = 1_000
"""Of one message; one that states more is told so."""
UNREAD: Final = frozenset({"note"})
"""What is kept of a text without a fact."""


class Subject(ABC):
    """One subject, as its profile understands and words it; every method is pure."""

    name: str
    triggers: tuple[str, ...]
    capabilities: tuple[str, ...] = ("records",)
    keeps_sums = False
    """Whether a sum that a note quotes is where it belongs."""
    remembers_in_passing = False
    """Whether what somebody says of themselves is kept as such without being asked for, where memory is on."""
    tells_people_apart = False
    """Whether its answers are of one person, so that a question may be asked again of another."""
    kept: tuple[str, ...]
    """The kinds of its records."""
    audiences: Mapping[str, Audience] = MappingProxyType({})
    """Whose the records of its kinds are where nobody says otherwise: the household's, but for these (ADR 0100)."""
    topics: tuple[Topic, ...] = ()
    """What of its records comes by itself, for whoever wants to be reminded of it."""

    def __init__(self) -> None:
        folder = resources.files(f"butler_specialist.profiles.{self.name}")
        self.prompt = folder.joinpath("prompt.md").read_text(encoding="utf-8")
        self.prompt_version = f"{self.name}-{hashlib.sha256(self.prompt.encode()).hexdigest()[:12]}"

    @abstractmethod
    def asked(self, reading: Reading) -> Lookup | None:
        """The records that a question in the message is about; None when it asks nothing of us."""

    @abstractmethod
    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        """The answer to the question, computed from `rows` (newest day first)."""

    def listed(self, reading: Reading, rows: Sequence[Record]) -> Listed:
        """The entries that the answer lists, in its order."""
        return NOTHING_LISTED

    @abstractmethod
    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        """The facts that the message states."""

    def agenda(self, reading: Reading) -> Period | None:
        """Of a question about what is to be done, the period; reminders are a part of that."""
        return None

    def does(self, request: Request) -> bool:
        """Whether it does what is asked for."""
        return False

    def stated(self, reading: Reading, drafts: Sequence[RecordDraft]) -> int:
        """How many facts the message states; more than `drafts` where not all of them were taken."""
        return len(drafts)

    def used(self, sentence: Sentence, drafts: Sequence[RecordDraft], reading: Reading) -> bool:
        """Whether a clause is in the facts of its message: it states one by itself, or says of one when or where."""
        alone = self.compose(reading.only(sentence), household=True)
        return any(draft.kind not in UNREAD for draft in alone)

    @abstractmethod
    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        """The records that the acknowledgement mentions: a month's total, the value before."""

    def settled(self, drafts: Sequence[RecordDraft], rows: Sequence[Record]) -> tuple[RecordDraft, ...]:
        """The facts as they are kept, now that the records they are compared with are known."""
        return tuple(drafts)

    @abstractmethod
    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        """What was understood."""
