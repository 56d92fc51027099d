# ruff: noqa: E501 - patterns stay on one line
"""How often something is: "every morning", "alle 8 Stunden", "tous les soirs", "as needed, max 3 times a day" (pure).

Its words are neither a day nor a time of day nor the name of a thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from butler_specialist.understanding.calendar_words import DAY_PARTS

__all__ = ["Recurrence", "is_recurrence", "recurrence_in"]

_ENGLISH: Final = (
    r"(?:once|twice|(?:three|four|\d) times?) (?:a|per|each|every) (?:day|week|month)|(?:once |twice )?daily"
    r"|(?:every|each) (?:other |second |third |single )?(?:day|morning|noon|afternoon|evening|night|week|month)"
    r"|every \d{1,2} (?:hours|days|weeks)|weekly|nightly"
)
_GERMAN: Final = (
    r"(?:einmal|zweimal|dreimal|viermal|\d ?(?:mal|x)) (?:taglich|am tag|pro tag|pro woche|die woche|wochentlich)"
    rf"|taglich|wochentlich|jeden (?:zweiten |dritten )?(?:tag|{DAY_PARTS})"
    r"|jede (?:nacht|woche)|alle (?:\d{1,2}|zwei|drei) (?:stunden|tage|wochen)"
    r"|(?<!uhr )(?:morgens|abends|nachts)(?: und (?:mittags|abends|nachts))?"
)
_FRENCH: Final = (
    r"chaque (?:jour|matin|midi|soir|nuit|semaine)|tous les (?:\d{1,2} |deux )?(?:jours|matins|midis|soirs)"
    r"|toutes les (?:\d{1,2} heures|nuits|semaines)|(?:une|deux|trois|\d) fois par (?:jour|semaine)|matin et soir"
    r"|un jour sur deux"
)
_SPANISH: Final = (
    r"cada (?:dia|manana|tarde|noche|semana|\d{1,2} (?:horas|dias)|dos dias)|todos los dias"
    r"|todas las (?:mananas|tardes|noches|semanas)|(?:una vez|(?:dos|tres|\d) veces) (?:al dia|por dia|a la semana"
    r"|por semana)|a diario|por las (?:mananas|noches)"
)
_OFTEN: Final = re.compile(rf"\b(?:{_ENGLISH}|{_GERMAN}|{_FRENCH}|{_SPANISH})\b")
_LONGEST: Final = 40
_NEEDED: Final = (
    r"(?:only )?as (?:and when )?(?:needed|required|necessary)|(?:only )?(?:when|if|whenever) (?:it's |it is )?(?:needed|required|necessary)|prn"
    r"|(?:nur )?bei bedarf|(?:nur )?(?:wenn|falls) (?:notig|erforderlich|es sein muss)"
    r"|(?:seulement )?(?:si (?:besoin|necessaire)|au besoin|en cas de besoin)"
    r"|(?:solo )?(?:si (?:es necesario|hace falta)|en caso (?:de necesidad|necesario)|segun necesidad|a demanda)"
)
_A_PERSON: Final = "".join(
    f"(?<!{word} )"
    for word in ("give", "gives", "gib", "geben", "for", "to", "fur", "donne", "donner", "pour", "a", "para")
)
"""Words after which Max is a person."""
_MOST: Final = rf"{_A_PERSON}max(?:imum|imal|imo)?\.?|at most|no more than|not more than|up to|hochstens|bis zu|au (?:maximum|plus)|jusqu'a|como maximo|hasta"
_BEFORE: Final = re.compile(rf"\b(?:(?:{_NEEDED})[,;:]? (?:(?:{_MOST}) )?|(?:{_MOST}) )$")
_AFTER: Final = re.compile(
    rf",? (?:{_NEEDED}|max(?:imum|imal|imo)?|at most|hochstens|au (?:maximum|plus)|como maximo)(?!\w)"
)
_ALONE: Final = re.compile(rf"\b(?:{_NEEDED})\b")


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The words from `start` to `end`. `open`: at most so often, or as needed, so at no known hour."""

    start: int
    end: int
    open: bool = False


def recurrence_in(folded: str) -> Recurrence | None:
    """Return the first words that say how often."""
    often = _OFTEN.search(folded)
    if often is None:
        alone = _ALONE.search(folded)
        return Recurrence(*alone.span(), open=True) if alone else None
    before = _BEFORE.search(folded, max(0, often.start() - _LONGEST), often.start())
    after = _AFTER.match(folded, often.end())
    return Recurrence(
        before.start() if before else often.start(),
        after.end() if after else often.end(),
        open=before is not None or after is not None or _ALONE.search(folded) is not None,
    )


def is_recurrence(folded: str, start: int, end: int) -> bool:
    """Return whether that part of the text belongs to words that say how often."""
    around = _OFTEN.finditer(folded, max(0, start - _LONGEST), end + _LONGEST)
    return any(match.start() < end and start < match.end() for match in around)
