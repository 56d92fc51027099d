"""How often something is: "every morning", "alle 8 Stunden", "tous les soirs", "cada mañana" (pure).

Words of it are neither a day nor a time of day nor the name of a thing.
"""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.understanding.calendar_words import DAY_PARTS

__all__ = ["is_recurrence", "recurrence_in"]

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


def recurrence_in(folded: str) -> re.Match[str] | None:
    """The first words that say how often."""
    return _OFTEN.search(folded)


def is_recurrence(folded: str, start: int, end: int) -> bool:
    """Whether what stands there is a part of words that say how often."""
    around = _OFTEN.finditer(folded, max(0, start - _LONGEST), end + _LONGEST)
    return any(match.start() < end and start < match.end() for match in around)
