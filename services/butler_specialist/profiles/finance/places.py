"""Where a recorded expense was made: "That was at Greenleaf Market, add it to the groceries expense" (pure).

Invariant: a place is only added to the one recent expense that is named; else the message stays a note.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.locale import noop, say
from butler_specialist.profiles.answering import Lookup
from butler_specialist.profiles.finance.kinds import EXPENSE
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.money import amount_text
from butler_specialist.understanding.purpose import for_what
from butler_specialist.understanding.reading import Reading

__all__ = ["PLACE", "expense_named", "place_text", "placed", "recent", "with_places"]

PLACE: Final = "expense_place"
_DAYS: Final = 7
_NAMED: Final = re.compile(
    r"\b(?:to|of|for|on|with) (?:the|that|my|our) (?P<what>[^\W\d_]{3,30}(?: [^\W\d_]{3,30})?)"
    r" (?:expense|purchase|payment)\b"
)

_WHICH: Final = noop(
    "{place} is kept as a note: {number} expenses for {what} in the last {days} days, so I cannot tell which is meant."
)
_NONE: Final = noop(
    "{place} is kept as a note: no expense for {what} in the last {days} days, so there is nothing to add it to."
)


def expense_named(reading: Reading) -> str | None:
    """Return what the expense was for, in the sender's words."""
    match = _NAMED.search(reading.folded)
    return reading.text[match.start("what") : match.end("what")] if match else None


def recent(reading: Reading) -> Lookup:
    """Return the expenses that can be meant."""
    return Lookup((EXPENSE, PLACE), reading.today - timedelta(days=_DAYS), reading.today + timedelta(days=1))


def placed(draft: RecordDraft, rows: Sequence[Record]) -> RecordDraft:
    """Return the note as the place of the one expense it names; else a note with the number found."""
    named = fold(str(draft.details["expense"]))
    found = [
        row
        for row in with_places(rows)
        if named in fold(row.title or "") and row.party in (None, draft.party)
    ]
    if len(found) != 1:
        return replace(draft, details={**draft.details, "found": len(found)})
    [row] = found
    return replace(draft, kind=PLACE, occurred_on=row.occurred_on, title=row.title, details={"of": row.seq})


def place_text(draft: RecordDraft, rows: Sequence[Record], language: Language) -> str | None:
    """Say what became of the place; None for a draft that names no expense."""
    if draft.kind == PLACE:
        [row] = [row for row in rows if row.kind == EXPENSE and row.seq == draft.details["of"]]
        total = say(language, "the sum")
        if row.amount is not None and row.currency:
            total = amount_text(row.amount, row.currency, language)
        day, what = day_text(row.occurred_on, language), for_what(row.title, language)
        text = noop("{place} as the place of {total}{what} on {day}.")
        return say(language, text, place=draft.party, total=total, what=what, day=day)
    if "found" not in draft.details:
        return None
    number, named = draft.details["found"], draft.details["expense"]
    text = _WHICH if number else _NONE
    return say(language, text, place=draft.party, number=number, what=named, days=_DAYS)


def with_places(rows: Sequence[Record]) -> list[Record]:
    """Return the rows that are sums, each with the place told for it later."""
    told = {
        row.details.get("of"): row.party for row in sorted(rows, key=lambda row: row.seq) if row.kind == PLACE
    }
    return [
        replace(row, party=told.get(row.seq) or row.party) if row.kind == EXPENSE else row
        for row in rows
        if row.kind != PLACE
    ]
