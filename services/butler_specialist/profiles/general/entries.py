# ruff: noqa: E501 - patterns and word lists stay on one line
"""Reads list items, appointments, tasks and notes from a message (pure).

Each clause with a day of its own, or a task, is an entry of its own; a message with one of them is kept whole.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import time
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.lists import TASKS, ListChange, change_of, list_changes
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.reminder_words import OBLIGED
from butler_specialist.understanding.reminders import ReminderAsked, reminders_of, wanted_in

__all__ = ["OPENING", "TASK", "UNDATED", "drafts_of"]

UNDATED: Final = {"day": "of the message"}
TASK: Final = re.compile(
    r"\b(?:remind (?:(?:me|us)(?! (?:what|where|who|which|how)\b)|[^\W\d_]+ to)|set (?:me )?an? (?:reminder|alarm"
    r"|timer)"
    r"|wake (?:me|us)|remember to|don't forget|todo|to do|to-do|erinner\w*|vergiss nicht|rappell?e[rz]?|n'oublie pas"
    r"|recuerda(?:me|nos|le|les)|recordar(?:me|nos)|no olvides|напомни)\b"
    r"|^\W*(?:task|aufgabe|tache|tarea)\s*[:-]"
)
_DUTY: Final = re.compile(rf"(?!\W*\w+ (?:want|will|wollen)\b)(?:{OBLIGED.pattern})")
_ENDS: Final = re.compile(
    r"\W*(?:and |und |et |y )?(?:(?:i'm |i'll be |we're |we'll be )?(?:home|back)|(?:ich bin |wir sind )?(?:zu hause|daheim|zuruck)|(?:je |on )?rentre\w*|de retour|de vuelta|en casa)\b"
)
"""The time when somebody is home again is no start."""
_DEADLINE: Final = re.compile(
    r"\b(?:before|by|until|till|latest|bis|vor|spatestens|avant|d'ici|jusqu'a|antes|hasta)\b"
)
_NOT_TO_FORGET: Final = re.compile(
    r"\W*(?:please |bitte )?"
    r"(?:don't forget|do not forget|remember|vergiss(?: bitte)? nicht|denk daran|n'oublie pas|no olvides)\b"
    r"[\s,:]*(?:(?:that|to|dass|que|qu'|de|d')(?:\b|(?<='))\s*)?"
)
OPENING: Final = re.compile(
    r"^\W*(?:to-?do|task|aufgabe|t[âa]che|tarea|note|notiz|nota)\s*[:\-]\s*", re.IGNORECASE
)


def drafts_of(reading: Reading) -> tuple[RecordDraft, ...]:
    """Return the entries of a household's message in its order."""
    drafts = [draft for change in list_changes(reading) for draft in _changed(change, reading)]
    changing = frozenset(
        sentence for sentence in reading.sentences if change_of(sentence, reading.at_list) is not None
    )
    if drafts and not changing:  # one list from first line to last
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
        return [_task(item, text, reading) for item in change.items]
    kind = "list_removal" if change.removed else "list_item"
    return [RecordDraft(kind, reading.today, text, item, code=change.name) for item in change.items]


def _task(item: str, text: str, reading: Reading) -> RecordDraft:
    """Return one task, on the day that it names itself."""
    when = reading.when(replace(reading.sentences[0], text=item), "future", usual="future")
    day, at = (when.day, when.at) if when.named else (reading.today, None)
    return RecordDraft("task", day, text, item, occurred_at=at, details={} if when.named else UNDATED)


def _is_entry(sentence: Sentence, reading: Reading) -> bool:
    if sentence.is_heading and len(reading.sentences) > 1:
        return False
    return (
        bool(sentence.days)
        or sentence.has(TASK)
        or (reading.when(sentence, "future").named and not sentence.measurements)
        or _is_today(sentence, reading)
    )


def _is_today(sentence: Sentence, reading: Reading) -> bool:
    """Return whether it has an hour without a day that is still to come."""
    return any(moment.at is not None and moment.at >= reading.moment.time() for moment in sentence.times[:1])


def _whole(entry: Sentence | None, reading: Reading) -> RecordDraft:
    """Return the message as one record: on the day of its one entry, with the one time it names."""
    if entry is None:
        return RecordDraft(kind="note", occurred_on=reading.today, text=reading.text)
    return _entry(entry, reading.text, reading)


def _entry(sentence: Sentence, text: str, reading: Reading) -> RecordDraft:
    when = reading.when(sentence, "future", usual="future")
    at = when.at or (_only_time(reading) if text is reading.text and when.unclear is None else None)
    wished = _wished(sentence, reading) if text == sentence.text else None
    if wished is not None:
        return wished
    is_task = sentence.has(TASK) or _is_duty(sentence)
    dated = when.named or (at is not None and _is_today(sentence, reading))
    return RecordDraft(
        kind="task" if is_task else "appointment" if dated and when.day >= reading.today else "note",
        occurred_on=when.day,
        occurred_at=at if dated else None,
        title=one_line(_thing(text), most=300) if is_task else None,
        details={} if dated else UNDATED if is_task else {},
        text=text,
    )


def _wished(sentence: Sentence, reading: Reading) -> RecordDraft | None:
    """Return the one task at the one moment that a request names; None if it names none, or more."""
    wanted = wanted_in(sentence.text, reading.today)
    if wanted is None or wanted.before or wanted.said.ahead is not None:
        return None
    asked, *more = reminders_of(wanted, reading.moment)
    if (
        more
        or not isinstance(asked, ReminderAsked)
        or asked.rule is not None
        or asked.assumed not in (None, "hour")
    ):
        return None
    at = asked.due.time() if asked.assumed is None else None
    return RecordDraft(
        "task", asked.due.date(), sentence.text, one_line(asked.text, most=300), occurred_at=at
    )


def _is_duty(sentence: Sentence) -> bool:
    """Return whether it is due by a day, or on one without an hour: "we need to call Tom before Friday"."""
    duty = _DUTY.match(sentence.folded)
    return duty is not None and bool(sentence.days) and (sentence.has(_DEADLINE) or not sentence.times)


def _thing(text: str) -> str:
    """Return what is to be done, without the words that only say so."""
    text = OPENING.sub("", text)
    for lead in (_NOT_TO_FORGET, OBLIGED):
        found = lead.match(fold(text))
        text = text[found.end() :] if found and text[found.end() :].strip() else text
    return text


def _only_time(reading: Reading) -> time | None:
    """Return the only time of a message, wherever it stands: "The party is on Friday. It starts at 20:00"."""
    times = [
        moment.at
        for sentence in reading.sentences
        for moment in sentence.times
        if not _ENDS.match(sentence.folded)
    ]
    return times[0] if len(times) == 1 else None
