"""The entries that an answer listed, so that the next message can mean one by its place (pure).

Invariant: bounded, and in the order shown; what was not shown is in no list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from butler_specialist.store.model import Question, Record
from butler_specialist.understanding.reading import Reading

__all__ = ["NOTHING_LISTED", "Listed", "first_of", "listing_of"]

_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Listed:
    """The entries shown, and how many more fit."""

    rows: Sequence[Record] = ()
    more: int = 0


NOTHING_LISTED: Final = Listed()


def first_of(rows: Sequence[Record], most: int) -> Listed:
    """Return the listing of entries of which `most` are shown."""
    return Listed(rows[:most], max(0, len(rows) - most))


def listing_of(reading: Reading, listed: Listed, *, among: bool) -> Question | None:
    """Return the list as stored with the answer, or None; `among`: the answer lists other things too."""
    ids = tuple(row.record_id for row in listed.rows[:_MOST] if row.record_id is not None)
    if not ids or len(ids) < len(listed.rows[:_MOST]):
        return None
    more = listed.more or len(listed.rows) > _MOST
    return Question(reading.text, reading.moment, ids, "among" if among else "part" if more else "whole")
