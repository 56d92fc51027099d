# ruff: noqa: E501 - word lists stay on one line
"""Whether something is usually am or pm: a dentist at half past nine, a dinner at eight (pure). EN, DE, FR, ES.

Invariant: an hour that may be either, or two things that disagree, say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

__all__ = ["Half", "usual_half"]

Half = Literal["a", "p"]

_BY_DAY: Final = re.compile(
    r"\b(?:plumber|electrician|handyman|builders?|locksmith|chimney sweep|delivery|courier|dentist|dentist's|orthodontist|hygienist"
    r"|doctors?|doctor's|gp|pa?ediatrician|clinic|blood tests?|x-?ray|mri|vaccin\w+|check-?ups?|physio\w*+|osteo\w*+|opticians?"
    r"|eye test|midwife|vet|vet's|hairdresser\w*+|haircut|barber\w*+|bank|lawyer|solicitor|notary|town hall|mot|garage|mechanic|school"
    r"|kindergarten|nursery|daycare|exams?|office|job interview|interview"
    r"|klempner\w*+|installateur\w*+|elektriker\w*+|handwerker\w*+|schornsteinfeger\w*+|monteur\w*+|techniker\w*+|lieferung|\w*arzt|\w*arztin"
    r"|arzttermin|praxis|klinik|blutabnahme|rontgen|impf\w*+|vorsorge\w*+|untersuchung|optiker\w*+|hebamme|friseur\w*+|anwalt\w*|notar\w*"
    r"|burgeramt|finanzamt|tuv|werkstatt|schule|kita|prufung|klausur|buro|vorstellungsgesprach"
    r"|plombier|electricien|chauffagiste|serrurier|livraison|livreur|dentiste|medecin|docteur|pediatre|kine|ophtalmo\w*+|dermato\w*+"
    r"|gyneco\w*+|orl|irm|echographie|prise de sang|veto|veterinaire|coiffeu\w++|banque|notaire|avocate?|mairie|prefecture|controle technique"
    r"|ecole|creche|college|lycee|examen|bureau|entretien"
    r"|fontanero|electricista|cerrajero|tecnico|reparto|dentista|medic[oa]|doctora?|pediatra|fisio\w*+|oculista|oftalmolog\w++|analisis"
    r"|radiografia|vacuna\w*+|veterinari[oa]|peluquer\w++|banco|notari[oa]|abogad[oa]|ayuntamiento|itv|taller|colegio|cole|escuela"
    r"|guarderia|instituto|oficina|entrevista"
    r"|chiropod\w++|podiatr\w++|pedicure|podolog\w++|fu(?:ss|ß)pfleg\w++|gas man|gasman|kaminkehrer\w*+|sprechtag|elternsprechtag|tea dance"
    r"|appointments?|termine?|besprechung|rendez-vous|rdv|cita)\b"
)
_LEISURE: Final = re.compile(
    r"\b(?:bridge|chess|choir|rehearsal|scouts|guides|(?:book|chess|swimming|sports?) club|football|soccer|rugby|tennis|match|ballet"
    r"|(?:piano|guitar|swimming|dance|music) lessons?|barbecue|bbq|playdate|schach|chor\w*+|probe|fu(?:ss|ß)ball\w*+|turnen|kegeln|kegelabend|kaffeeklatsch"
    r"|grillen|klavierstunde|schwimmkurs|echecs|chorale|repetition|foot|petanque|barbec\w++|ajedrez|coro|ensayo|partido|futbol|barbacoa)\b"
)
"""What nobody does before the morning: from one to six it is pm."""
_IN_THE_EVENING: Final = re.compile(
    r"\b(?:dinner|supper|cinema|movies?|party|concert|gig|theatre|theater|opera|pub|drinks|disco|date night|babysitter"
    r"|(?:pizza|movie|film|games?|quiz|poker|curry|karaoke|fondue|raclette|family) (?:night|evening)|parents'? evening|(?:eltern|spiele|film|pizza|quiz|koch)abend"
    r"|abendessen|kino|konzert|oper|kneipe|stammtisch|feierabendbier"
    r"|diner|souper|cine|soiree|apero|spectacle"
    r"|cena|fiesta|concierto|teatro|copas|discoteca)\b"
)
_OF_MEALS: Final[tuple[tuple[re.Pattern[str], frozenset[int], Half], ...]] = (
    (
        re.compile(r"\b(?:breakfast|brunch|fruhstuck\w*+|petit[- ]dej\w*+|desayuno)\b"),
        frozenset(range(6, 12)),
        "a",
    ),
    (re.compile(r"\b(?:lunch|mittagessen|(?<!petit )(?<!petit-)dejeuner|almuerzo)\b"), frozenset({11}), "a"),
    (
        re.compile(r"\b(?:lunch|mittagessen|(?<!petit )(?<!petit-)dejeuner|almuerzo)\b"),
        frozenset({12, 1, 2, 3}),
        "p",
    ),
    (
        re.compile(
            r"\b(?:wake[- ]up|waking up|aufwachen|aufstehen|reveil|me lever|se lever|despertarme|levantarme)\b"
        ),
        frozenset(range(4, 11)),
        "a",
    ),
    (re.compile(r"\b(?:coffee|kaffee\w*+|tea|gouter|merienda)\b"), frozenset({2, 3, 4, 5}), "p"),
)
_VISITED: Final = re.compile(r"\b(?:visit\w*+|besuch\w*+|visite[rz]?|visita\w*+)\b")
"""Visits may be at any hour."""


def usual_half(folded: str, hour: int) -> Half | None:
    """Return am or pm of `hour`, on a 12-hour clock; None if nothing in the text decides it."""
    halves = set(_halves(folded, hour))
    return halves.pop() if len(halves) == 1 else None


def _halves(folded: str, hour: int) -> Iterator[Half | None]:
    by_day, evening, leisure, meals = _named(folded)
    if by_day:
        yield "a" if 8 <= hour <= 11 else "p" if hour == 12 or hour <= 5 else None
    if evening:
        yield "p" if hour <= 11 else None
    if leisure:
        yield "p" if hour <= 6 else None
    if meals:
        yield next((half for place, hours, half in _meals() if place in meals and hour in hours), None)


def _meals() -> Iterator[tuple[int, frozenset[int], Half]]:
    for place, (_, hours, half) in enumerate(_OF_MEALS):
        yield place, hours, half


@lru_cache(maxsize=64)
def _named(folded: str) -> tuple[bool, bool, bool, frozenset[int]]:
    """Return what the whole text names; called for each of its hours."""
    by_day = _BY_DAY.search(folded) is not None and _VISITED.search(folded) is None
    meals = frozenset(place for place, (words, _, _) in enumerate(_OF_MEALS) if words.search(folded))
    leisure = _LEISURE.search(folded) is not None
    return by_day, _IN_THE_EVENING.search(folded) is not None, leisure, meals
