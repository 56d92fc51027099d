# ruff: noqa: E501 - patterns stay on one line
"""The names of lists, and which list a text means (pure). EN, DE, FR, ES; for shopping RU, too."""

from __future__ import annotations

import re
from typing import Final

from butler_kit.wording.folding import words

__all__ = [
    "ANY_LIST",
    "BAG",
    "LIST",
    "PACKING",
    "SHOPPING",
    "SHOPS",
    "TASKS",
    "list_meant",
    "name_in",
    "named",
    "says_packed",
]

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
_NO_NAME: Final = words(
    "clear empty wipe reset delete leere losche vide videz vider efface effacez effacer vacia vaciar vacie borra borrar whole entire complete"
    " full ganze ganzen gesamte gesamten komplette kompletten old alte alten last letzte current toute toutes tous cette mes nos mis nuestra toda"
    " todas esta diese dieser everything alles tout todo"
)
"""Words beside "list" that are no list's name: "clear the whole list"."""
_LEAST_NAME: Final = 3
_CHORES: Final = re.compile(r"\bchores\b")
_PACKED: Final = re.compile(r"\b(?:pack(?:ed|ing)|eingepackt|emballee?s?|metid[oa]s?)\b")


def list_meant(folded: str) -> str | None:
    """Return the list that a folded text about a whole list means by name, or None."""
    name = name_in(folded)
    if name is None:
        return TASKS if _CHORES.search(folded) else None
    return None if name in _NO_NAME or len(name) < _LEAST_NAME else name


def says_packed(folded: str) -> bool:
    """Return whether a folded text speaks of packing: then no list of things to buy or to do is meant."""
    return _PACKED.search(folded) is not None


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
