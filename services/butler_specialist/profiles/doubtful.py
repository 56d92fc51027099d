"""What of a message is kept in its own words only, because it claims nothing that is sure (pure).

Invariant: of such a clause no record has a day, a sum or a value; the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from butler_specialist.locale import joined, noop, say
from butler_specialist.questions.recognise import asks
from butler_specialist.questions.wording import ended, quoted
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.doubts import (
    does_not_happen,
    is_aim,
    is_of_an_outsider,
    is_supposed,
    outsider_pays,
)
from butler_specialist.understanding.negations import says_not
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["as_written", "as_written_text", "doubtful"]

_SURE: Final = frozenset({"list_item", "list_removal", "task", "allergy", "contact", "gift", "birthday"})
"""Kinds that claim no day, sum or value that a doubt could make false."""
_DENIABLE: Final = frozenset({"allergy", "contact", "birthday"})
"""Of those, the kinds that are false once they are denied."""
_VALUES: Final = frozenset({"measurement", "medication"})
_MOST: Final = 60
"""Clauses that are looked at; a longer message is a document."""
_AS_WRITTEN: Final = noop("Noted as you wrote it, without a day, a sum or a value: {quote}")

Compose = Callable[[Reading], Sequence[RecordDraft]]


def doubtful(reading: Reading, compose: Compose) -> tuple[Sentence, ...]:
    """The clauses of which no claim is to be made, though `compose` makes one."""
    sentences = reading.sentences[:_MOST]
    supposed = {one.line for one in sentences if is_supposed(one)}
    return tuple(
        one
        for one in sentences
        if not asks(one) and _takes_away(one, supposed=one.line in supposed, compose=compose, reading=reading)
    )


def _takes_away(sentence: Sentence, *, supposed: bool, compose: Compose, reading: Reading) -> bool:
    """Whether a doubt of the clause is about something that it would be kept as."""
    gone, paid = does_not_happen(sentence), outsider_pays(sentence)
    aim, outsider, denied = is_aim(sentence), is_of_an_outsider(sentence), says_not(sentence)
    if not (supposed or gone or paid or aim or outsider or denied):
        return False
    for draft in compose(reading.only(sentence)):
        value = draft.kind in _VALUES
        if denied and (_claims(draft, reading) or _is_deniable(draft, reading)):
            return True
        if supposed and _claims(draft, reading):
            return True
        if gone and draft.occurred_on >= reading.today and _claims(draft, reading) and not value:
            return True
        if (paid and draft.kind == "expense") or (aim and draft.kind == "measurement"):
            return True
        if outsider and value and draft.party is None:
            return True
    return False


def _is_deniable(draft: RecordDraft, reading: Reading) -> bool:
    return draft.kind in _DENIABLE or (draft.kind == "note" and draft.occurred_on != reading.today)


def _claims(draft: RecordDraft, reading: Reading) -> bool:
    if draft.kind in _SURE:
        return False
    return draft.kind != "note" or draft.occurred_on > reading.today


def as_written(sentences: Sequence[Sentence], reading: Reading, *, whole: bool) -> tuple[RecordDraft, ...]:
    """Each as a note of the day on which it was said; the `whole` message as one where nothing else is in it."""
    texts = [reading.text] if whole else [one.text for one in sentences]
    return tuple(RecordDraft("note", reading.today, text) for text in texts)


def as_written_text(notes: Sequence[RecordDraft], reading: Reading) -> str:
    """That they are kept, and that nothing was taken from them."""
    language = reading.language
    quotes = joined([quoted(note.text, language=language) for note in notes], language)
    return ended(say(language, _AS_WRITTEN, quote=quotes))
