# ruff: noqa: E501 - patterns stay on one line
"""Items and their list without a verb: "milk and eggs on the shopping list please" (pure). EN, DE, FR, ES.

Invariant: a text that says or asks where something is adds nothing.
"""

from __future__ import annotations

import re
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.list_items import pieces
from butler_specialist.understanding.list_names import LIST, PACKING, SHOPPING, TASKS, name_in
from butler_specialist.understanding.list_wants import is_goods
from butler_specialist.understanding.reading import Sentence

__all__ = ["VERB", "placed_in"]

_PLACED: Final = re.compile(
    r"^\W*+(?:(?:please|bitte|por favor|and|und|et|y|also|noch|auch|oh|ok|okay|hey)\b[\s,]*+)*+(?P<items>[^.!?;:\n]{2,300}?)\s++"
    r"(?:on|onto|to|auf|sur|dans|en|a)(?: (?:the|my|our|die|der|den|unsere|meine|la|ma|notre|mi|nuestra))? "
    rf"(?:{LIST}|(?:list|liste|lista)\b)"
    r"(?:\W+(?:please|pls|bitte|stp|svp|s'il te plait|por favor|too|as well|auch|aussi|tambien|thanks|thank you|danke|merci|gracias))*+\W*$"
)
VERB: Final = re.compile(
    r"\b(?:is|are|was|were|have|has|had|do|does|did|will|ist|sind|war|hat|habe|haben|wird|est|sont|ont|esta|son|es|tiene|i|we|ich|wir|je|yo)\b"
)
_TOLD: Final = re.compile(
    r"\b(?:put|saw|see|found|find|wrote|written|stood|stands?|had|left|forgot|forgotten|added|got|steht|stehen|stand|hatte|fehlt|fehlen"
    r"|what(?:'?s)?|which|was|wer|quoi|que|nothing|everything|anything|something|nichts|alles|etwas|rien|tout|nada|todo|algo"
    r"|there|es|il|hay|habia|estaba|manque|avait|etait)\b"
)
"""Words that describe a list, or ask about it."""
_OURS: Final = (SHOPPING, TASKS, PACKING)


def placed_in(sentence: Sentence, at_list: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the list and the items; None for any other clause. `at_list` is the list mentioned before."""
    match = _PLACED.match(sentence.folded)
    if match is None or sentence.amounts or sentence.text.rstrip().endswith("?"):
        return None
    name = name_in(sentence.folded[match.end("items") :]) or at_list or SHOPPING
    if name not in (*_OURS, at_list) or VERB.search(match["items"]) or _TOLD.search(match["items"]):
        return None
    start, end = match.span("items")
    items = pieces(sentence.text[start:end])
    return (name, items) if all(is_goods(fold(item)) for item in items) else None
