"""Which of several entries a short answer picks: "the second", "die zweite", "2", "both", "none" (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from butler_kit.wording.folding import fold

__all__ = ["NONE", "most_words", "picked"]

_ORDINALS: Final[Mapping[int, str]] = {
    0: r"1(?:st|\.|\)|er|ere|o|a)?|one|first|ein[st]?|erste[rns]?|premiere?|un|une|uno|primer[oa]?",
    1: r"2(?:nd|\.|\)|e|eme|o|a)?|two|second|zwei|zweite[rns]?|deux|deuxieme|seconde?|dos|segund[oa]",
    2: r"3(?:rd|\.|\)|e|eme|o|a)?|three|third|drei|dritte[rns]?|trois|troisieme|tres|tercer[oa]?",
    3: r"4(?:th|\.|\)|e|eme|o|a)?|four|fourth|vier|vierte[rns]?|quatre|quatrieme|cuatro|cuart[oa]",
    4: r"5(?:th|\.|\)|e|eme|o|a)?|five|fifth|funf|funfte[rns]?|cinq|cinquieme|cinco|quint[oa]",
    -1: r"last|letzte[rns]?|derniere?|ultim[oa]",
}
_FILLER: Final = (
    r"(?:(?:the|number|no\.?|nr\.?|option|one|please|that|it's|i mean(?:t)?|der|die|das|den|nummer|bitte|ich meine"
    r"|le|la|numero|celle|celui|s'il te plait|el|por favor)\b[\s.,:]*+)*+"
)
_TAIL: Final = (
    r"(?:[\s.,]*+(?:one|please|bitte|entry|eintrag|entree|entrada|por favor|s'il te plait)\b)*+\W*+$"
)
_PICKS: Final = tuple(
    (place, re.compile(rf"^\W*+{_FILLER}(?:{forms}){_TAIL}")) for place, forms in _ORDINALS.items()
)
_ALL: Final = re.compile(
    rf"^\W*+(?:both|all|all of them|both of them|beide|alle|les deux|tous|toutes|ambos|ambas|tod[oa]s|los dos){_TAIL}"
)
_YES: Final = re.compile(
    r"^\W*+(?:yes|yep|yeah|right|exactly|ok|okay|sure|ja|genau|jawohl|oui|exact|si|claro|exacto)"
    r"(?: please| bitte| s'il te plait| por favor)?\W*+$"
)
NONE: Final = re.compile(
    r"^\W*+(?:none|neither|no|nope|nothing|never ?mind|cancel|forget it|none of them|keine[rns]?|nein|nichts|egal"
    r"|vergiss es|aucune?|non|rien|laisse tomber|ningun[oa]?|nada|dejalo|olvidalo)(?: of (?:them|these))?\W*+$"
)
_WORD: Final = re.compile(r"[^\W_]+")


def picked(text: str, number: int) -> tuple[int, ...]:
    """Return the places picked of `number`; empty if the text picks none by its place."""
    folded = fold(text.strip())
    if _ALL.match(folded) or (number == 1 and _YES.match(folded)):
        return tuple(range(number))
    for place, pattern in _PICKS:
        if place < number and pattern.match(folded):
            return (place % number,)
    return ()


def most_words(text: str) -> int:
    """Return how many words and numbers the text has."""
    return len(_WORD.findall(text))
