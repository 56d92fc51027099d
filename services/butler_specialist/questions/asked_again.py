# ruff: noqa: E501 - patterns stay on one line
"""Repeats the last question for another person, period or thing (pure).

Invariant: only what the follow-up names is replaced; if the question has no place for it, there is no question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_kit.wording.language import language_of
from butler_specialist.questions.periods import period_of, period_words, without_period
from butler_specialist.understanding.household import KIN
from butler_specialist.understanding.people import person_in
from butler_specialist.understanding.reading import Reading, read
from butler_specialist.understanding.subjects import UNKNOWN, mentions

__all__ = ["asked_again", "names_somebody", "person_named", "points_at_somebody", "with_person_for_pronoun"]

_MOST_CHARS: Final = 200
_IN: Final = "in "
_OF: Final = " de "
_ME: Final = re.compile(
    r"^(?:mine|me|my own|i|meins|meine[rns]?|mir|bei mir|ich|le mien|la mienne|moi|mio|mia|yo|(?:el |la )?mi[oa])$"
)
_MY: Final = re.compile(
    r"\b(?:my|our|mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|mon|ma|mes|notre|mis?|nuestr[oa]s?)\b"
)
_I: Final = re.compile(
    r"\b(?:(?P<verb>do|did|have|am|was|can|will|would|should) (?:i|we)|ich|wir|je|nous|yo|nosotros)\b"
)
_OF_ANOTHER: Final = {"do": "does", "have": "has", "am": "is"}
_ABOUT: Final = re.compile(
    r"\b(?P<prep>for|on|at|furs|fur|beim|bei|pour|sur|chez|para|por|en(?! (?:tout|total)\b)|de(?! (?:l'argent|dinero)\b)) (?!(?:me|us|mich|uns|moi|nous|mi)\b)(?P<what>[^?]{1,60})"
)
_PREPOSITION: Final = re.compile(
    r"^(?:for|on|at|in|from|with|furs?|beim?|im|mit|pour|sur|chez|au|avec|para|por|en|con|de)\b"
)
_GENITIVE: Final = re.compile(r"(?:'s|s'|’s)$")
_PRONOUN: Final = re.compile(
    r"-t-(?:elle|il)\b|-(?:elle|il)\b|\b(?P<whose>his|her|seine?[nmrs]?|ihre?[nmrs]?)(?= [^\W\d])|\b(?:he|she|him|her|er|sie|ihm|ihn|ihr|elle|lui|ella)\b"
)
_NOT_AFTER_HER: Final = re.compile(
    r" (?:be|is|was|have|has|on|in|at|last|next|sein|ist|war|hat|zuletzt|am|im)\b"
)
_NO_SUBJECT: Final = re.compile(r"\b(?:cuantos anos tiene|cuando cumple|cuanto (?:pesa|mide))\b")


def asked_again(question: Reading, rest: str, names: Sequence[str], *, of_people: bool) -> str | None:
    """Return the question with `rest` in its place; `names` are the known people.

    Without `of_people` answers do not distinguish people, so there is no question about another one.
    """
    new = read(rest, question.moment)
    period = (
        rest
        if period_of(new) is not None
        else _IN + rest
        if period_of(read(_IN + rest, question.moment))
        else None
    )
    if period is not None:
        return _ended(f"{without_period(question.text, question.today)} {period}")
    person = _GENITIVE.sub("", rest)
    mine, sure = _ME.match(fold(person)) is not None, _is_person(person, names)
    if mine or sure or (_named(question) and not _PREPOSITION.match(fold(rest))):
        return _of_person(question, None if mine else person) if of_people else None
    return _about(question, rest)


def points_at_somebody(text: str) -> bool:
    """Return whether a short question refers to somebody named before it by "she" or "his"."""
    folded = fold(text[:_MOST_CHARS])
    return len(text) <= _MOST_CHARS and bool(_NO_SUBJECT.search(folded) or _PRONOUN.search(folded))


def with_person_for_pronoun(text: str, name: str) -> str | None:
    """Return the question with a name for "she", "his" or no subject at all; None if it has none of these."""
    folded = fold(text)
    if _NO_SUBJECT.search(folded):
        return _ended(f"{text.rstrip(' ?')} {name}")
    match = _PRONOUN.search(folded)
    if match is None:
        return None
    before, after = text[: match.start()], text[match.end() :]
    whose = match["whose"] is not None and not _NOT_AFTER_HER.match(fold(after))
    said = name if not whose else f"{name}s" if language_of(text) == "de" else f"{name}'s"
    joint = "" if not before or before[-1].isspace() or before[-1] in "¿¡(" else " "
    return f"{before}{joint}{said}{after}"


def names_somebody(rest: str, names: Sequence[str]) -> bool:
    """Return whether the new words are a person: known to the household, kin, in the genitive, or "mine"."""
    return _GENITIVE.search(rest) is not None or _ME.match(fold(rest)) is not None or _is_person(rest, names)


def person_named(reading: Reading) -> str | None:
    """Return the person whom a text names, in its words."""
    span = _span(reading)
    return reading.text[span[0] : span[1]] if span is not None else None


def _is_person(words: str, names: Sequence[str]) -> bool:
    folded = fold(words)
    known = {fold(name) for whole in names for name in (whole, whole.split()[0])}
    return folded in known or folded.removesuffix("s") in known or folded.split()[-1] in KIN


def _named(question: Reading) -> bool:
    """Return whether the question is about somebody: then another name is a person too."""
    return bool(_MY.search(question.folded) or _span(question) is not None)


def _span(question: Reading) -> tuple[int, int] | None:
    """Return where the question names a person."""
    found = mentions(question.text, known=question.whose.known, asking=True)
    spans = [(one.start, one.end) for one in found if one.who not in (None, UNKNOWN)]
    said = (name for sentence in question.sentences if (name := person_in(sentence)))
    spans += [(at, at + len(name)) for name in said if (at := question.text.find(name)) >= 0]
    return next(iter(spans), None)


def _of_person(question: Reading, person: str | None) -> str | None:
    text, language = question.text, language_of(question.text)
    span = _span(question)
    if span is not None:
        return _named_anew(text, span, person, language)
    if (own := _MY.search(question.folded)) is not None:
        return _possessed_anew(text, own, person, language)
    subject = _I.search(question.folded)
    if subject is None or person is None:
        return None
    verb = subject["verb"]
    said = f"{_OF_ANOTHER.get(verb, verb)} {person}" if verb else person
    return _ended(text[: subject.start()] + said + text[subject.end() :])


def _named_anew(text: str, span: tuple[int, int], person: str | None, language: Language) -> str:
    before, after = text[: span[0]], text[span[1] :]
    genitive = re.match(r"['’]s\b|s\b", after)
    if person is None:
        mine = {"en": "my", "de": "mein", "fr": "moi", "es": "mí"}[language]
        return _ended(before + (mine + after[genitive.end() :] if genitive else mine + after))
    return _ended(
        before + (_genitive(person, language) + after[genitive.end() :] if genitive else person + after)
    )


def _possessed_anew(text: str, own: re.Match[str], person: str | None, language: Language) -> str:
    before, after = text[: own.start()], text[own.end() :]
    if person is None:
        return _ended(text)
    if language in ("en", "de"):
        return _ended(before + _genitive(person, language) + after)
    article = {"mon": "le", "ma": "la", "mes": "les", "notre": "le", "mis": "los"}.get(
        fold(own.group()), "el"
    )
    return _ended(f"{before}{article}{after.rstrip(' ?')}{_OF}{person}")


def _genitive(person: str, language: Language) -> str:
    return (
        person
        if language == "de" and person.endswith("s")
        else f"{person}s"
        if language == "de"
        else f"{person}'s"
    )


def _about(question: Reading, rest: str) -> str | None:
    """Return the question about another thing, for the same time."""
    bare = without_period(question.text, question.today)
    found = _ABOUT.search(fold(bare))
    if found is None:
        return None
    told = rest if _PREPOSITION.match(fold(rest)) else f"{found['prep']} {rest}"
    return _ended(f"{bare[: found.start()]}{told} {period_words(question.text, question.today)}")


def _ended(text: str) -> str:
    return f"{' '.join(text.split()).rstrip(' ?')}?"
