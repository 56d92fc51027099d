"""Whether a text asks, and for how much: English, German, French, Spanish (pure)."""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["asks", "is_question"]

_OPENERS: Final = re.compile(
    r"^(?:(?:and|so|please|hey|bitte|und|et|y|could you|can you|kannst du|peux-tu|puedes)\b[, ]*(?:me )?)*"
    r"(?:what(?:'s|s)?|when(?:'s)?|where(?:'s)?|who(?:se)?|which|how (?:much|many|high|long|old|often|do"
    r"|did|was|is)|do i|did i|did we|have i|have we|is there"
    r"|are there|show(?: me)?|list(?: me)?|tell me (?:what|when|how|which|about)|remind me (?:what|where|who"
    r"|which|how)|give me|read me"
    r"|was\b|wann|wo\b|wer\b|welche[rs]?|wie ?viele?|wie (?:hoch|lange|alt|oft)|habe ich|haben wir|zeig"
    r"|gibt es|was steht"
    r"|combien|quand|quel(?:le)?s?\b|qu'est-ce|qu'ai-je|ou est|qui\b|montre|est-ce que|quoi"
    r"|cuanto|cuanta|cuantos|cuando|donde|que\b|cual|quien|muestra|что|когда|сколько|где)"
)
_TASK: Final = re.compile(
    r"\b(?:remind (?:me|us)(?! (?:what|where|who|which|how)\b)|erinner\w*|rappell?e[rz]?|recuerda(?:me|nos)"
    r"|recordar(?:me|nos)"
    r"|set (?:me )?an? (?:reminder|alarm|timer)|wake (?:me|us))\b"
)


def is_question(reading: Reading) -> bool:
    """A question mark at an end, or an opening that asks; being asked to do something is no question."""
    return any(asks(sentence) for sentence in reading.sentences)


def asks(sentence: Sentence) -> bool:
    """Whether this clause asks."""
    marked = sentence.text.rstrip(" \"'»”)").endswith("?") or _OPENERS.match(sentence.folded.lstrip("¿ "))
    return bool(marked) and not sentence.has(_TASK)
