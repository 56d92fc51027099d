"""The texts about lists, notes, tasks and appointments (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_kit.wording.likeness import content_words, covers
from butler_specialist.locale import count, counted, noop, say
from butler_specialist.profiles.general.entries import OPENING
from butler_specialist.questions.wording import (
    ended,
    joined,
    list_called,
    quoted,
    short_when,
    when_text,
)
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.list_questions import ListAsked
from butler_specialist.understanding.lists import TASKS, ListChange
from butler_specialist.understanding.reading import Reading

__all__ = [
    "SHOWN",
    "changes_text",
    "entries_text",
    "found_text",
    "item_text",
    "list_text",
    "nearest_text",
    "open_entries",
    "open_items",
]

SHOWN: Final = 8
_ON_IT: Final = counted("On the {list}: {items} ({number} item).", "On the {list}: {items} ({number} items).")
_UNDATED: Final = noop("Added to your tasks (no date): {quote}")
_NOW: Final = counted("{number} item is on it now.", "{number} items are on it now.")
_ADDED: Final = noop("Added to the {list}: {items}.")
_THERE: Final = noop("Already on the {list}: {items}.")
_GONE: Final = noop("Taken off the {list}: {items}.")
_MISSING: Final = noop("Not on the {list}: {items}.")
_IS: Final = noop("Yes, on the {list}: {items}.")
_IS_NOT: Final = noop("No, not on the {list}: {item}.")


def open_items(rows: Sequence[Record | RecordDraft], name: str) -> tuple[str, ...]:
    """Return what is on a list: what was added and not removed later, in that order."""
    return tuple(row.title or row.text for row in _open_rows(rows, name))


def open_entries(rows: Sequence[Record], name: str) -> list[Record]:
    """Return the same as stored records."""
    return [row for row in _open_rows(rows, name) if isinstance(row, Record)]


def list_text(name: str, rows: Sequence[Record], reading: Reading) -> str:
    """Return what is on the list; a task with its day."""
    found = _open_rows(rows, name)
    language, called = reading.language, list_called(name, reading.language)
    if not found:
        return say(language, "Nothing is on the {list}.", list=called)
    items = [f"{row.title or row.text}{_due(row, reading)}" for row in found]
    shown = joined(items, language)
    return count(language, *_ON_IT, len(items), list=called, items=shown)


def item_text(asked: ListAsked, rows: Sequence[Record], reading: Reading) -> str:
    """Say whether one thing is on the list, in the words in which it was added."""
    wanted = content_words(asked.item, fold)
    found = [item for item in open_items(rows, asked.name) if covers(content_words(item, fold), wanted)]
    language, called = reading.language, list_called(asked.name, reading.language)
    if not found:
        return say(language, _IS_NOT, list=called, item=asked.item)
    return say(language, _IS, list=called, items=joined(found, language))


def changes_text(changes: Sequence[ListChange], rows: Sequence[Record], language: Language) -> str:
    """Say what changed on the lists."""
    parts: list[str] = []
    lists: dict[str, set[str]] = {}
    for change in changes:
        before = lists.get(change.name, {fold(item) for item in open_items(rows, change.name)})
        there = [item for item in change.items if fold(item) in before]
        new = [item for item in change.items if fold(item) not in before]
        parts.extend(_change_texts(change, new, there, language))
        after = (
            before - {fold(item) for item in there}
            if change.removed
            else before | {fold(item) for item in new}
        )
        lists[change.name] = after
        parts.append(count(language, *_NOW, len(after)))
    return " ".join(parts)


def entries_text(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    """Say what was noted, one sentence per entry, and one for all tasks without a day."""
    undated = [draft for draft in drafts if draft.kind == "task" and draft.details and draft.title]
    if len(undated) < 2:
        return " ".join(_entry_text(draft, reading) for draft in drafts)
    language = reading.language
    quotes = joined([quoted(draft.title or "", language=language) for draft in undated], language)
    said = [_entry_text(draft, reading) for draft in drafts if draft not in undated]
    return " ".join([ended(say(language, _UNDATED, quote=quotes)), *said])


def found_text(found: Sequence[Record], reading: Reading) -> str:
    """Return the entries that answer a question."""
    return say(reading.language, "I found {entries}.", entries=_shown(found, reading))


def nearest_text(found: Sequence[Record], reading: Reading) -> str:
    """Return the entries that only may answer it."""
    return say(reading.language, "What comes nearest: {entries}.", entries=_shown(found, reading))


def _shown(found: Sequence[Record], reading: Reading) -> str:
    language = reading.language
    shown = [
        f"{quoted(row.text, most=140, language=language)}"
        f" ({short_when(row.occurred_on, row.occurred_at, reading.today, language)})"
        for row in found[:SHOWN]
    ]
    if len(found) > SHOWN:
        shown.append(say(language, "and {number} more", number=len(found) - SHOWN))
    return "; ".join(shown)


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
    return f" ({short_when(row.occurred_on, row.occurred_at, reading.today, reading.language)})"


def _change_texts(change: ListChange, new: list[str], there: list[str], language: Language) -> list[str]:
    texts = ((_GONE, there), (_MISSING, new)) if change.removed else ((_ADDED, new), (_THERE, there))
    called = list_called(change.name, language)
    return [say(language, text, list=called, items=joined(items, language)) for text, items in texts if items]


def _entry_text(draft: RecordDraft, reading: Reading) -> str:
    language = reading.language
    said = draft.title if draft.kind == "task" and draft.title else OPENING.sub("", draft.text)
    quote = quoted(said, language=language)
    when = when_text(draft.occurred_on, draft.occurred_at, language)
    text = noop("Noted: {quote}")
    if draft.kind == "task":
        dated = noop("Added to your tasks for {when}: {quote}")
        text = _UNDATED if draft.details else dated
    elif draft.kind == "appointment" or draft.occurred_on != reading.today:
        text = noop("Noted for {when}: {quote}")
    return ended(say(language, text, when=when, quote=quote))
