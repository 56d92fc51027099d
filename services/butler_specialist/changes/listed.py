# ruff: noqa: E501 - word lists stay on one line
"""Finds the list items that a clause names (pure)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from butler_kit.wording.folding import fold, words
from butler_kit.wording.likeness import content_words, covers
from butler_specialist.changes.case import Case
from butler_specialist.changes.grammar import GRAMMAR
from butler_specialist.changes.named import open_rows
from butler_specialist.store.model import Record
from butler_specialist.understanding.list_items import pieces

__all__ = ["listed"]

_MEASURES: Final = words(
    "kg kilo kilos g gram grams gramm grammes gramos l litre litres liter litro litros ml cl dozen dutzend douzaine docena half halbes medio"
    " packet packets pack packs package packung packungen paket paquet paquets paquete tin tins can cans dose dosen boite boites lata latas"
    " bottle bottles flasche flaschen bouteille bouteilles botella botellas jar jars glas glaser pot pots bag bags tute beutel sac sachet bolsa"
    " loaf loaves barra barras becher bunch bund botte manojo piece pieces stuck stucke two three four five six zwei drei vier funf sechs deux"
    " trois quatre cinq dos tres cuatro cinco seis big small large gross klein"
)


def listed(case: Case, words_said: str | None) -> list[Record]:
    """Return the items named in full, and the one that a word names in part: "the tea" of "tea bags"."""
    named = words_said if words_said is not None else case.said
    items = [row for row in open_rows(case.rows) if row.kind == "list_item"]
    whole = [row for row in items if covers(_content(named), _content(row.title or ""))]
    left = [row for row in items if row not in whole]
    things = [one for one in pieces(named) if not _is_among(one, whole)] if words_said is not None else []
    found = [row for one in things or ([] if whole else [named]) for row in _named_in_part(one, left)]
    return [row for row in items if row in whole or row in found]


def _is_among(thing: str, rows: Sequence[Record]) -> bool:
    """Return whether the thing is one of these, or describes one."""
    said = set(content_words(thing, fold))
    return not said or any(said & set(content_words(row.title or "", fold)) for row in rows)


def _named_in_part(thing: str, rows: Sequence[Record]) -> list[Record]:
    """Return the one row that the thing names; none if it may be two."""
    part = [row for row in rows if covers(_content(row.title or ""), _content(thing))]
    part = part or [
        row for row in rows if covers(content_words(row.title or "", fold), content_words(thing, fold))
    ]
    return part if len(part) == 1 else []


def _content(text: str) -> Collection[str]:
    """Return the words that name a thing, without its measure if any are left."""
    found = [word for word in content_words(text, fold) if not word.isdigit()]
    named = [word for word in found if word not in _MEASURES and word not in GRAMMAR]
    return named or found
