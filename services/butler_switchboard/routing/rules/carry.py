# ruff: noqa: E501, SIM905 - patterns, word lists and sample texts stay on one line
"""Make a part of a message complete in itself: add the names, days and places said before it (SWB-03.2, pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from butler_kit.textmodel.entities import entities
from butler_kit.textmodel.features import fold

__all__ = ["carried", "names_in", "self_contained"]

_POINTS_BACK = re.compile(
    r"\b(?:he|she|her|him|his|they|them|their|it|its|that|there|then|this|same|both|er|sie|ihn|ihm|ihr|es|dort|dann|elle|il|lui|leur|ella|él|allí)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b[A-ZÄÖÜÉÈÁÍÓÚÑÇ][a-zäöüßéèêëàâîïôûçáíóúñ]{2,}(?: [A-ZÄÖÜÉÈÁÍÓÚÑÇ][a-zäöüßéèêëàâîïôûçáíóúñ]{2,})?\b"
)
_NOT_NAMES = frozenset(
    "the and also please remind dear hello thanks thank book call what when could can check three two one our your yesterday today tomorrow"
    " tonight monday tuesday wednesday thursday friday saturday sunday need paid bought had took met ate log not his her she they this that".split()
)
_ACTS = re.compile(
    r"(?:'s|’s| (?:and|und|et|y) [A-ZÄÖÜ]| (?:is|was|has|had|got|called|said|wants|asked|told|likes|moved|comes|needs|wrote|ist|hat|est|es)\b)"
)
_OPENERS = frozenset(".!?:;\n-*•")
_KINDS = frozenset({"date", "day", "month"})
_OF_THE_CALENDAR = frozenset(
    "march may mai marz montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend".split()
)
"""Besides what `entities` takes for a day or a month."""
_MOST = 6


def carried(before: str, part: str) -> tuple[str, ...]:
    """Return what `part` needs of `before`: names if it points back, and a leading day if it names none.

    A day inside a statement belongs to that statement alone.
    """
    own = fold(part)
    shown: dict[str, str] = {}
    has_day = any(entity.kind in _KINDS for entity in entities(part))
    if not has_day:
        days = [entity for entity in entities(before) if entity.kind in _KINDS]
        shown.update((fold(day.text), day.text) for day in days if _opens(before, day.start))
    if _POINTS_BACK.search(part):
        shown.update((fold(name), name) for name in _names(before))
    return tuple(text for key, text in shown.items() if key not in own)[-_MOST:]


def names_in(text: str) -> tuple[str, ...]:
    """Return the names that a text says, each once, in order; a word that may be a day or a month is none."""
    names = dict.fromkeys(name for name in _names(text) if not _is_of_the_calendar(name))
    return tuple(names)[-_MOST:]


def _is_of_the_calendar(name: str) -> bool:
    return fold(name) in _OF_THE_CALENDAR or any(entity.kind in _KINDS for entity in entities(name))


def _opens(text: str, start: int) -> bool:
    """Return whether a sentence, a line or an item begins at `start`."""
    before = text[:start].rstrip(" \t")
    return not before or before[-1] in _OPENERS


def _names(text: str) -> Iterator[str]:
    """Yield capitalised words inside sentences, and those that open one before something a person does."""
    for match in _NAME.finditer(text):
        known = not _opens(text, match.start()) or _ACTS.match(text, match.end()) is not None
        if known and fold(match.group().split(" ")[0]) not in _NOT_NAMES:
            yield match.group()


def self_contained(part: str, before: str) -> str:
    """Return `part`, followed by what it refers back to, if anything."""
    extra = carried(before, part)
    return f"{part}\n\n(Said before in the same message: {'; '.join(extra)})" if extra else part
