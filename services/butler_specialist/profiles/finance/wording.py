"""What is said of money matters that were just noted (pure): the sum, what it is for, the day, the month's total."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_specialist.profiles.finance import places
from butler_specialist.profiles.finance.debts import DEBT, owed_text
from butler_specialist.profiles.finance.facts import ASSUMED, DAY, unmarked_in
from butler_specialist.profiles.finance.kinds import EXPENSE
from butler_specialist.questions.periods import month_of
from butler_specialist.questions.wording import count_text, in_sentences, quoted, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.money import amount_text, total_text
from butler_specialist.understanding.purpose import for_what
from butler_specialist.understanding.reading import Reading

__all__ = ["noted_text"]

_ALL_SHOWN: Final = 20
_FIRST_SHOWN: Final = 12
"""Of a longer list the first are named in the answer, all are kept and counted."""
_BARE_SUM: Final = re.compile(r"\b\d{1,6}[.,]\d{2}\b(?![.,]\d)|\A\W*\d{1,6}\W*\Z")
_SHARED: Final = re.compile(r"\b(?:split|shared?|geteilt|teilen?|partage\w*|compart\w+|divid\w*|repart\w*)\b")


def noted_text(
    drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
) -> str:
    """Every fact in a sentence; of a member's message also what the month comes to."""
    shown = drafts if len(drafts) <= _ALL_SHOWN else drafts[:_FIRST_SHOWN]
    said = in_sentences([places.place_text(draft, rows) or _sentence_for(draft, reading) for draft in shown])
    if len(drafts) > len(shown):
        said += f" And {len(drafts) - len(shown)} more: {_in_all(drafts)}."
    if not household:
        says = f" It says: {quoted(reading.text)}" if drafts[0].amount is not None else ""
        return f"{said} Recorded only: nothing was paid and nobody answered.{says}"
    remarks = (_assumed_text(drafts), _shared_text(drafts, reading), _month_text(drafts, rows, reading))
    return " ".join([f"Noted: {said}", *filter(None, remarks)])


def _in_all(drafts: Sequence[RecordDraft]) -> str:
    """What a long list comes to, by kind."""
    kinds = list(dict.fromkeys(draft.kind for draft in drafts))
    return ", ".join(
        f"{count_text(len(of), kind)} of {total_text(of)} in all"
        for kind in kinds
        if (
            of := [
                (d.amount, d.currency)
                for d in drafts
                if d.kind == kind and d.amount is not None and d.currency
            ]
        )
    )


def _sentence_for(draft: RecordDraft, reading: Reading) -> str:
    if draft.amount is None or draft.currency is None:
        return _unread_text(draft, reading)
    total, what = amount_text(draft.amount, draft.currency), for_what(draft.title)
    if draft.party and draft.party not in (draft.title or "") and draft.kind != DEBT:
        what += f" ({draft.party})"
    unsaid, day = DAY in draft.details, when_text(draft.occurred_on, draft.occurred_at)
    match draft.kind:
        case "bill":
            due = "; no due date could be read" if unsaid else f", due on {day}"
            return f"a bill of {total}{_numbered(what, draft.code)}{due}."
        case "subscription":
            return f"a subscription of {total}{what}{'; no day could be read' if unsaid else f', on {day}'}."
        case "refund":
            return f"a refund of {total}{what} on {day}."
        case "income":
            return f"income of {total}{what} on {day}."
        case "debt":
            said = owed_text(str(draft.details["debtor"]), str(draft.details["creditor"]), total, what)
            return f"{said} (noted for {day}). It is not counted as spent."
    return f"{total}{what} on {day}."


def _numbered(what: str, number: str | None) -> str:
    if not number or number in what:
        return what
    return f"{what[:-1]} no. {number})" if what.endswith(")") else f"{what} (no. {number})"


def _unread_text(draft: RecordDraft, reading: Reading) -> str:
    unmarked = unmarked_in(reading)
    if unmarked is not None and not reading.currency:
        return (
            f"no currency is named for {unmarked.value} in {quoted(reading.text)} and the household has none "
            f"(`household.currency` of the Switchboard), so it is kept as a note and not counted; "
            f"“{unmarked.value} EUR” would be."
        )
    kept = "so it is kept as a note"
    why = ""
    if _BARE_SUM.search(reading.text):
        why = (
            " (nothing says that its number is a sum)"
            if reading.currency
            else " (its number has no currency)"
        )
    return f"no amount could be read in {quoted(reading.text)}{why}, {kept}."


def _assumed_text(drafts: Sequence[RecordDraft]) -> str:
    """Which currency was taken where none was named."""
    taken = [draft.currency for draft in drafts if ASSUMED in draft.details]
    return f"No currency was named; I took {taken[0]}, the household's." if taken else ""


def _shared_text(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    shared = reading.has(_SHARED) and any(draft.kind == EXPENSE for draft in drafts)
    return "That is the whole sum: I do not work out who owes which share." if shared else ""


def _month_text(drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading) -> str:
    spent = [draft for draft in drafts if draft.kind == EXPENSE]
    if not spent:
        return ""
    month = month_of(spent[0].occurred_on)
    counted = [*rows, *(draft for draft in spent if _within(draft.occurred_on, month.start, month.end))]
    total = total_text(
        [(item.amount, item.currency) for item in counted if item.amount is not None and item.currency]
    )
    if _within(reading.today, month.start, month.end):
        return f"This month so far: {total}."
    return f"Spent {month.label}: {total}."


def _within(day: date, start: date | None, end: date | None) -> bool:
    return (start is None or start <= day) and (end is None or day < end)
