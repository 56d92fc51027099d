"""Whether somebody may be in danger, and in which (pure). In doubt, they may be.

Ignored are only things with such a name ("chest pain form"), denials ("no chest pain"), and what the clause dates
to a day or a year that is over ("he had a stroke in 2015"). English, German, French, Spanish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.danger import MOST_CLAUSES, Danger, Sign, cries_for_help, gravest, signs_in
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.tense import side_of

__all__ = ["Alarm", "alarm_in", "is_emergency"]

_PRESENT: Final = re.compile(
    r"\b(?:now|again|is|are|i'm|he's|she's|has(?! had| been)|having|feels?|still|jetzt|wieder|gerade|ist|maintenant"
    r"|encore|en ce moment|ahora|otra vez|esta|tiene)\b"
)
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_AGO: Final = re.compile(
    r"\b(?:(?:weeks?|months?|years?) ago|last (?:week|month|year|spring|summer|autumn|winter)|as a child"
    r"|vor \w+ (?:wochen|monaten?|jahren?)|letzte[sn]? (?:woche|monat|jahr)"
    r"|il y a \w+ (?:semaines?|mois|ans?)|l'an(?:nee)? derniere?|(?:la semaine|le mois) derniere?"
    r"|hace \w+ (?:semanas?|mes(?:es)?|anos?)|(?:el (?:ano|mes)|la semana) pasad[oa])\b"
)
_ASKS_WHEN_IT_WAS: Final = re.compile(
    r"\W*(?:(?:when|in which year) (?:did|was|were)|wann (?:hatte|war)|quand (?:a|avait|est)|cuando (?:tuvo|fue))\b"
)
_FORWARDED: Final = re.compile(
    r"forwarded message|weitergeleitete nachricht|message transfere|mensaje reenviado"
)
_FRESH: Final = timedelta(days=1)
"""Yesterday's danger may persist."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """The possible danger, and the language in which it was reported."""

    danger: Danger
    language: Language


def is_emergency(reading: Reading) -> bool:
    """Return whether one of the sender's own clauses reports danger."""
    return alarm_in(reading) is not None


def alarm_in(reading: Reading) -> Alarm | None:
    """Return the gravest danger in the sender's own clauses; None if nobody seems to be in danger."""
    if cries_for_help(reading.folded):
        return Alarm(Danger.LIFE, reading.language)
    found = {
        one for sentence in islice(_own(reading), MOST_CLAUSES) for one in _signs(sentence, reading.today)
    }
    if not found:
        return None
    danger, language = gravest(found)
    return Alarm(danger, language if reading.language == "en" else reading.language)


def _own(reading: Reading) -> Iterator[Sentence]:
    for sentence in reading.sentences:
        if _FORWARDED.search(sentence.folded):
            return
        yield sentence


def _signs(sentence: Sentence, today: date) -> Iterator[Sign]:
    found = tuple(signs_in(sentence.folded))
    return iter(found if found and not _is_over(sentence, today) else ())


def _is_over(sentence: Sentence, today: date) -> bool:
    folded = sentence.folded
    if _ASKS_WHEN_IT_WAS.match(folded):
        return True
    if side_of(folded, sentence.day) != "past" or _PRESENT.search(folded):
        return False
    days = [day.on("past") for day in sentence.days]
    years = [int(match.group()) for match in _YEAR.finditer(folded)]
    if days:
        return max(days) < today - _FRESH
    return _AGO.search(folded) is not None or bool(years and max(years) < today.year)
