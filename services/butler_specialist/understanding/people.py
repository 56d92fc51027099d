# ruff: noqa: E501 - word lists stay on one line
"""People named in a sentence (pure): recognised by the words next to the name, never by capitals alone."""

from __future__ import annotations

import re
from typing import Final

from butler_kit.wording.folding import fold, words
from butler_specialist.understanding.calendar_words import MONTHS, WEEKDAYS
from butler_specialist.understanding.reading import Sentence

__all__ = ["person_in"]

_NAME: Final = r"(?P<who>[A-ZÄÖÜÉÈÁÍÓÚÑА-Я][\w'-]{1,40}(?:[ \t][A-ZÄÖÜÉÈÁÍÓÚÑА-Я][\w'-]{1,40}){0,2})"
_KIN: Final = (
    r"(?i:mum|mom|mummy|mommy|daddy|mutti|vati|mami|mother|dad|father|grandma|grandpa|grandmother|grandfather|granny|sister|brother|aunt"
    r"|uncle|cousin|wife|husband|granddad|grandad|gran|nan|nana|grammy|auntie"
    r"|mutter|vater|mama|papa|oma|opa|schwester|bruder|tante|onkel|mere|mère|pere|père|soeur|sœur|frere"
    r"|frère|madre|padre"
    r"|mamie|mamy|papi|papy|tonton|tata|maman|grand-mere|grand-mère|grand-pere|grand-père|omi|opi"
    r"|abuela|abuelo|abuelita|yaya|tia|tía|tio|tío|prima|primo|sobrina|sobrino|niece|nephew|nichte|neffe|nièce|neveu|enkel|enkelin|hermana|hermano)"
)
_KIN_OF: Final = r"(?i:mum|mom|mother|dad|father|parents|sister|brother|wife|husband|son|daughter|grandma|grandpa|girlfriend|boyfriend|friend|boss|teacher)"
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<who>[A-ZÄÖÜÉ][\w-]{{1,40}}['’]s {_KIN_OF})['’]s? (?:\d+(?:st|nd|rd|th) )?(?i:birthday|bday|anniversary)",
        r"\b(?P<who>(?i:tante|onkel|aunt|auntie|uncle|oncle|tía|tío)[ \t][A-ZÄÖÜÉÈÁÍÓÚÑ][\w-]{2,30})",
        rf"{_NAME}['’]s? (?:new |mobile |home )*(?:(?:\d+(?:st|nd|rd|th) )?birthday|bday|b-day|Geburtstag|anniversary|wedding"
        rf"|phone|number|mobile|address|email)",
        rf"\b(?i:hat|feiert) {_NAME} (?i:geburtstag)",
        rf"{_NAME}s (?:neuer? )?(?:Geburtstag|Nummer|Handynummer|Telefonnummer|Adresse)\b",
        rf"\b(?i:numéro|téléphone|adresse|número|teléfono|dirección) (?:de |d'){_NAME}",
        rf"\b(?i:birthday|geburtstag|anniversaire|anniv|cumpleaños|cumpleanos|cumple|anniversary) (?:of|von|de|d'|for"
        rf"|für)\s*{_NAME}",
        rf"\b(?i:friend|freundin|freund|amie?|amiga|amigo|colleague|neighbou?r|kollege|kollegin"
        rf"|nachbar(?:in)?|cousine?|boss)s?,?[ \t]+{_NAME}",
        rf"\b(?i:my|our|mein|meine|unsere?|mon|ma|mi)[ \t]+{_KIN},?[ \t]+{_NAME}",
        rf"\b(?i:met|called|visited|saw|with|for|to|from|with|tell|ask|remind|wish|mit|für|von|traf"
        rf"|getroffen|avec|pour|con|para|vu|rencontré)[ \t]+(?:the )?{_NAME}",
        rf"{_NAME} (?i:hat|has|turns|wird|a eu|is|ist|was|likes|loves|mag|aime|said|told|works|arbeitet"
        r"|moved|lives|wohnt|lebt|vive|vit|habite|adore|déteste|hates|hasst|liebt|can't|can’t|cannot|doesn't|doesn’t|eats|drinks|isst|trinkt|verträgt|mange|boit|come|bebe|wears|takes|plays|speaks|drives|studies|trägt|spielt|fährt|spricht|heißt|joue|parle|usa|juega|lleva|calza|fait|mide|gusta|cumple|appelle|called|rang|comes|kommt|besucht uns|visits|arrives|vient|viene|llega|ruft)\b",
        rf"\b(?i:ich|wir|habe?|haben|heute?|gestern|vorgestern) (?:die |den |der )?{_NAME} (?i:besucht|getroffen|angerufen|kennengelernt"
        r"|eingeladen|abgeholt)\b",
        rf"\b(?i:conocí|conocimos|vi|vimos|visité|visitamos|llamé|llamamos|invité|invitamos|he visto|hemos visto"
        rf"|he llamado|hemos visitado) a {_NAME}",
        rf"(?<![\w]){_NAME}['’]s (?=[a-z])",
        rf"\b(?i:sent|gave|texted|emailed|wrote|invited|phoned|thanked|rang|helped|invité|appelé)[ \t]+{_NAME}",
    )
)
_KIN_ALONE: Final = re.compile(rf"\b(?P<who>{_KIN})(?:[\'’]?s)?\b")
_NOT_NAMES: Final = words(
    "Remember Please Note Also The This That They She He It We You Yes No And But His Her My Our Their"
    " There When What Who Today Tomorrow Yesterday"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June"
    " July August September October November December"
    " Gift Birthday Dinner Lunch Party Die Der Das Und Ich Wir Er Sie Es Heute Morgen Gestern Bitte Le"
    " La Les Il Elle Je Nous El Los Las Dear Hello Hi"
    " Wann Wo Wer Wie Wem Welche Welcher Quand Où Qui Quel Quelle Comment Combien Cuándo Dónde Quién Qué Cómo Cuál Cuanto"
    " Where Which Whose How Why Does Did Ya Ha Han Se Me Nos No Por Para Hab Habe Und Aber Mais Pour"
    " Mein Meine Dein Deine Sein Seine Ihr Ihre Unser Unsere Euer Eure Mon Ma Mes Ton Ta Tes Son Sa Ses Notre Votre Leur"
    " Mi Mis Tu Tus Su Sus Nuestro Nuestra Your Its EUR USD GBP CHF Euro Euros"
    " Uhr Termin Besuch Handwerker Geburtstag Christmas Easter Weihnachten Call Reminder Met"
)
_OF_THE_CALENDAR: Final = {*MONTHS, *WEEKDAYS} - {"jan", "mai"}


