# ruff: noqa: E501 - patterns stay on one line
"""The names of lists, and which list a text means (pure). EN, DE, FR, ES; for shopping RU, too."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["ANY_LIST", "BAG", "LIST", "PACKING", "SHOPPING", "SHOPS", "TASKS", "name_in", "named"]

SHOPPING: Final = "shopping"
TASKS: Final = "to-do"
PACKING: Final = "packing"

BAG: Final = r"(?:suitcase|luggage|backpack|rucksack|koffer|gepack|reisetasche|valises?|bagages?|maletas?|equipaje|mochila)"
SHOPS: Final = (
    r"(?:shops?|store|supermarket|grocer'?s|market|bakery|baker'?s|butcher'?s|chemist'?s|pharmacy|hardware store|diy store"
    r"|laden|geschaft|supermarkt|markt|baumarkt|drogerie|apotheke|backer|metzger|aldi|lidl|rewe|edeka|dm|netto|penny|kaufland|tesco|asda|sainsbury'?s|co-?op|delhaize|colruyt|leclerc|auchan|intermarche|monoprix|ikea"
    r"|magasin|supermarche|super|marche|boulangerie|pharmacie|tienda|supermercado|mercado|panaderia|farmacia|mercadona|carrefour)"
)
"""Shops: all their items are on the one shopping list."""

_SHOPPING: Final = (
    r"(?:shopping ?list|shopping|grocery list|groceries list|groceries|einkaufsliste|einkaufszettel|zettel|einkaufe?"
    r"|liste des? courses|courses|liste d'achats|lista de (?:la )?compras?|lista del super|la compra|список покупок|списку покупок)\b"
)
_TASKS: Final = (
    r"(?P<tasks>(?:to-?do|to do|task|tasks|aufgaben|chores?)[- ]?(?:list|liste)|liste des? taches|lista de tareas"
    r"|(?:my|our|the|open|meinen?|unseren?|mes|nos|les|mis|nuestras|las) (?:to-?dos?(?! list)|tasks|aufgaben|chores|taches|tareas))\b"
)
_PACKING: Final = (
    rf"(?P<packing>pack(?:ing)?[- ]?(?:list|liste)|kofferliste|lista (?:de|para) (?:la |el )?{BAG}"
    rf"|liste (?:de|pour) (?:la |le |les )?{BAG}|liste des? bagages)\b"
)
_AFTER: Final = (
    r"(?:liste|lista|list|zettel) (?:de |des |du |d'|del |pour |para |for |fur )(?:the |la |le |les |el |los |las |l'|den |die |das )?"
    r"(?P<after>(?!today|tonight|tomorrow|me\b|us\b|heute|morgen|ceux|hoy|manana|sujet)[^\W\d_]{3,20})\b"
)
_OTHER: Final = (
    r"(?<![\w])(?P<name>(?!(?:the|my|our|a|die|der|la|this|that|your|unsere|meine|notre|ma|una?|une|una|mi|nuestra|what|which|please|bitte"
    r"|and|und)\b)[^\W\d_]+?)[- ]?(?:list|liste)\b"
)
LIST: Final = rf"(?:{_PACKING}|{_TASKS}|{_SHOPPING}|{_AFTER}|{_OTHER})"
ANY_LIST: Final = re.sub(r"\?P<\w+>", "?:", LIST)
"""`LIST` without named groups."""
_FIND: Final = re.compile(rf"(?<!\w){LIST}")
_OF_SHOPPING: Final = frozenset(
    [
        "shopping",
        "grocery",
        "groceries",
        "the",
        "einkaufs",
        "a",
        "my",
        "our",
        "courses",
        "achats",
        "compra",
        "compras",
        "super",
    ]
)


def name_in(folded: str) -> str | None:
    """Return the list that a folded text names, or None."""
    match = _FIND.search(folded)
    return named(match) if match else None


def named(match: re.Match[str]) -> str:
    """The name of the list that a match of `LIST` found."""
    groups = match.groupdict()
    if groups.get("tasks"):
        return TASKS
    if groups.get("packing"):
        return PACKING
    name = (groups.get("name") or groups.get("after") or "").strip()
    return SHOPPING if not name or name in _OF_SHOPPING else name
