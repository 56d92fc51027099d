"""Which clauses of a message state facts of a subject, and which do not (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from butler_specialist.profiles.beside import beside_facts
from butler_specialist.profiles.leftover import left_out, own_clauses
from butler_specialist.profiles.subject import UNREAD, Subject
from butler_specialist.questions.recognise import asks
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["alone", "composed", "overlooked", "states_more_than_words", "told_beside"]

_TITLE_CHARS: Final = 300
_MOST_TOLD: Final = 60
"""The most clauses beside a question that are checked."""
_WORDS: Final = frozenset({"note", "task", "appointment"})


def states_more_than_words(subject: Subject, reading: Reading) -> bool:
    """Return whether it has more than words; a mood has at most a day."""
    return any(draft.kind not in _WORDS for draft in subject.compose(reading, household=True))


def overlooked(
    subject: Subject, drafts: Sequence[RecordDraft], said: str, reading: Reading
) -> tuple[Sentence, ...]:
    """Return what neither the facts nor the answer say; nothing for a message without facts, kept whole."""
    if all(draft.kind in UNREAD for draft in drafts):
        return ()
    rest = left_out(reading, lambda sentence: subject.used(sentence, drafts, reading))
    others = [sentence for sentence in own_clauses(reading) if sentence not in rest]
    return (*rest, *beside_facts(others, drafts, said, reading))


def told_beside(subject: Subject, reading: Reading) -> tuple[Sentence, ...]:
    """Return the clauses beside a question that state facts."""
    told = [sentence for sentence in reading.sentences[:_MOST_TOLD] if not asks(sentence)]
    if not told or len(told) == len(reading.sentences):
        return ()
    rest = alone(told, reading)
    return tuple(sentence for sentence in told if subject.used(sentence, (), rest))


def composed(
    subject: Subject, reading: Reading, *, household: bool
) -> tuple[Reading, tuple[RecordDraft, ...]]:
    """Return the facts of the body, or of a mail's subject if the body has none; the subject titles notes."""
    drafts = subject.compose(reading, household=household)
    if reading.subject and all(draft.kind in UNREAD for draft in drafts):
        whole = reading.with_subject()
        found = subject.compose(whole, household=household)
        if any(draft.kind not in UNREAD for draft in found):
            reading, drafts = whole, found
    titled = (
        replace(draft, title=one_line(reading.subject, most=_TITLE_CHARS))
        if reading.subject and draft.title is None and draft.kind in _WORDS
        else draft
        for draft in drafts
    )
    return reading, tuple(titled)


def alone(told: Sequence[Sentence], reading: Reading) -> Reading:
    """Return these clauses without the others of their message."""
    kept = frozenset(told)
    return reading.without([sentence for sentence in reading.sentences if sentence not in kept])
