# ruff: noqa: E501 - patterns stay on one line
"""Splits an enumeration into items: "500 g of mince, two onions and some cream please" (pure)."""

from __future__ import annotations

import re
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.prose import one_line

__all__ = ["bare", "pieces"]

_SPLIT: Final = re.compile(
    r"[^\S\n]*+(?:[,;•\n&]|(?<=\s)[-*+]\s|(?<=\s)(?:and|n|und|et|y|e|и|also|plus|sowie|ainsi que)(?=\s))\s*+",
    re.IGNORECASE,
)
_SPLIT_TASKS: Final = re.compile(r"[^\S\n]*+(?:[,;•\n]|(?<=\s)(?:and|und|et|y)(?=\s\S+\s\S))\s*+")
_TRIM: Final = re.compile(
    r"^(?:(?:please|pls|bitte|some|some more|more|a few|the|also|auch|noch|dann|then|mal|etwas|ein paar|du|de la|des|del|un poco de"
    r"|algo de|aussi|encore|tambien|mas|any|our|my|mein|meine|meinen|mon|ma|mes|mi|mis|der|die|das|den|le|la|les|el|los|las|and|und|et|y|need|get)\s++"
    r"|(?:de l'|d'|l')\s*+)+(?=\S)"
)
_TAIL: Final = re.compile(
    r"\s+(?:please|pls|plz|bitte|s'il (?:te|vous) plait|stp|svp|por favor|porfa|too|as well|also|hinzu|dazu|mit|auch|noch|again|wieder"
    r"|aussi|tambien|lol|haha|xx|x|non plus|en passant|on the way|unterwegs|de camino|btw|thanks|thx|ta|danke|merci|gracias|now|today|soon|heute|gleich|when you can|if you can|dringend|urgently"
    r"|(?:on|for) the (?:way home|list)|on (?:it|there|your way(?: home)?)|from (?:the )?(?:shops?|store|supermarket)"
    r"|vom (?:markt|supermarkt)|drauf|dessus|en plus|ahi|tio|tia|bro|mate|alter|digga|mec|hazme el favor|sei so lieb|would you|wenn du kannst|si puedes|si tu peux)$"
)

_POLITE: Final = re.compile(
    r"(?:hazme el favor|por favor|porfa|sei so (?:lieb|gut|nett)|bitte(?: sch[oö]n)?|danke|please|pls|thanks|thank you|thx|merci|s'il (?:te|vous) plait|gracias|would you|wenn du kannst"
    r"|si puedes|si tu peux|lol)"
)
"""Polite words after the last item."""


def pieces(text: str, *, tasks: bool = False) -> tuple[str, ...]:
    """Return each item once, as written; a task is split only if both parts say what to do."""
    found: dict[str, str] = {}
    for piece in (_SPLIT_TASKS if tasks else _SPLIT).split(text):
        item = piece.strip(" \t.!?:\"'“”„«»") if tasks else bare(piece)
        if item and not _POLITE.fullmatch(fold(item)):
            found.setdefault(fold(item), one_line(item, most=120))
    return tuple(found.values())


def bare(piece: str) -> str:
    """Return an item without polite or grammatical words around it."""
    item = piece.strip(" \t.!?:\"'“”„«»()-*•")
    while (tail := _TAIL.search(fold(item))) is not None:
        item = item[: tail.start()].rstrip(" ,.!")
    head = _TRIM.match(fold(item))
    return one_line(item[head.end() if head else 0 :], most=120)
