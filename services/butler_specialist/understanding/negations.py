# ruff: noqa: E501 - patterns stay on one line
"""Clauses that name a journey, an appointment, a value or a sum only to deny it (pure). EN, DE, FR, ES.

"We are not flying to Rome on 12 May", "Tom schuldet mir keine 20 Euro". `denied` handles what is denied for another
day or sum named instead ("not on Friday but on Saturday"). Invariant: the negation stands at the verb, the noun or
the number that would be the fact; one about anything else in the clause removes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from butler_specialist.understanding.sentence import Sentence

__all__ = ["NEGATION", "says_not"]

_MOST: Final = 16
"""The most negations of one clause that are checked."""
_BEFORE: Final = 48
"""The characters before a number in which it may be denied."""

NEGATION: Final = re.compile(
    r"\b(?:not|never|no longer|no|any ?more|\w+n't|there(?: is|'s| are)|nicht|keine?[nrms]?|mehr|ne|n'|pas|plus|jamais|nunca|ya no|hay|tengo|tiene|tenemos|tienen|avons)(?!\w)"
)
"""The words that deny; the rest names what is denied."""
_NOT: Final = (
    r"\b(?:not|never|no longer|(?:do|does|did|is|are|was|were|have|has|had|wo|ca|could|would|ai)n'?t|cannot)"
)
_WITH_NOT: Final = r"(?: (?:yet|even|really|actually|currently|now|still|ever|be|been|to|going to|gonna|planning to|able to|in fact|all|both))*"
_VERBS: Final = (
    r"(?:fl(?:y|ies|ying|ew|own)|travel\w*|driv(?:e|es|ing)|tak(?:e|es|en|ing)|took|going (?:by|on|to)(?! (?:forget|miss))|book(?:ed|ing)?|reserv(?:e|ed|ing)"
    r"|stay(?:ing|ed)? (?:at|in)|weigh(?:s|ed|ing)?|ow(?:e|es|ed|ing)|born|due|allergic|on (?:any|\w+ mg)|swallow\w*|inject\w*|measured?)"
)
_RIDES: Final = (
    r"(?:flights?|trains?|bus(?:es)?|coach|ferry|hotels?|room|apartment|airbnb|trip|flieger|flug|fluge|zug|zuge|fahre|hotel|zimmer|unterkunft|reise|fahrt"
    r"|vols?|avion|train|bus|hotel|chambre|billets?|voyage|vuelos?|tren(?:es)?|autobus|hotel|habitacion|viaje|billetes?)"
)
_MEETINGS: Final = (
    r"(?:appointments?|appt|check-?up|dentiste?s?|doctor|gp|vet|physio\w*|meeting|lesson|class|rehearsal|training|practice|surgery|vaccination"
    r"|\w*termine?|zahnarzt\w*|arzt\w*|impfung|treffen|probe|kurs|unterricht|rendez-vous|rdv|reunion|cours|repetition|vaccin|visite"
    r"|citas?|consulta|dentista|clase|ensayo|entreno|entrenamiento|vacuna)"
)
_WANTED: Final = r"(?! (?:needed|necessary|required|notig|erforderlich|necessaire|necesari[oa]))"
_NOUN: Final = rf"(?:[\w'-]+ ){{0,2}}?(?:{_RIDES}|{_MEETINGS})\b{_WANTED}"
_GERMAN_VERBS: Final = r"(?:flieg(?:e|st|t|en)|fahr(?:e|en)|fahrst|fahrt|reis(?:e|t|en)|nehm(?:e|en)|nimmt|wieg(?:e|t|en)|schulde(?:n|t|st)?|misst|messe|ubernachte\w*)"
_GERMAN_PARTICIPLES: Final = r"(?:gebucht|reserviert|geflogen|gefahren|gereist|gewogen|gemessen|genommen|geboren|geschuldet|fallig|allergisch)"
_FRENCH_VERBS: Final = r"(?:prend\w*|pren[eo]\w*|vol[eo]\w*|par(?:s|t|t[eo]\w*)|voyag\w*|pes\w*|doi[st]|doivent|dev\w+|dorm\w*|log\w+)"
_FRENCH_PARTICIPLES: Final = (
    r"(?:reserve\w*|pris\w*|pese|mesure|ne|nee|du|due|allergique|partis?|parties?|a payer avant)"
)
_SPANISH_VERBS: Final = r"(?:vol(?:amos|aremos|are)|vuel\w+|viaj\w+|coge\w*|cogemos|tom[aeo]\w*|pes[aeo]\w*|deb[eo]\w*|nacio|naci|vence|reserv\w+|he reservado|hemos reservado|ha reservado|es alergic[oa])"
_PRONOUNS: Final = r"(?:(?:me|te|le|lui|nous|vous|leur|nos|os|les|se|lo|la|y|en) )*"
_NEGATED: Final = re.compile(
    rf"(?<!why )(?<!, ){_NOT}{_WITH_NOT} {_VERBS}\b"
    rf"|{_NOT}{_WITH_NOT} (?:have|had|got|get|need) (?:an? |any |the |my |our )?{_NOUN}"
    rf"|\bno (?!olvid|hay problem)(?:[\w'-]+ )?(?:{_RIDES}|{_MEETINGS})\b{_WANTED}"
    rf"|\b{_GERMAN_VERBS}\b[^.!?,;:]{{0,50}}?\bnicht\b|\bnicht (?:(?:mehr|mit|nach|am|im|zum|zur|der|dem|den|die|das|[\w.]+) ){{0,5}}?{_GERMAN_PARTICIPLES}\b"
    rf"|\bkeine?[nrms]? (?:mehr )?{_NOUN}"
    rf"|(?<!pourquoi )\b(?:n(?:e |')(?:[mtls]')?{_PRONOUNS})?{_FRENCH_VERBS} (?:pas|plus|jamais)\b"
    rf"|\b(?:n'|n[e] )?(?:ai|as|a|avons|avez|ont|suis|est|sommes|sont) (?:pas|plus|jamais)(?: encore)? {_FRENCH_PARTICIPLES}\b"
    rf"|\b(?:pas|plus|aucune?)(?: d[e']| d')? ?{_NOUN}"
    rf"|(?<!por que )\b(?:no|nunca|ya no|tampoco) {_PRONOUNS}{_SPANISH_VERBS}\b"
    rf"|\bno (?:tengo|tiene|tenemos|tienen|hay|queda|habra) (?:ningun[oa]? |mas |la |el |una? )?{_NOUN}"
)
_STANDS: Final = re.compile(
    r"\b(?:only|until|till|just|but|instead|rather|erst|nur|bis|sondern|dafur|stattdessen|seulement|que le|mais|plutot|jusqu\w*|avant|sino|solo|hasta|en cambio)\b"
)
"""What stands after all: a limit, or a replacement."""
_DENIES_A_NUMBER: Final = re.compile(
    rf"(?:{_NOT}|\b(?:nicht|keine?[nrms]?|pas|plus|no|ningun[oa]?))(?: (?:be|at|an?|any|the|really|exactly|mehr|de|d'|en|un|una|el|la|es|is|fever of|temperature of|a fever of|a temperature of|fieber von|fievre de|fiebre de|have a fever of|had a fever of|have|had|owe|owes|me|us|mir|uns|tengo|tiene|pesa|peso))*[^\w,]*$"
)
_DIGIT: Final = re.compile(r"\d")
_LONG_NUMBER: Final = re.compile(r"\+?\d[\d /-]{5,}")


def says_not(sentence: Sentence) -> bool:
    """Return whether it denies what it names, without a replacement."""
    return sentence.once(_says_not)


def _says_not(sentence: Sentence) -> bool:
    folded = sentence.folded
    ends = [match.end() for match in islice(_NEGATED.finditer(folded), _MOST)]
    ends += [start for start in _numbers(sentence) if _is_denied(folded, start)]
    return bool(ends) and _STANDS.search(folded, min(ends)) is None


def _numbers(sentence: Sentence) -> Iterator[int]:
    """Yield where its values, doses, sums and phone numbers begin; a value may begin with its name."""
    for found in (sentence.measurements, sentence.doses, sentence.amounts):
        for one in found:
            digit = _DIGIT.search(sentence.folded, one.start, one.end)
            yield digit.start() if digit is not None else one.start
    yield from (match.start() for match in islice(_LONG_NUMBER.finditer(sentence.folded), _MOST))


def _is_denied(folded: str, start: int) -> bool:
    return _DENIES_A_NUMBER.search(folded[max(0, start - _BEFORE) : start]) is not None
