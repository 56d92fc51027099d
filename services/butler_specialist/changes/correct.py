"""Handles "no, 66", "the plumber was 140, not 130" and "move the dentist to Friday" (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Final

from butler_specialist.changes.amend_hours import moved_by
from butler_specialist.changes.case import Case
from butler_specialist.changes.named import Found, fitting, named_in
from butler_specialist.changes.settled import Settled, which_one
from butler_specialist.locale import noop
from butler_specialist.store.model import Record, RecordChange, RecordDraft, as_draft, dated
from butler_specialist.understanding.corrections import Correction, correction_of, when_spans
from butler_specialist.understanding.day import Side
from butler_specialist.understanding.sentence import Sentence
from butler_specialist.understanding.told_words import MOVED_BY

__all__ = ["CORRECTED", "MOVED", "applies", "correct", "put_right"]

CORRECTED: Final = "corrected"
MOVED: Final = "moved"
_PAST: Final = frozenset({"expense", "refund", "measurement", "medication", "meeting", "income", "debt"})
_DAYLESS: Final = frozenset({"list_item", "list_removal", "allergy", "contact"})
_TIMED: Final = frozenset(
    {"appointment", "task", "reminder", "flight", "train", "bus", "note", "measurement", "medication"}
)
_LASTING: Final = frozenset({"stay", "appointment"})
"""Kinds that may last several days: `until` is the last."""
_CHANGED: Final = noop("Changed from {old} to {new}: {what}.")
_BEFORE_A_SPAN: Final = re.compile(
    r"(?:\s*\b(?:on|at|for|by|am|um|den|der|dem|le|a|à|el|la|las|para|pour|ce|este|this|next)\b)*+\s*$",
    re.IGNORECASE,
)
"""Words before a day or a time that go with it."""
_LEFT_OVER: Final = re.compile(
    r"\s(?:is|are|was|will be|takes place|ist|war|findet statt|est|etait|es|era|sera)\.?$", re.IGNORECASE
)


def correct(case: Case) -> Settled | None:
    """Return None if it only may be a correction and no entry fits."""
    if case.request.told and MOVED_BY.search(case.request.sentence.folded):
        return _moved_by(case)
    right = correction_of(case.request.sentence)
    named = named_in(case.request.sentence, days=right.wrong_days, sums=right.wrong)
    by_name = fitting(named, case.living, case.reading.today)
    found = by_name if named.words else _of_the_last(case, right)
    rows = [row for row in found.rows if applies(right, row)]
    if right.is_empty:
        return None if case.request.told else _to_what(case, right, found)
    if not rows:
        return None if case.request.told else _not_possible(case, found)
    if len(rows) == 1 and found.exact:
        return put_right(case, rows)
    if case.request.told and not found.exact:
        return None
    return which_one(case.said, case.reading.moment, rows, case.words)


def _moved_by(case: Case) -> Settled | None:
    """Move the one upcoming entry that a clause says is earlier or later by some amount."""
    bare = case.sentence_of(MOVED_BY.sub(" ", case.request.sentence.folded))
    named, today = named_in(bare), case.reading.today
    found = fitting(named, case.living, today).rows if named.words else tuple(case.last_rows)
    coming = [row for row in found if row.occurred_on >= today and row.kind in _TIMED]
    if len(coming) != 1:
        return None
    right = moved_by(case.request.sentence.folded, coming[0])
    return put_right(case, coming, right) if right is not None else None


def put_right(case: Case, rows: Sequence[Record], right: Correction | None = None) -> Settled:
    """Correct the entries and say what they were before.

    `right` is given if the clause alone does not say it.
    """
    right = right or correction_of(case.request.sentence)
    pairs = [(row, _after(right, row, case)) for row in rows if applies(right, row)]
    changes = tuple(
        RecordChange(row.record_id, row.version, MOVED if _is_moved(row, after) else CORRECTED, after)
        for row, after in pairs
    )
    return Settled(" ".join(_said(case, row, after, right) for row, after in pairs), changes=changes)


def _of_the_last(case: Case, right: Correction) -> Found:
    """Return what "it" means: what the last message wrote; if that only asked, the entries it may mean."""
    last = [row for row in case.last_rows if applies(right, row) or right.is_empty]
    kept = [row for row in last if row.amount in right.wrong or row.quantity in right.wrong]
    if last:
        return Found(tuple(kept or last), exact=not right.wrong or bool(kept))
    recent = [row for one in case.earlier for row in reversed(one.told) if not row.withdrawn]
    wrong = [row for row in recent if row.amount in right.wrong or row.quantity in right.wrong]
    return Found(tuple(wrong or recent), exact=False)


def applies(right: Correction, row: Record) -> bool:
    """Return whether the entry has the value that is corrected."""
    if right.value is not None:
        if right.second is not None or row.quantity_second is not None:
            return right.second is not None and row.quantity_second is not None
        return row.amount is not None or (row.quantity is not None and right.currency is None)
    if right.day is not None:
        return row.kind not in _DAYLESS
    return right.hour_for(row.occurred_at) is not None and row.kind in _TIMED


def _after(right: Correction, row: Record, case: Case) -> RecordDraft:
    after = as_draft(row)
    if right.value is not None and row.amount is not None:
        after = replace(after, amount=right.value, currency=right.currency or row.currency)
    elif right.value is not None:
        after = replace(after, quantity=right.value, quantity_second=right.second)
    if (hours := _of_a_course(right, row)) is not None:
        named = {key: value for key, value in row.details.items() if key != "hours_assumed"}
        return replace(after, details={**named, "hours": hours})
    day = _day(right, row, case)
    said = right.hour_for(row.occurred_at)
    at = said if said is not None and row.kind in _TIMED else row.occurred_at
    if day is not None or at != row.occurred_at:
        details = dated(row.details) | _later_end(row, day)
        after = replace(after, occurred_on=day or row.occurred_on, occurred_at=at, details=details)
        after = replace(after, text=_without_its_day(row, case), title=_title(row, case))
    return after


def _later_end(row: Record, day: date | None) -> dict[str, str]:
    """Return the last day, as long after the new first day as before; empty if it lasts one day or stays."""
    until = row.details.get("until")
    if day is None or row.kind not in _LASTING or not isinstance(until, str):
        return {}
    return {"until": (date.fromisoformat(until) + (day - row.occurred_on)).isoformat()}


def _of_a_course(right: Correction, row: Record) -> str | None:
    """Return the new time of a medicine taken once a day; None if anything else is corrected."""
    hours = str(row.details.get("hours") or "").split()
    if row.kind != "medication" or len(hours) != 1 or right.day is not None or right.value is not None:
        return None
    said = right.hour_for(time.fromisoformat(hours[0]))
    return f"{said:%H:%M}" if said is not None else None


def _day(right: Correction, row: Record, case: Case) -> date | None:
    if right.day is None or right.value is not None:
        return None
    side, today = _side(row, case), case.reading.today
    day = right.day.on(side)
    # For what is still to come, today's weekday means the next one.
    later = side == "future" and right.day.form == "weekday" and day == today < row.occurred_on
    return day + timedelta(days=7) if later else day


def _side(row: Record, case: Case) -> Side:
    """Return on which side of today the right day is: what has been does not come because its day was wrong."""
    today, said = case.reading.today, case.request.sentence.said_side
    if row.kind in _PAST:
        return "past"
    if said == "future" or row.occurred_on > today:
        return "future"
    # A note of yesterday tells what was; an appointment that was missed may still be moved to come.
    was = said == "past" or (row.kind == "note" and row.occurred_on < today)
    return "past" if was else "future"


def _without_its_day(row: RecordDraft, case: Case) -> str:
    """The words of an entry without the days and hours that no longer hold."""
    return _bare(case.sentence_of(row.text)) or row.text


def _title(row: RecordDraft, case: Case) -> str | None:
    if row.kind not in ("task", "reminder") or row.title is None:
        return row.title
    return _bare(case.sentence_of(row.title)) or row.title


def _bare(sentence: Sentence) -> str:
    text = sentence.text
    for start, end in reversed(when_spans(sentence)):
        before = text[:start]
        cut = _BEFORE_A_SPAN.search(before)
        text = f"{before[: cut.start()] if cut else before} {text[end:]}"
    text = re.sub(r"\s+(?=[,.;!?]|$)", "", re.sub(r"\s{2,}", " ", text)).strip(" ,;:")
    return _LEFT_OVER.sub("", text).strip(" ,;:")


def _is_moved(row: RecordDraft, after: RecordDraft) -> bool:
    return (row.occurred_on, row.occurred_at) != (after.occurred_on, after.occurred_at)


def _said(case: Case, row: Record, after: RecordDraft, right: Correction) -> str:
    words = case.words
    old, new = (str(one.details.get("hours", "")) for one in (row, after))
    if old != new:
        return words.tell(_CHANGED, what=words.subject(after), old=old, new=new)
    if _is_moved(row, after):
        said = words.tell(
            noop("Moved: {what}, from {old} to {new}."),
            what=words.named(after),
            old=words.when(row.occurred_on, row.occurred_at),
            new=words.when(after.occurred_on, after.occurred_at),
        )
        if right.unclear_hour is None or after.occurred_at != row.occurred_at:
            return said
        return f"{said} " + words.tell(
            noop("“{hour}” may be morning or evening, so the hour stays as it was."), hour=right.unclear_hour
        )
    return words.tell(
        _CHANGED,
        what=words.subject(after),
        old=words.value(row),
        new=words.value(after),
    )


def _to_what(case: Case, right: Correction, found: Found) -> Settled:
    """Say what is noted, if the message does not give the right value."""
    shown = found.rows[:1]
    if not shown:
        return _not_possible(case, found)
    said = noop(
        "Noted is: {what}. Tell me what is right, like “no, 66” or “no, on Friday at 10:00”, or “delete that”."
    )
    return Settled(case.words.tell(said, what=case.words.entry(shown[0])))


def _not_possible(case: Case, found: Found) -> Settled:
    if not found.rows:
        said = noop("I found nothing noted that fits “{asked}”; nothing is changed.")
        return Settled(case.words.tell(said, asked=case.asked))
    said = noop(
        "That entry has no such value, so it stays: {what}. I can change a sum, a value, a day or an hour; “delete”"
        " with its name takes it back."
    )
    return Settled(case.words.tell(said, what=case.words.entry(found.rows[0])))
