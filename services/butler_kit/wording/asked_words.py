# ruff: noqa: E501 - word lists stay on one line
"""The words that a question names, and the share of them that was told, in any wording (pure). EN, DE, FR, ES.

Switchboard uses them to find the butler that was told what is asked, and that butler to find what it was told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

from butler_kit.wording.likeness import alike, content_words, meaning_of

__all__ = ["asked_words", "names_one", "share_told"]

_ENDING: Final = re.compile(r"(?<=\w{4})(?:en|e|n|s)$")
_PROPERTY: Final = frozenset(
    {"size", "phone", "address", "live", "code", "plate", "password", "has", "called", "like", "wear", "key"}
)
"""Properties of a thing, which are often not said again: "82 by 110" is a size."""
_HALF: Final = 0.5
_LEAST_PART: Final = 4
"""Letters of a part of a compound."""
_SAID: Final = (
    "know tell remember say said find type turn come comes came keep keeps kept put use used mean stand stands hang hangs thing things stuff"
    " name called place located go goes going note noted notes get gets give look need needs want off out about into man lady guy people anyone"
    " somebody someone idea something anything nothing told today currently show list next please sort kind exact exactly last ever usually"
    " weiss weisst weißt sag sagen merken kommt kommen komm komme steht stehen hangt liegt liegen gehort ding sache leute jemand nummer gibt"
    " gerade immer heisst heißt brauche brauch finde finden geht gehen macht machen gesagt notiert mann frau bitte letzte"
    " sais savoir dire dis trouve trouver mettre mis range rangee vient appelle faut besoin chose truc quelqu'un peut peux donne noter note"
    " sabes saber dime decir dices dice pasas pones puesto guarda guardado viene llama llaman cosa alguien puede puedo tengo tenemos hay entonces donde"
    " due start starts begin begins happen happens happening scheduled planned appointment date day time termin fallig beginnt startet statt findet prevu commence quand-est empieza toca cuando cita fecha"
    " long lange lang nights days nuits noches tage nachte jours dias longtemps bleiben sind stay staying are any alors entonces also denn nun recuerdas"
    " hora era eran fue fueron sera clock o'clock meet meets hour heure deja jour uhr uhrzeit nochmal gleich wieder got getting may can far whens hows long when's"
    " dime dis dites sagt darf soll kann konnen muss fangen fangt anfangen commencent finissent finit empiezan acaban terminan till until"
)
_VAGUE: Final = frozenset(_SAID.split())
"""Words of a question that need not be in what was told."""


def asked_words(text: str, fold: Callable[[str], str]) -> frozenset[str]:
    """Return the folded words of a question that name something."""
    return content_words(text, fold) - _VAGUE


def share_told(wanted: Collection[str], said: Collection[str]) -> float:
    """Return the share of `wanted` that is said; a property weighs half."""
    weights = {word: _HALF if _is_property(word) else 1.0 for word in wanted}
    found = sum(weight for word, weight in weights.items() if _is_said(word, said))
    return found / sum(weights.values())


def names_one(wanted: Collection[str], said: Collection[str]) -> bool:
    """Return whether a wanted word other than a property is said: a shed with a code is not a bicycle."""
    return any(not _is_property(word) and _is_said(word, said) for word in wanted)


def _is_property(word: str) -> bool:
    return bool(meaning_of(word) & _PROPERTY)


def _is_said(word: str, said: Collection[str]) -> bool:
    return any(alike(word, other) or _head_or_first(word, other) for other in said) or _is_made_of(word, said)


def _head_or_first(word: str, compound: str) -> bool:
    """Return whether it is the last or the first part of a compound: "Schlüssel" of "Kellerschlüssel"."""
    if word == compound or len(word) < _LEAST_PART:
        return False
    word, compound = _ENDING.sub("", word), _ENDING.sub("", compound)
    return len(compound) > len(word) + 1 and (
        compound.endswith(word) or (len(word) > _LEAST_PART and compound.startswith(word))
    )


def _is_made_of(word: str, said: Collection[str]) -> bool:
    """Return whether it is composed of two words that are said: "Badfenster" of "Fenster im Bad"."""
    firsts = [other for other in said if len(other) >= 3 and word.startswith(other)]
    return any(
        word[len(first) :]
        in (f"{joint}{last}" for joint in ("", "s", "es", "n", "en") for last in said if len(last) >= 3)
        for first in firsts
    )
