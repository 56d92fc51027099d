"""What of a message is a list item, an appointment, a task or a note (pure).

Each clause that has a day of its own, or is a task, is an entry of its own; a message with one of them is kept whole.
"""

from __future__ import annotations

import re
from datetime import time
from typing import Final

from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.lists import TASKS, ListChange, change_of, list_changes
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["OPENING", "TASK", "UNDATED", "drafts_of"]

UNDATED: Final = {"day": "of the message"}
TASK: Final = re.compile(
    r"\b(?:remind (?:(?:me|us)(?! (?:what|where|who|which|how)\b)|[^\W\d_]+ to)|set (?:me )?an? (?:reminder|alarm"
    r"|timer)"
    r"|wake (?:me|us)|remember to|don't forget|todo|to do|to-do|erinner\w*|vergiss nicht|rappell?e[rz]?|n'oublie pas"
    r"|recuerda(?:me|nos|le|les)|recordar(?:me|nos)|no olvides|напомни)\b"
)
OPENING: Final = re.compile(r"^\W*(?:to-?do|task|aufgabe|note|notiz)\s*[:\-]\s*", re.IGNORECASE)


def drafts_of(reading: Reading) -> tuple[RecordDraft, ...]:
    """The entries of a household's message in its order."""
    drafts = [draft for change in list_changes(reading) for draft in _changed(change, reading)]
    changing = [
        sentence for sentence in reading.sentences if change_of(sentence, reading.at_list) is not None
    ]
    if drafts and not changing:  # one list from the first line to the last
        return tuple(drafts)
    entries = [
        sentence
        for sentence in reading.sentences
        if sentence not in changing and _is_entry(sentence, reading)
    ]
    if not drafts and len(entries) < 2:
        return (_whole(entries[0] if entries else None, reading),)
    return (*drafts, *(_entry(sentence, sentence.text, reading) for sentence in entries))


def _changed(change: ListChange, reading: Reading) -> list[RecordDraft]:
    text = one_line(reading.text, most=2_000) if len(change.items) > 1 else reading.text
    if change.name == TASKS and not change.removed:
        return [RecordDraft("task", reading.today, text, item, details=UNDATED) for item in change.items]
    kind = "list_removal" if change.removed else "list_item"
    return [RecordDraft(kind, reading.today, text, item, code=change.name) for item in change.items]


def _is_entry(sentence: Sentence, reading: Reading) -> bool:
    if sentence.is_heading and len(reading.sentences) > 1:
        return False
    return (
        bool(sentence.days)
        or sentence.has(TASK)
        or reading.when(sentence, "future").named
        or _is_today(sentence, reading)
    )


def _is_today(sentence: Sentence, reading: Reading) -> bool:
    """An hour without a day that is still to come."""
    return any(moment.at is not None and moment.at >= reading.moment.time() for moment in sentence.times[:1])


def _whole(entry: Sentence | None, reading: Reading) -> RecordDraft:
    """The message as one: of the day of its one entry, with the one time that it names."""
    if entry is None:
        return RecordDraft(kind="note", occurred_on=reading.today, text=reading.text)
    return _entry(entry, reading.text, reading)


def _entry(sentence: Sentence, text: str, reading: Reading) -> RecordDraft:
    when = reading.when(sentence, "future", usual="future")
    at = when.at or (_only_time(reading) if text is reading.text and when.unclear is None else None)
    is_task = sentence.has(TASK)
    dated = when.named or (at is not None and _is_today(sentence, reading))
    return RecordDraft(
        kind="task" if is_task else "appointment" if dated and when.day >= reading.today else "note",
        occurred_on=when.day,
        occurred_at=at if dated else None,
        title=one_line(OPENING.sub("", text), most=300) if is_task else None,
        details={} if dated else UNDATED if is_task else {},
        text=text,
    )


def _only_time(reading: Reading) -> time | None:
    """The time of a message that names one, wherever it stands: "The party is on Friday. It starts at 20:00"."""
    times = [moment.at for sentence in reading.sentences for moment in sentence.times]
    return times[0] if len(times) == 1 else None
