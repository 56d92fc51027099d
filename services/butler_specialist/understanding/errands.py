"""Requests that only somebody outside, or a hand in the house, could fulfil (pure).

Invariant: it asks, by an imperative, a "could you" or a general question; a report of something done never does.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from butler_specialist.understanding.errand_words import ASKED, ERRANDS, LEAD, OURS
from butler_specialist.understanding.reminder_words import OBLIGED
from butler_specialist.understanding.sentence import Sentence

__all__ = ["Errand", "errand_of"]


class Errand(StrEnum):
    """The kind of request; `OTHER` is anything else asked with a "could you"."""

    CONTACT = "contact"
    ARRANGE = "arrange"
    SEE = "see"
    HOME = "home"
    PLAY = "play"
    LOOK_UP = "look_up"
    OTHER = "other"


_ERRANDS: Final = {
    Errand(kind): re.compile(rf"{LEAD}(?P<said>{'|'.join(forms)})") for kind, forms in ERRANDS.items()
}
_SELF: Final = frozenset({Errand.CONTACT})
"""Kinds that people also note for themselves: with a day or an hour it is their own task."""
_MOST_CHARS: Final = 300
_NOUN_OPENS: Final = re.compile(r"^\W*[^\W\d_]+ ?(?:#|no\.?|nr\.?|:)")


def errand_of(sentence: Sentence) -> Errand | None:
    """Return what the clause asks for; None if the household can do it, or if it is a statement."""
    folded = sentence.folded.lstrip("¿¡ ")
    if len(folded) > _MOST_CHARS or _NOUN_OPENS.match(folded):
        return None
    if OBLIGED.match(folded):
        return None
    asked = ASKED.match(folded)
    if asked is not None and OURS.match(asked["what"]) and not _made_of(folded):
        return None
    found = _made_of(folded)
    if found is not None and _is_past(sentence.text.lstrip("¿¡ "), folded):
        return None
    if found in _SELF and asked is None and (sentence.days or sentence.times) and not _SAYS.search(folded):
        return None
    return found or (Errand.OTHER if asked is not None else None)


def _made_of(folded: str) -> Errand | None:
    return next((errand for errand, pattern in _ERRANDS.items() if pattern.match(folded)), None)


def _is_past(text: str, folded: str) -> bool:
    """Return whether the verb's accent makes it a past: "réservé une table"."""
    found = next(match for pattern in _ERRANDS.values() if (match := pattern.match(folded)) is not None)
    verb = re.match(r"[\w-]+", text[found.start("said") :])
    return verb is not None and verb.group().lower().endswith(("é", "ée"))


_SAYS: Final = re.compile(
    r"\b(?:say|tell|that|dass|ob|sag|dis|dire|que|dile|decir|e?mail|message|nachricht|correo)\b"
)
