"""Whether a message is a list of matters that its author numbered or marked (SWB-03.2; pure).

"1. Paid 22 for the taxi 2. Tom's birthday is on 9 June": its author has divided the message already. A heading with a
subject of its own ("Packing list:") claims the items.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_switchboard.routing.rules.units import Unit

__all__ = ["enumerated", "is_of_one_list"]

_ITEM: Final = re.compile(r"(?:\(?1?\d[.)]|[-*•–])\s+\S")
_HEADING: Final = re.compile(r"(?P<said>[^\n]{1,80}):\s*$")
_NO_SUBJECT: Final = re.compile(
    r"\b(?:things?|points?|items?|news|updates?|hello|hi|hey|butlers?|notes?|few|following|dinge|sachen|punkte|hallo|notizen|neues|folgendes"
    r"|choses|points|bonjour|salut|infos?|notes|cosas|puntos|hola|notas)\b",
    re.IGNORECASE,
)
_LIST: Final = re.compile(r"\b[^\W\d_]*list(?:e|a|en|s)?\b", re.IGNORECASE)
_LEAST: Final = 3
"""Two dashes may only enclose a remark."""


def enumerated(text: str, units: Sequence[Unit]) -> frozenset[int]:
    """Return the indices in `units` of the items of a list of matters; empty if there is none."""
    items = _items(text, units)
    if not items or ((heading := _heading(text, units, items)) and not _NO_SUBJECT.search(heading)):
        return frozenset()
    return frozenset(items)


def is_of_one_list(text: str, units: Sequence[Unit]) -> bool:
    """Return whether the items form a list that the heading names: "Packing list: - tablets - tickets"."""
    items = _items(text, units)
    return bool(items) and _LIST.search(_heading(text, units, items)) is not None


def _items(text: str, units: Sequence[Unit]) -> list[int]:
    found = [n for n, unit in enumerate(units) if unit.cut == "line" and _ITEM.match(text, unit.start)]
    return found if len(found) >= _LEAST else []


def _heading(text: str, units: Sequence[Unit], items: Sequence[int]) -> str:
    """Return the text before the first item that ends in a colon, or an empty string."""
    heading = _HEADING.search(text[: units[items[0]].start].rstrip())
    return heading["said"] if heading is not None else ""
