"""Whether somebody may be in danger, and in which (pure). In doubt, they may be.

Ignored are only things with such a name ("chest pain form"), denials ("no chest pain"), and what the clause dates
to a day or a year that is over ("he had a stroke in 2015"). English, German, French, Spanish.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from typing import Final

from butler_contracts.language import Language
from butler_specialist.understanding.emergency_words import SIGNS, Danger
from butler_specialist.understanding.misspelt import mended
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.tense import side_of

__all__ = ["Alarm", "alarm_in", "is_emergency"]

_NAMES_A_THING: Final = (
    r"[\s-]+(?:forms?|leaflets?|insurance|questionnaires?|appointments?|course|training|clinic|check-?ups?|unit"
    r"|book|article|podcast|awareness|charity|prevention|squad|formular|fragebogen|termin|kurs|vorsorge)\b"
)
_ABOUT_A_THING: Final = re.compile(
    r"\b(?:courses?|class(?:es)?|training|lessons?|talk|lecture|films?|movies?|books?|article|podcast|series|insurance"
    r"|alarm test|drill|first aid|erste hilfe|premiers secours|primeros auxilios"
    r"|kurs|vortrag|film|buch|artikel|serie|ubung|versicherung"
    r"|cours|formation|livre|expose"
    r"|assurance|exercice|curso|taller|charla|pelicula|libro|seguro|simulacro)\b"
    r".{0,40}\b(?:about|on|against|for|in case of|called|uber|zum?|gegen|sur|contre|de|du|sobre|contra)\b.{0,60}$"
)
_ABOUT_CHARS: Final = 160
"""More than the longest such words with all that may stand between them."""
_IDIOMS: Final = re.compile(
    r"\b(?:nearly|almost|fast|beinahe|presque|failli|casi|gave me|given me|faire avoir)\b.{0,20}"
    r"(?:heart attack|stroke|died|herzinfarkt|herzanfall|crise cardiaque|infarctus|avc|infarto|ataque al corazon)"
    r"|\b(?:shel(?:f|ves)|roof|tent|cake|bed|market|shed|bridge|wall|deal|company|bank|prices?|system|server|website"
    r"|app|internet|wifi|computer|laptop|printer|phone|watch|boiler|queue|traffic|tv|router|netz|drucker|rechner|zelt"
    r"|regal|kuchen|handy|heizung|auto|stau|telephone|portable|ordi\w*|movil|ordenador|impresora)(?:'s)?"
    r" (?:[\w'-]+ ){0,4}(?:collapsed|responding|moving|wake up|drowned|stroke|no pulse|zusammengebrochen"
    r"|reagiert|umgekippt|bouge|reagit|reacciona|respira)\w*"
    r"|\b(?:i|we|i just|ich|wir) (?:\w+ )?collapsed (?:on|onto|into) (?:the|my|our) (?:sofa|bed|couch|chair)"
    r"|\b(?:glass|vase|bike|tree|bottle|milk|glas|vase|fahrrad|milch|flasche|baum) (?:\w+ ){0,2}umgekippt"
)
"""Idioms that only sound like danger."""
_DENIED: Final = r"\b(?:no|not|without|never had|keinen?|keine|nicht|ohne|pas de|sans|sin|ningun)\s+"


def _compiled(patterns: Iterable[str]) -> re.Pattern[str]:
    signs = "|".join(patterns)
    return re.compile(rf"(?P<denied>{_DENIED})?(?<!\w)(?:{signs})(?![\w])(?!{_NAMES_A_THING})")


_SIGNS: Final = {
    (danger, language): _compiled(kinds[danger]) for danger in Danger for language, kinds in SIGNS.items()
}
"""In search order."""
_CRIED: Final = re.compile(r"\W*(?:help|hilfe|zu hilfe|a l'aide|ayuda|sos)\s*(?:!\s*){2,}\W*")
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
_MOST: Final = 60
"""The most clauses read; nobody in need writes a document."""
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
    if _CRIED.fullmatch(reading.folded[:200]):
        return Alarm(Danger.LIFE, reading.language)
    found = {one for sentence in islice(_own(reading), _MOST) for one in _signs(sentence, reading.today)}
    if not found:
        return None
    danger, language = next(key for key in _SIGNS if key in found)
    return Alarm(danger, language if reading.language == "en" else reading.language)


def _own(reading: Reading) -> Iterator[Sentence]:
    for sentence in reading.sentences:
        if _FORWARDED.search(sentence.folded):
            return
        yield sentence


def _signs(sentence: Sentence, today: date) -> Iterator[tuple[Danger, Language]]:
    if not any(character.isalpha() for character in sentence.folded):
        return
    folded = _IDIOMS.sub(" - ", mended(sentence.folded))
    for key, pattern in _SIGNS.items():
        said = (match.start() for match in pattern.finditer(folded) if match["denied"] is None)
        if any(not _is_about_a_thing(folded, start) for start in said) and not _is_over(sentence, today):
            yield key


def _is_about_a_thing(folded: str, start: int) -> bool:
    return _ABOUT_A_THING.search(folded[max(0, start - _ABOUT_CHARS) : start]) is not None


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
