"""What is said of lists, notes, tasks and appointments (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_specialist.profiles.general.entries import OPENING
from butler_specialist.questions.wording import (
    count_text,
    ended,
    joined,
    quoted,
    short_when,
    when_text,
)
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.lists import TASKS, ListChange
from butler_specialist.understanding.reading import Reading

__all__ = ["changes_text", "entries_text", "found_text", "list_text", "open_items"]

_SHOWN: Final = 8


def open_items(rows: Sequence[Record | RecordDraft], name: str) -> tuple[str, ...]:
    """What is on a list: what was put there and not taken off later, in the order of putting."""
    return tuple(row.title or row.text for row in _open_rows(rows, name))


def list_text(name: str, rows: Sequence[Record], reading: Reading) -> str:
    """What is on the list; a task with its day."""
    found = _open_rows(rows, name)
    if not found:
        return f"Nothing is on the {name} list."
    items = [f"{row.title or row.text}{_due(row, reading)}" for row in found]
    return f"On the {name} list: {joined(items)} ({count_text(len(items), 'item')})."


def changes_text(changes: Sequence[ListChange], rows: Sequence[Record]) -> str:
    """What became of the lists."""
    parts: list[str] = []
    for change in changes:
        before = {fold(item) for item in open_items(rows, change.name)}
        there = [item for item in change.items if fold(item) in before]
        new = [item for item in change.items if fold(item) not in before]
        parts.extend(_change_texts(change, new, there))
        after = (
            before - {fold(item) for item in there}
            if change.removed
            else before | {fold(item) for item in new}
        )
        parts.append(f"{count_text(len(after), 'item is', 'items are')} on it now.")
    return " ".join(parts)


def entries_text(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    """What was noted, one sentence for each entry."""
    return " ".join(_entry_text(draft, reading) for draft in drafts)


def found_text(found: Sequence[Record], reading: Reading) -> str:
    """The entries that answer a question."""
    shown = "; ".join(
        f"{quoted(row.text, most=140)} ({short_when(row.occurred_on, row.occurred_at, reading.today)})"
        for row in found[:_SHOWN]
    )
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"I found {shown}{more}."


def _open_rows(rows: Sequence[Record | RecordDraft], name: str) -> list[Record | RecordDraft]:
    items: dict[str, Record | RecordDraft] = {}
    for row in sorted(rows, key=lambda row: getattr(row, "seq", 1 << 62)):
        on_it = row.kind == "task" and name == TASKS and row.done_on is None
        if row.kind == "list_removal" and row.code == name:
            items.pop(fold(row.title or ""), None)
        elif on_it or (row.kind == "list_item" and row.code == name and row.title):
            items.setdefault(fold(row.title or row.text), row)
    return list(items.values())


def _due(row: Record | RecordDraft, reading: Reading) -> str:
    if row.kind != "task" or row.details:
        return ""
    return f" ({short_when(row.occurred_on, row.occurred_at, reading.today)})"


def _change_texts(change: ListChange, new: list[str], there: list[str]) -> list[str]:
    if change.removed:
        gone = [f"Taken off the {change.name} list: {joined(there)}."] if there else []
        return gone + ([f"Not on the {change.name} list: {joined(new)}."] if new else [])
    added = [f"Added to the {change.name} list: {joined(new)}."] if new else []
    return added + ([f"Already on the {change.name} list: {joined(there)}."] if there else [])


def _entry_text(draft: RecordDraft, reading: Reading) -> str:
    said = quoted(OPENING.sub("", draft.text))
    when = when_text(draft.occurred_on, draft.occurred_at)
    if draft.kind == "task":
        day = " (no date)" if draft.details else f" for {when}"
        return ended(f"Added to your tasks{day}: {said}")
    if draft.kind == "appointment" or draft.occurred_on != reading.today:
        return ended(f"Noted for {when}: {said}")
    return ended(f"Noted: {said}")
