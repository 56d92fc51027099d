"""A message without a fact about anybody, as notes: one for each of its days (pure)."""

from __future__ import annotations

from collections.abc import Sequence

from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.day import ALL_DAY, Side
from butler_specialist.understanding.people import person_in
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["notes_of_days"]


def notes_of_days(reading: Reading, person: str | None) -> tuple[RecordDraft, ...]:
    """Return the message as a note about `person`.

    With several days one each, about the person of its clause.
    """
    dated = [sentence for sentence in reading.sentences if sentence.days]
    if len(dated) < 2 or reading.subject:
        return (_note(dated[0] if dated else reading.sentences[0], reading.text, reading, person),)
    return tuple(
        _note(one, "; ".join(part.text.rstrip(" .,;") for part in group), reading, person_in(one))
        for one, group in _up_to_each(reading.sentences)
    )


def _up_to_each(sentences: Sequence[Sentence]) -> list[tuple[Sentence, list[Sentence]]]:
    """Return each sentence with a day and those before it; what follows the last belongs to that."""
    found: list[tuple[Sentence, list[Sentence]]] = []
    group: list[Sentence] = []
    for sentence in sentences:
        group.append(sentence)
        if sentence.days:
            found.append((sentence, group))
            group = []
    found[-1][1].extend(group)
    return found


def _note(sentence: Sentence, text: str, reading: Reading, person: str | None) -> RecordDraft:
    usual: Side = "future" if sentence.times or sentence.has(ALL_DAY) else "nearest"
    when = reading.when(sentence, usual, usual=usual)
    return RecordDraft("note", when.day, text, occurred_at=when.at if when.named else None, party=person)
