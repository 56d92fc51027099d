"""A profile's subject: what a message states, what it asks, and the wording of both (pure)."""

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
"""The most facts of one message; the answer says if there are more."""
UNREAD: Final = frozenset({"note"})
"""The kind that keeps a text without a fact."""


class Subject(ABC):
    """One subject, as its profile understands and words it; every method is pure."""

    name: str
    triggers: tuple[str, ...]
    capabilities: tuple[str, ...] = ("records",)
    keeps_sums = False
    """Whether a sum quoted in a note is in the right place."""
    remembers_in_passing = False
    """Whether remarks about oneself are kept as such without being asked to, if memory is on."""
    tells_people_apart = False
    """Whether its answers are about one person, so that a question can be repeated for another."""
    kept: tuple[str, ...]
    """The kinds of its records."""
    audiences: Mapping[str, Audience] = MappingProxyType({})
    """Whose the records of its kinds are by default: the household's, except for these (ADR 0100)."""
    topics: tuple[Topic, ...] = ()
    """The topics of its records that remind automatically, for those who want it."""

    def __init__(self) -> None:
        folder = resources.files(f"butler_specialist.profiles.{self.name}")
        self.prompt = folder.joinpath("prompt.md").read_text(encoding="utf-8")
        self.prompt_version = f"{self.name}-{hashlib.sha256(self.prompt.encode()).hexdigest()[:12]}"

    @abstractmethod
    def asked(self, reading: Reading) -> Lookup | None:
        """Return the records that a question in the message is about; None if it asks nothing of us."""

    @abstractmethod
    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        """Return the answer to the question, computed from `rows` (newest day first)."""

    def listed(self, reading: Reading, rows: Sequence[Record]) -> Listed:
        """Return the entries that the answer lists, in its order."""
        return NOTHING_LISTED

    @abstractmethod
    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        """Return the facts that the message states."""

    def agenda(self, reading: Reading) -> Period | None:
        """Return the period of a question about what is to be done, which includes reminders."""
        return None

    def does(self, request: Request) -> bool:
        """Return whether it does what is asked for."""
        return False

    def stated(self, reading: Reading, drafts: Sequence[RecordDraft]) -> int:
        """Return how many facts the message states; more than `drafts` if not all of them were taken."""
        return len(drafts)

    def used(self, sentence: Sentence, drafts: Sequence[RecordDraft], reading: Reading) -> bool:
        """Return whether a clause is in the facts: it states one, or says when or where of one."""
        alone = self.compose(reading.only(sentence), household=True)
        return any(draft.kind not in UNREAD for draft in alone)

    @abstractmethod
    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        """Return the records that the acknowledgement mentions: a month's total, the value before."""

    def settled(self, drafts: Sequence[RecordDraft], rows: Sequence[Record]) -> tuple[RecordDraft, ...]:
        """Return the facts to store, given the records that they are compared with."""
        return tuple(drafts)

    @abstractmethod
    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        """Say what was understood."""
