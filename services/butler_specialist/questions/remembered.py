"""Finds notes that answer a question asked in other words than they were told in (pure). EN, DE, FR, ES.

Invariant: a note answers only if it has nearly all that the question names: one about the water meter says nothing
about the gas meter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from butler_kit.wording.asked_words import asked_words, names_one, share_told
from butler_kit.wording.folding import fold
from butler_kit.wording.likeness import content_words
from butler_specialist.questions.recognise import asks
from butler_specialist.store.model import Record
from butler_specialist.understanding.reading import Reading

__all__ = ["asks_more", "is_named_in", "nearest", "remembered"]

_LEAST: Final = 0.6
_NEAR: Final = 0.3


def remembered(
    reading: Reading,
    rows: Sequence[Record],
    *,
    text_of: Callable[[Record], str] | None = None,
    but: str = "",
    least: float = _LEAST,
) -> list[Record]:
    """Return the notes that best fit one of the questions, newest first; `but` are words known to fit.

    They have more than `least` of what the question names.
    """
    said = [(row, content_words(text_of(row) if text_of else _text(row), fold)) for row in rows]
    known = _forms(but)
    asked = [asked_words(one.text, fold) - known for one in reading.sentences if asks(one)]
    asked = [wanted for wanted in (*asked, asked_words(reading.text, fold) - known) if wanted]
    best, found = least, list[Record]()
    for wanted in asked:
        for row, words_said in said:
            fits = share_told(wanted, words_said)
            if fits > best:
                best, found = fits, []
            if fits >= best and row not in found:
                found.append(row)
    return sorted(found, key=lambda row: (row.occurred_on, row.seq), reverse=True)


def nearest(reading: Reading, rows: Sequence[Record]) -> list[Record]:
    """Return the notes that have the most of what a question names, if none has nearly all of it.

    Newest first.
    """
    asked = asked_words(reading.text, fold)
    near = [row for row in rows if names_one(asked, content_words(_text(row), fold))]
    return remembered(reading, near, least=_NEAR)


def is_named_in(reading: Reading, text: str) -> bool:
    """Return whether a text has nearly all that the questions name.

    A question that names nothing fits any.
    """
    said = content_words(text, fold)
    asked = [asked_words(one.text, fold) for one in reading.sentences if asks(one)]
    return all(share_told(wanted, said) > _LEAST for wanted in asked if wanted)


def asks_more(reading: Reading, *, but: str) -> bool:
    """Return whether a question names anything besides these words."""
    return any(asked_words(one.text, fold) - _forms(but) for one in reading.sentences if asks(one))


def _forms(text: str) -> frozenset[str]:
    known = content_words(text, fold)
    return known | {f"{word}s" for word in known}


def _text(row: Record) -> str:
    return f"{row.title or ''} {row.text} {row.party or ''}"
