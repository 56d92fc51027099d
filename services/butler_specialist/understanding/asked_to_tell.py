"""Recognises requests to tell a person something (pure; en, de, fr, es): "tell Clara …", "sag Clara Bescheid".

Invariant: a text that only names a person, or says what they said, asks for nothing.
"""

from __future__ import annotations

import re
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.subjects import named_in

__all__ = ["asks_to_tell"]

_ASKS: Final = re.compile(
    r"\b(?:tell|let|inform|notify|ask|message|text|write|warn|ping|say|pass|forward|send"
    r"|sage?|sagen|gib|geben|schreibe?|schreiben|frage?|fragen|informiere?n?|benachrichtige?n?|teile?|mitteilen"
    r"|richte?|ausrichten|erzahle?n?|warne?n?|schicke?n?"
    r"|dis|dites|dire|previens|prevenez|prevenir|informe[rz]?|ecris|ecrivez|ecrire|demande[rz]?|fais|faites|avertis"
    r"|avertir|raconte[rz]?|envoie|envoyer"
    r"|di|dile|diles|decir|decirle|avisa|avisale|avisar|informa|informale|informar|escribe|escribele|escribir"
    r"|pregunta|preguntale|preguntar|cuenta|cuentale|manda|mandale|haz|hazle)\b"
)
_SENTENCE: Final = re.compile(r"[.!?;\n]+")
_BETWEEN: Final = 24
"""The most characters between the verb and the name: "let them at home and Clara know"."""


def asks_to_tell(text: str, name: str) -> bool:
    """Return whether a sentence of `text` asks to tell the person of that name something.

    It has the whole name.
    """
    return any(_asks(sentence, name) for sentence in _SENTENCE.split(text))


def _asks(sentence: str, name: str) -> bool:
    if any(named_in(sentence, [word]) is None for word in name.split()):
        return False
    folded, first = fold(sentence), fold(name.split()[0])
    places = [match.start() for match in re.finditer(rf"\b{re.escape(first)}", folded)]
    return any(
        verb.start() <= place <= verb.end() + _BETWEEN
        or place < verb.start() <= place + len(first) + _BETWEEN
        for verb in _ASKS.finditer(folded)
        for place in places
    )