def person_in(sentence: Sentence) -> str | None:
    """Return the person that the sentence is about, or None."""
    return sentence.once(_person)


_SMALL: Final = re.compile(r"\W*(?P<who>[a-zäöüéñ]{3,20})['’]s (?:birthday|bday|b-day)\b")
"""A name in lower case: "tom's birthday is feb 17"."""
_NO_SMALL_NAMES: Final = words(
    "whose someone somebody everyone today tomorrow yesterday when what who that it"
)
_ARTICLE: Final = re.compile(r"\b(?:[Dd](?:ie|er|as|en|em)|[Ee]ine?[nrm]?|[Uu]nsere?|[Mm]eine?)\s$")
_THING: Final = re.compile(
    r"\w+(?:ung|heit|keit|schaft|tion|feier|fest|tag|kurs|termin|essen|party|abend|treffen|urlaub|spiel|reise|fahrt|probe|prüfung|arzt|schule)"
)


def _is_a_thing(before: str, named: str) -> bool:
    """Return whether a German noun with its article replaces a name: "die Beerdigung ist am Freitag"."""
    return _ARTICLE.search(before) is not None and _THING.fullmatch(named) is not None


def _person(sentence: Sentence) -> str | None:
    for pattern in _PATTERNS:
        for match in pattern.finditer(sentence.text):
            named = " ".join(
                word
                for word in match["who"].split()
                if word.removesuffix("'s") not in _NOT_NAMES and fold(word) not in _OF_THE_CALENDAR
            )
            if named and not _is_a_thing(sentence.text[: match.start("who")], named):
                return named.removesuffix("'s").removesuffix("’s")
    kin = _KIN_ALONE.search(sentence.text)
    if kin is not None:
        return kin["who"]
    small = _SMALL.match(sentence.text)
    return small["who"].title() if small is not None and small["who"] not in _NO_SMALL_NAMES else None
