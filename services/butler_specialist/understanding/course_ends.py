# ruff: noqa: E501 - patterns stay on one line
"""Recognises that a medicine is no longer taken: "Leo is done with the antibiotics" (pure). EN, DE, FR, ES.

It only matters if such a course is stored. Linear: a clause is short, and every repetition bounded.
"""

from __future__ import annotations

import re
from typing import Final

from butler_kit.wording.folding import fold, words
from butler_kit.wording.medicines import GENERIC

__all__ = ["ended_in", "means_any_medicine"]

_MOST: Final = 160
_WHAT: Final = r"(?P<what>[\w' -]{3,60}?)"
_NOW: Final = r"(?:[\s,]*\b(?:now|today|as of today|any ?more|any longer|altogether|jetzt|heute|ab heute|mehr|nun|maintenant|aujourd'hui|ahora|hoy|mas|ya)\b)*+\W*$"
_ENDS: Final = tuple(
    re.compile(pattern + _NOW)
    for pattern in (
        rf"\b(?:(?:is|are|am|'s|'m|are all|is all) (?:now |all )?)?(?:done|finished|through) (?:with )?(?:taking )?{_WHAT}",
        rf"\b(?:has |have |'s |'ve )?(?:stopped|quit|finished|discontinued|completed) (?:taking |giving \w{{1,20}} )?{_WHAT}",
        rf"\bno longer (?:takes?|needs?|has to take|have to take|gets?) {_WHAT}",
        rf"\b(?:doesn't|don't|does not|do not|needn't) (?:take|need|get|have to take) {_WHAT} (?:any ?more|any longer)",
        rf"\b(?:is|are|am|'s|'m|came) off {_WHAT}",
        rf"\bstop (?:the )?{_WHAT}(?: course| treatment)?",
        r"^\W*(?:the |leo's |my |\w{2,20}'s )?(?P<what>[\w' -]{3,40}?)(?: course| treatment)? (?:is|are) (?:now )?(?:over|finished|done|used up)",
        rf"\b(?:ist|sind|bin|war) (?:jetzt |nun )?(?:mit )?{_WHAT} (?:fertig|durch)",
        rf"\b(?:ist|sind|bin) (?:jetzt |nun )?(?:fertig|durch) mit {_WHAT}",
        rf"\bmit {_WHAT} (?:bin ich|sind wir|ist \w{{2,20}}) (?:jetzt |nun )?(?:fertig|durch)",
        rf"\b(?:braucht|brauche|brauchen|nimmt|nehme|nehmen|bekommt|bekomme|kriegt) (?:jetzt |ab heute |ab jetzt )?(?:kein[en]?|nicht) {_WHAT} mehr",
        rf"\b(?:braucht|brauche|nimmt|nehme|bekommt|bekomme|kriegt) {_WHAT} nicht mehr",
        rf"\b(?:habe?|hat|haben|wurde|wurden|ist|sind) {_WHAT} (?:abgesetzt|aufgehort|beendet)",
        r"^\W*(?:das |die |der |den )?(?P<what>[\w' -]{3,40}?) (?:ist|sind|wurde|wurden)? ?(?:jetzt |nun )?(?:abgesetzt|zu ende|vorbei|aufgebraucht|fertig|beendet)",
        rf"\b(?:a|ai|avons|ont) (?:fini|termine|arrete) (?:de (?:prendre|donner) )?{_WHAT}",
        rf"\bne (?:prends?|prend|prenons|donne) plus (?:de |d'|du |de la |la |le |les )?{_WHAT}",
        r"^\W*(?:le |la |les |l')?(?P<what>[\w' -]{3,40}?) (?:est|sont|c'est) (?:finie?s?|terminee?s?)",
        rf"\b(?:ha|he|hemos|han)? ?(?:terminado|acabado|termino|acabo|terminamos) (?:con |de tomar |de )?{_WHAT}",
        rf"\bya no (?:toma|tomo|tomamos|necesita|necesito) {_WHAT}",
        rf"\b(?:ha |he )?(?:dejado|dejo|deje|deja) (?:de tomar )?{_WHAT}",
    )
)
_SMALL: Final = words(
    "the his her my our their all of with a an das die der den dem sein seine ihr ihre mein meine unser le la les l d de du des son sa ses mon ma mes el los las su sus mi mis un una course"
)
_WORD: Final = re.compile(r"[^\W\d_]{1,30}")


def ended_in(text: str) -> tuple[frozenset[str], ...]:
    """Return what is no longer taken, in folded words, as each pattern reads it; empty if nothing ends."""
    folded = fold(text)
    if len(folded) > _MOST or folded.rstrip().endswith("?"):
        return ()
    found = (pattern.search(folded) for pattern in _ENDS)
    said = (frozenset(_WORD.findall(match["what"])) - _SMALL for match in found if match is not None)
    return tuple(dict.fromkeys(one for one in said if one))


def means_any_medicine(said: frozenset[str]) -> bool:
    """Return whether the words name no medicine in particular: "the tablets", "the medicine"."""
    return said <= GENERIC
