"""Whom a clause asks to be told something, and where the words for them begin (pure; EN, DE, FR, ES)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from butler_kit.wording.folding import words
from butler_specialist.understanding.request_words import WISHES
from butler_specialist.understanding.sentence import Sentence

__all__ = ["Addressed", "addressed_in"]

_NAMES: Final = ("en", "know", "send", "to", "de", "gib", "fr", "es")
"""The groups of a request to tell that may hold the name."""
_REMINDS: Final = words("remind erinner erinnere rappelle rappeler rappelez recuerdale")
"""A reminder of somebody else: it asks for a moment, which passing it on at once would miss."""
_ASKS: Final = words("ask frag frage demande demander demandez pregunta preguntale")
"""A question is passed on with its verb: "ask Tom if he can bring the drill"."""
_VERB: Final = re.compile(r"[^\W\d_]+")
_NEXT: Final = re.compile(r"\s+(?P<name>[^\W\d_][\w'-]*)")
_JOINT: Final = re.compile(
    r"[\s,:]*+(?:(?:know|bescheid|aus|an? (?:message|text|e-?mail|note)|eine nachricht)\b[\s,:]*+)?"
    r"(?:(?:that|to|dass|que|de)\b[\s:]*+|(?:qu|d)')?"
)
_BINDS: Final = re.compile(r"\s*+(?:,|:|\b(?:that|to|about|dass|ob|bescheid|aus|que|de|know)\b)")


@dataclass(frozen=True, slots=True)
class Addressed:
    """The name as written, where in the clause the words to pass on begin, and whether they are a question."""

    name: str
    start: int
    asks: bool = False


def addressed_in(sentence: Sentence, is_contact: Callable[[str], bool]) -> Addressed | None:
    """Return who is to be told; None where the clause is no such request, or names nobody of the household."""
    found = WISHES["tell"].match(sentence.folded)
    verb = _VERB.match(sentence.folded, found.start("said")) if found else None
    group = next((name for name in _NAMES if found and found[name]), None)
    if found is None or verb is None or group is None or verb.group() in _REMINDS:
        return None
    start, end = found.span(group)
    end = _whole_name(sentence, start, end, is_contact)
    name = sentence.text[start:end]
    if end < 0 or not is_contact(name):
        return None
    if verb.group() in _ASKS:
        return Addressed(name, found.start("said"), asks=True)
    joint = _JOINT.match(sentence.folded, end)
    return Addressed(name, joint.end() if joint else end)


def _whole_name(sentence: Sentence, start: int, end: int, is_contact: Callable[[str], bool]) -> int:
    """Return where the name ends; -1 for somebody else's full name: "Tom Baker", where Tom is a contact."""
    following = _NEXT.match(sentence.text, end)
    if following is None or not following["name"][0].isupper() or following["name"].lower() == "bescheid":
        return end
    if is_contact(sentence.text[start : following.end()]):
        return following.end()
    return -1 if _BINDS.match(sentence.folded, following.end()) else end
