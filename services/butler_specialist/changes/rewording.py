# ruff: noqa: E501 - patterns stay on one line
"""Replaces wrong words of an entry: a name, a place, a shop (pure).

Invariant: only words that the entry has are replaced, and only if exactly one place can be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Final

from butler_kit.wording.folding import fold, words
from butler_specialist.store.model import RecordDraft, as_draft
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.times import find_times

__all__ = ["Reworded", "names_a_thing", "reworded"]

_MOST_WORDS: Final = 4
_ALIKE: Final = 0.66
_MONEY: Final = frozenset({"expense", "bill", "subscription", "refund", "income", "debt"})
_JOURNEYS: Final = frozenset({"flight", "train", "bus", "stay"})
_ARTICLE: Final = (
    r"the|a|an|my|our|der|die|das|dem|den|des|le|la|les|l['’]|el|los|las|lo|un|une|una|ein|eine[rnms]?"
)
_AT: Final = r"at|in|to|with|from|for|by|on|near|bei|beim|im|in|nach|zu|zum|zur|mit|am|von|vom|chez|avec|a|à|au|aux|pour|en|de|con|para|del|al"
_LEADS: Final = re.compile(rf"^(?:(?:{_AT}|{_ARTICLE})(?:\s++|(?<=['’])))++", re.IGNORECASE)
_PLACED: Final = re.compile(r"^(?P<lead>in|at|à|en|bei|im|nach)\s++(?P<place>\S.*)$", re.IGNORECASE)
_TITLE: Final = r"(?:dr|dra|prof|mr|mrs|ms|miss|herr|frau|monsieur|madame|mme|don|dona|senor|senora)\b\.?\s++"
_TITLED: Final = re.compile(rf"^{_TITLE}", re.IGNORECASE)
_WITH_TITLE: Final = re.compile(rf"\b{_TITLE}[^\W\d_][\w'’-]++")
_WITH: Final = re.compile(r"\b(?:with|mit|avec|con)\s++(?P<who>[^\W\d_][\w'’-]++)")
_BEHIND: Final = re.compile(rf"\b(?:{_AT})\s++(?:(?:{_ARTICLE})\s*+)?+(?P<what>[^\W\d_][\w'’-]++)")
_BEHIND_A_PLACE: Final = re.compile(
    rf"\b(?:in|at|near|bei|beim|im|nach|chez|a|en)\s++(?:(?:{_ARTICLE})\s*+)?+(?P<what>[^\W\d_][\w'’-]++)"
)
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*+")
_PLAIN: Final = words(
    "the and for with mit und pour avec para con heute morgen today tomorrow demain manana euro euros eur uhr"
)
_FIELDS: Final = ("title", "party", "place")


@dataclass(frozen=True, slots=True)
class Reworded:
    """The entry as it is now, and the words that changed; if `old` is empty, they are new."""

    after: RecordDraft
    old: str
    new: str


def reworded(row: RecordDraft, right: str, wrong: str = "") -> Reworded | None:
    """Return the entry with `right` in place of `wrong`, or of the only words it can replace.

    None if that is unclear.
    """
    new = _bare(right)
    if not new or len(new.split()) > _MOST_WORDS or any(character.isdigit() for character in new):
        return None
    named = [_said_in(row, _bare(wrong))] if wrong else _slots(row, right, new)
    old = next((found for found in named if found), None)
    if old is None:
        return _placed(row, right) if not wrong else None
    if fold(old) == fold(new) and old == new:
        return None
    if not _TITLED.match(fold(old)) and _TITLED.match(fold(new)):
        new = _TITLED.sub("", new) if _has_title_before(row.text, old) else new
    return Reworded(_replaced(as_draft(row), old, new), old, new)


def names_a_thing(said: str) -> bool:
    """Return whether it begins like a thing or a place: "the bakery", "beim Bäcker"."""
    return _LEADS.match(said) is not None


def _bare(said: str) -> str:
    return _LEADS.sub("", said.strip(" ,.;:!")).strip()


def _said_in(row: RecordDraft, wrong: str) -> str | None:
    """Return the words as the entry spells them."""
    for text in (row.text, *(getattr(row, name) or "" for name in _FIELDS)):
        found = re.search(rf"(?<![\w]){re.escape(fold(wrong))}(?![\w])", fold(text)) if wrong else None
        if found is not None:
            return text[found.start() : found.end()]
    return None


def _slots(row: RecordDraft, right: str, new: str) -> Iterator[str | None]:
    """Yield the words it can replace, the surest first."""
    yield _alike(row.text, new)
    if _TITLED.match(fold(new)):
        yield _only(_WITH_TITLE, row.text)
        yield None
    if row.kind in _JOURNEYS:
        yield _said_in(row, str(row.details.get("to") or row.place or ""))
    elif row.kind in _MONEY:
        yield _said_in(row, row.party or row.title or "")
    elif not _PLACED.match(right):
        yield _said_in(row, row.party) if row.party else _only(_WITH, row.text, "who")
    if _PLACED.match(right) and row.place:
        yield _said_in(row, row.place)
    if row.kind not in _JOURNEYS:
        yield _behind(row, _BEHIND_A_PLACE if _PLACED.match(right) else _BEHIND)


def _alike(text: str, new: str) -> str | None:
    """Return the one word that is nearly the same: "Klara" for "Clara"."""
    if " " in new:
        return None
    scored = [
        (SequenceMatcher(None, fold(found.group()), fold(new)).ratio(), found.group())
        for found in _WORD.finditer(text[:300])
        if len(found.group()) > 3 and fold(found.group()) not in _PLAIN and fold(found.group())[0:1]
    ]
    near = {word for ratio, word in scored if ratio >= _ALIKE and word != new}
    return near.pop() if len(near) == 1 else None


def _only(pattern: re.Pattern[str], text: str, group: str | int = 0) -> str | None:
    found = [(one.start(group), one.end(group)) for one in pattern.finditer(fold(text))]
    return text[found[0][0] : found[0][1]] if len(found) == 1 else None


def _behind(row: RecordDraft, pattern: re.Pattern[str]) -> str | None:
    """Return the only word after a preposition, apart from days and times."""
    taken = [(day.start, day.end) for day in find_days(row.text, row.occurred_on)]
    taken += [(moment.start, moment.end) for moment in find_times(row.text)]
    found = {
        row.text[one.start("what") : one.end("what")]
        for one in pattern.finditer(fold(row.text))
        if not any(start < one.end() and one.start("what") < end for start, end in taken)
        and one["what"] not in _PLAIN
    }
    return found.pop() if len(found) == 1 else None


def _placed(row: RecordDraft, right: str) -> Reworded | None:
    """Add a place to an entry that names none: "it's in Lyon"."""
    found = _PLACED.match(right)
    if found is None or row.place or row.kind in _MONEY or not found["place"][0].isupper():
        return None
    text = f"{row.text.rstrip(' .!')} {right}"
    return Reworded(replace(as_draft(row), text=text, place=found["place"]), "", right)


def _has_title_before(text: str, old: str) -> bool:
    return re.search(rf"\b{_TITLE}{re.escape(fold(old))}\b", fold(text)) is not None


def _replaced(row: RecordDraft, old: str, new: str) -> RecordDraft:
    def swapped(value: Any) -> Any:
        return _swapped(value, old, new) if isinstance(value, str) else value

    return replace(
        row,
        text=_swapped(row.text, old, new),
        title=swapped(row.title),
        party=swapped(row.party),
        place=swapped(row.place),
        details={key: swapped(value) for key, value in row.details.items()},
    )


def _swapped(text: str, old: str, new: str) -> str:
    found = re.search(rf"(?<![\w]){re.escape(fold(old))}(?![\w])", fold(text))
    return text if found is None else f"{text[: found.start()]}{new}{text[found.end() :]}"
