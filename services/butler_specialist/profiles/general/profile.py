"""Lists, notes, tasks and appointments: what is kept, and how it is said back (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_specialist.profiles.profile import Lookup, Profile
from butler_specialist.questions.periods import period_of
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.wording import count_text, joined, quoted, short_day, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.folding import fold, words
from butler_specialist.understanding.lists import ListChange, list_changes, list_name
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.times import unclear_hour

__all__ = ["GeneralProfile", "open_items"]

_LISTS: Final = ("list_item", "list_removal")
_NOTES: Final = ("note", "appointment", "task")
_TASK: Final = re.compile(
    r"\b(?:remind me|remember to|don't forget|todo|to do|erinner\w*|vergiss nicht|rappelle|n'oublie pas"
    r"|recuerdame|no olvides|напомни)\b"
)
_TALK: Final = re.compile(
    r"^\W*(?:good (?:morning|evening|afternoon|night)|hello|hi|hey|thanks|thank you|guten (?:morgen|tag"
    r"|abend)|hallo|danke|bonjour|salut|merci|hola|buenos dias"
    r"|gracias|привет|спасибо)\b(?:[\s,!.]++(?:butlers?|all|everyone|there|you|a lot|so much|very much|again|zusammen"
    r"|schon|beaucoup|bien|muchas))*(?:[\s,]++[^\W\d_]++)?[\s,!.?¡¿-]*+(?:(?:how are|how's it|how do you do|wie geht"
    r"|ca va|comment|que tal|como est|have a|for|fur|pour|por)\b[^\d.!?]{0,40})?\W{0,40}$"
)
_THANKS: Final = re.compile(r"\b(?:thanks|thank you|danke|merci|gracias|спасибо)\b")
_HELLO: Final = re.compile(r"(good (?:morning|evening|afternoon|night))", re.IGNORECASE)
_SUBJECT_STOP: Final = words(
    "what when where who which how much many does did have has the and about for from with are was is"
    " there any note notes appointment list show"
    " know tell say said give that this these those you your our was gibt wann wo wer ist steht der die"
    " das den haben combien quand quel est les une"
    " que cuando donde cual esta los las"
)


class GeneralProfile(Profile):
    """The catch-all."""

    name = "general"
    triggers = ("catch-all",)

    def asked(self, reading: Reading) -> Lookup | None:
        if not is_question(reading) or list_changes(reading) or reading.has(_TALK):
            return None
        if list_name(reading) is not None:
            return Lookup(_LISTS)
        period = period_of(reading)
        if period is not None:
            return Lookup(_NOTES, period.start, period.end)
        return Lookup(_NOTES)

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        name = list_name(reading)
        if name is not None:
            return _list_text(name, open_items(rows, name))
        period = period_of(reading)
        found = [row for row in rows if period is not None or _shares_subject(reading, row)]
        if not found:
            about = f" {period.label}" if period else " about that"
            return (
                f"I found nothing{about} in {count_text(len(rows), 'note')} that I keep here."
                if rows
                else (f"I found nothing{about}: no note here speaks of it.")
            )
        shown = "; ".join(_row_text(row, reading) for row in found[:8])
        more = f"; and {len(found) - 8} more" if len(found) > 8 else ""
        return f"I found {count_text(len(found), 'note')}: {shown}{more}."

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        changes = list_changes(reading) if household else ()
        if changes:
            return tuple(_list_draft(change, item, reading) for change in changes for item in change.items)
        named = reading.days[0].on("future") if reading.days and household else None
        at = next((moment.at for sentence in reading.sentences for moment in sentence.times), None)
        kind = self._kind(reading, dated=named is not None)
        return (
            RecordDraft(
                kind=kind,
                occurred_on=named or reading.today,
                occurred_at=at if named else None,
                text=reading.text,
            ),
        )

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        kinds = {draft.kind for draft in drafts}
        if kinds & set(_LISTS):
            return Lookup(_LISTS)
        return Lookup((*_LISTS, *_NOTES)) if "conversation" in kinds else None

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        if not household:
            return f"{quoted(reading.text)} It is kept as a note of {when_text(reading.today)}; nobody answered it."
        first = drafts[0]
        if first.kind in _LISTS:
            return _changes_text(list_changes(reading), rows)
        if first.kind == "conversation":
            return _greeting(reading, rows)
        if reading.descriptor is not None:
            return (
                f"Kept {quoted(reading.descriptor.strip('[]'))} of {when_text(reading.today)}. I cannot read stickers, "
                "pictures or recordings; write in words what should be noted."
            )
        return _note_text(first, reading)

    def _kind(self, reading: Reading, *, dated: bool) -> str:
        if reading.has(_TALK):
            return "conversation"
        if reading.has(_TASK):
            return "task"
        return "appointment" if dated else "note"


def open_items(rows: Sequence[Record | RecordDraft], name: str) -> tuple[str, ...]:
    """What is on a list: what was put there and not taken off later, in the order of putting."""
    items: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: getattr(row, "seq", 1 << 62)):
        if row.code != name or not row.title:
            continue
        if row.kind == "list_item":
            items.setdefault(fold(row.title), row.title)
        else:
            items.pop(fold(row.title), None)
    return tuple(items.values())


def _list_draft(change: ListChange, item: str, reading: Reading) -> RecordDraft:
    return RecordDraft(
        kind="list_removal" if change.removed else "list_item",
        occurred_on=reading.today,
        title=item,
        code=change.name,
        text=one_line(reading.text, most=2_000) if len(change.items) > 1 else reading.text,
    )


def _changes_text(changes: Sequence[ListChange], rows: Sequence[Record]) -> str:
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


def _change_texts(change: ListChange, new: list[str], there: list[str]) -> list[str]:
    if change.removed:
        gone = [f"Taken off the {change.name} list: {joined(there)}."] if there else []
        return gone + ([f"Not on the {change.name} list: {joined(new)}."] if new else [])
    added = [f"Added to the {change.name} list: {joined(new)}."] if new else []
    return added + ([f"Already on the {change.name} list: {joined(there)}."] if there else [])


def _list_text(name: str, items: Sequence[str]) -> str:
    if not items:
        return f"The {name} list is empty."
    return f"On the {name} list: {joined(items)} ({count_text(len(items), 'item')})."


def _greeting(reading: Reading, rows: Sequence[Record]) -> str:
    spoken = _HELLO.search(reading.text)
    hello = spoken.group(1).capitalize() if spoken else "You are welcome" if reading.has(_THANKS) else "Hello"
    items = open_items(rows, "shopping")
    notes = sum(row.kind in _NOTES for row in rows)
    coming = [row for row in rows if row.kind in ("appointment", "task") and row.occurred_on >= reading.today]
    said = [
        f"{hello}. I keep {count_text(notes, 'note')} and {count_text(len(items), 'item')} on the shopping list."
    ]
    if coming:
        first = min(coming, key=lambda row: (row.occurred_on, row.seq))
        said.append(
            f"Next: {quoted(first.text, most=100)} on {when_text(first.occurred_on, first.occurred_at)}."
        )
    return " ".join(said)


def _note_text(draft: RecordDraft, reading: Reading) -> str:
    if draft.kind == "appointment":
        hour = unclear_hour(reading.text) if draft.occurred_at is None else None
        doubt = f" No time is set: {quoted(hour)} may be morning or evening." if hour else ""
        return f"Noted for {when_text(draft.occurred_on, draft.occurred_at)}: {quoted(reading.text)}{doubt}"
    if draft.kind == "task":
        day = (
            f" for {when_text(draft.occurred_on, draft.occurred_at)}"
            if reading.days
            else ", without a day: I found none in it"
        )
        return f"Kept as a task{day}: {quoted(reading.text)}"
    return f"Kept as a note of {when_text(draft.occurred_on)}: {quoted(reading.text)}"


def _shares_subject(reading: Reading, row: Record) -> bool:
    words = {word for word in re.findall(r"[^\W\d_]{3,}", reading.folded) if word not in _SUBJECT_STOP}
    known = fold(f"{row.title or ''} {row.text}")
    return any(word.removesuffix("s") in known for word in words)


def _row_text(row: Record, reading: Reading) -> str:
    return f"{quoted(row.text, most=140)} ({short_day(row.occurred_on, reading.today)})"
