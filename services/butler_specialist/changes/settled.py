"""The result of one request (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from butler_specialist.changes.wording import MOST_NAMED, Words
from butler_specialist.locale import noop
from butler_specialist.store.model import Question, Record, RecordChange, RecordDraft

__all__ = ["Settled", "which_one"]


@dataclass(frozen=True, slots=True)
class Settled:
    """The changes and records of a request, its text, and the question it asks back.

    `beside`: the clause is also read like any other, and this text follows its answer.
    """

    text: str
    changes: tuple[RecordChange, ...] = ()
    records: tuple[RecordDraft, ...] = ()
    question: Question | None = None
    beside: bool = False


def which_one(text: str, moment: datetime, rows: Sequence[Record], words: Words) -> Settled:
    """Ask one question that names at most five entries; the next answer may pick among them."""
    named = rows[:MOST_NAMED]
    if len(named) == 1:
        said = words.tell(noop("Do you mean {what}? Nothing is changed yet."), what=words.entry(named[0]))
    else:
        said = words.tell(
            noop("Which one do you mean: {entries}? Nothing is changed yet."), entries=words.numbered(named)
        )
    if len(rows) > len(named):
        more = str(len(rows) - len(named))
        said += " " + words.tell(noop("{number} older ones fit too: name the day or the sum."), number=more)
    return Settled(said, question=Question(text, moment, tuple(row.record_id for row in named)))
