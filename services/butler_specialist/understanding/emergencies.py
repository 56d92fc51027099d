"""Whether somebody's life may be in danger, and whom to call (pure). When in doubt, it may be.

Quiet are only a thing that is called so ("chest pain form"), what is denied ("no chest pain"), and what the clause
says of a day or a year that is over ("he had a stroke in 2015"). English, German, French, Spanish.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta, tzinfo
from typing import Final

from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.tense import side_of

__all__ = ["emergency_numbers", "is_emergency"]

_SIGNS: Final = (
    r"unconscious|unresponsive|passed out|collapsed|(?:not|won't|doesn't|isn't) wak(?:e|ing) up"
    r"|(?:not|stopped|isn't|barely) breathing|(?:can't|cannot|can not|can hardly|struggling to) breathe"
    r"|no pulse|chok(?:ing|ed)"
    r"|chest pains?|pains? in (?:(?:my|his|her|the) )?chest|heart attack|cardiac arrest"
    r"|(?<!back)(?<!breast)(?<!brush)(?<!swimming )(?<!breast )(?<!brush )(?<!back )(?<!key)"
    r"stroke(?! of\b| the\b| my\b)"
    r"|overdos\w+|suicid\w+|kill(?:ing)? (?:myself|himself|herself)|end my life|want to die"
    r"|anaphyla\w+|bleeding (?:heavily|badly|out)|severe bleeding|seizures?|poisoned|swallowed (?:bleach|poison)"
    r"|(?:swallowed|took|taken|eaten|ate) (?:a|the) (?:whole|entire|full) (?:box|bottle|pack(?:et|age)?|strip) of"
    r" (?:\w+ )?(?:pills|tablets|medication|medicine|painkillers)"
    r"|(?:swallowed|took|taken) all (?:(?:of )?(?:the|my|his|her) )?(?:pills|tablets)"
    r"|(?:do not|don'?t) want to (?:be here any ?more|be alive|live(?: any ?more)?(?! (?:in|at|with|on|near)\b))"
    r"|drowning|electrocuted|(?:house|kitchen|flat|apartment) is on fire"
    r"|bewusstlos\w*|ohnmachtig|nicht ansprechbar|wacht nicht (?:mehr )?auf|atmet (?:\w+ )?nicht|keine luft"
    r"|kein puls|erstickt|brustschmerz\w*|schmerzen in der brust|herzinfarkt|herzstillstand|schlaganfall"
    r"|uberdosis|selbstmord\w*|suizid\w*|umbringen|will nicht mehr leben|blutet stark|starke blutung|krampfanfall"
    r"|(?:ganze|komplette) (?:packung|schachtel) \w*(?:tabletten|pillen|medikamente)|mag nicht mehr leben"
    r"|vergiftet|vergiftung|ertrinkt|(?:haus|kuche|wohnung) brennt|es brennt"
    r"|inconscient\w*|evanoui\w*|ne respir\w+ (?:plus|pas)|(?:arrive|peux) (?:plus|pas) a respirer|s'etouffe"
    r"|douleurs? (?:a|dans) la poitrine|mal a la poitrine|crise cardiaque|infarctus|arret cardiaque|avc"
    r"|surdose|suicide\w*|me tuer|en finir|saigne beaucoup|hemorragie|convulsions?|empoisonn\w+|se noie"
    r"|aval\w+ toute (?:une|la|ma|sa) (?:boite|plaquette) de (?:comprimes|cachets|medicaments|somniferes)"
    r"|veu[xt] plus vivre"
    r"|(?:maison|cuisine) (?:est en feu|brule)|au secours"
    r"|inconsciente?s?|desmayad\w+|no (?:respira|puede respirar|puedo respirar|despierta)"
    r"|se ahoga|esta ahogando(?:se)?|ahogandose|atragant\w+"
    r"|dolor(?:es)? (?:en el|de) pecho|infarto|paro cardiaco|ictus|derrame cerebral|sobredosis|suicid\w+|matarme"
    r"|(?:toda (?:una|la) caja|una caja entera) de pastillas|no quiero (?:seguir viviendo|vivir)"
    r"|quiero morir|sangra mucho|hemorragia|envenenad\w+|casa (?:arde|esta en llamas|se quema)|socorro"
)
_NAMES_A_THING: Final = (
    r"[\s-]+(?:forms?|leaflets?|insurance|questionnaires?|appointments?|course|training|clinic|check-?ups?|unit"
    r"|book|article|podcast|awareness|charity|prevention|squad|formular|fragebogen|termin|kurs|vorsorge)\b"
)
_SIGN: Final = re.compile(
    rf"(?P<denied>\b(?:no|not|without|never had|keinen?|keine|nicht|ohne|pas de|sans|sin|ningun)\s+)?"
    rf"(?<![\w'])(?:{_SIGNS})(?![\w])(?!{_NAMES_A_THING})"
)
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
_FRESH: Final = timedelta(days=1)
"""What was yesterday may go on."""


def is_emergency(reading: Reading) -> bool:
    """Whether a clause of the writer's own says so."""
    if _CRIED.fullmatch(reading.folded[:200]):
        return True
    for sentence in reading.sentences:
        if _FORWARDED.search(sentence.folded):
            return False
        if _alarms(sentence, reading.today):
            return True
    return False


def _alarms(sentence: Sentence, today: date) -> bool:
    said = any(match["denied"] is None for match in _SIGN.finditer(sentence.folded))
    return said and not _is_over(sentence, today)


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


_OF_REGIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Europe": ("112",),
    "Australia": ("000",),
    "America": ("911",),
    "US": ("911",),
    "Canada": ("911",),
}
_OF_ZONES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("Europe/London", "Europe/Belfast", "Europe/Jersey", "Europe/Guernsey", "Europe/Isle_of_Man", "GB"),
        ("999", "112"),
    ),
    **dict.fromkeys(
        ("Atlantic/Canary", "Atlantic/Madeira", "Atlantic/Azores", "Atlantic/Reykjavik", "Asia/Nicosia"),
        ("112",),
    ),
    "Pacific/Honolulu": ("911",),
    "Pacific/Auckland": ("111",),
    **dict.fromkeys(
        (
            "America/Sao_Paulo",
            "America/Manaus",
            "America/Fortaleza",
            "America/Bahia",
            "America/Santiago",
            "America/Bogota",
            "America/Lima",
            "America/La_Paz",
            "America/Caracas",
            "America/Havana",
        ),
        (),
    ),
}


def emergency_numbers(zone: tzinfo | None) -> tuple[str, ...]:
    """The numbers for an ambulance where the household's clock is; empty where we are not sure.

    112: Directive (EU) 2018/1972, article 109; 999 beside it in the United Kingdom (Ofcom). 911: the North American
    Numbering Plan and Mexico; parts of South America have others. 000: Australia (ACMA). 111: New Zealand.
    """
    key = str(getattr(zone, "key", ""))
    return _OF_ZONES.get(key, _OF_REGIONS.get(key.partition("/")[0], ()))
