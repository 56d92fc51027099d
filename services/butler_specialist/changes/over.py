"""Handles "Leo is done with the antibiotics": ends the stored course (pure).

Invariant: if no current course fits, or those of several people do, nothing is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from butler_kit.wording.folding import fold
from butler_kit.wording.medicines import ANTIBIOTIC
from butler_specialist.changes.case import Case
from butler_specialist.changes.settled import Settled, which_one
from butler_specialist.locale import noop
from butler_specialist.store.model import Record, RecordChange, as_draft
from butler_specialist.understanding.course_ends import ended_in, means_any_medicine
from butler_specialist.understanding.courses import course_of

__all__ = ["ended", "over"]

_OVER: Final = "done"
_ALIKE: Final = 6
"""The number of leading letters on which the languages agree: amoxicillin, Amoxicilline, amoxicilina."""


def over(case: Case) -> Settled | None:
    """Return None if the clause ends no stored course."""
    said = ended_in(case.said)
    going = [row for row in case.rows if said and _goes_on(row, case)]
    mine = _of_the_person(going, case)
    meant = next((rows for words in said if (rows := [row for row in mine if _is_meant(row, words)])), [])
    if not meant:
        return None
    if len({fold(row.party or "") for row in meant}) > 1:
        return which_one(case.said, case.reading.moment, meant, case.words)
    return ended(case, meant)


def ended(case: Case, rows: Sequence[Record]) -> Settled:
    """End these courses now."""
    day = case.reading.today
    changes = tuple(
        RecordChange(row.record_id, row.version, _OVER, replace(as_draft(row), done_on=day)) for row in rows
    )
    said = case.words.tell(noop("No longer taken: {what}."), what=case.words.entries(_newest(rows)))
    return Settled(said, changes=changes)


def _goes_on(row: Record, case: Case) -> bool:
    course = course_of(row.details) if row.kind == "medication" and row.done_on is None else None
    now: datetime = case.reading.moment.replace(tzinfo=None)
    return course is not None and (course.ends is None or course.ends > now)


def _of_the_person(rows: Sequence[Record], case: Case) -> Sequence[Record]:
    """Return the rows of the person named in the clause; if it names nobody, all that may be meant."""
    words = frozenset(case.request.sentence.folded.replace("'", " ").split())
    named = [row for row in rows if row.party and fold(row.party).split()[0] in words]
    return named or [row for row in rows if not row.party or not _speaks_of_me(words)]


def _speaks_of_me(words: frozenset[str]) -> bool:
    return bool(words & {"i", "i'm", "ich", "je", "j", "my", "meine", "mein", "he", "tomo", "bin", "nehme"})


def _is_meant(row: Record, words: frozenset[str]) -> bool:
    """Return whether the words are its name, its kind of medicine, or a word for any medicine."""
    name = fold(row.title or "")
    if means_any_medicine(words):
        return True
    if any(ANTIBIOTIC.search(word) and word.startswith("antibioti") for word in words):
        return any(ANTIBIOTIC.search(part) is not None for part in name.split())
    return any(word[:_ALIKE] == part[:_ALIKE] for word in words if len(word) > 3 for part in name.split())


def _newest(rows: Sequence[Record]) -> Sequence[Record]:
    """Return one row per name: a medicine told twice is the same one."""
    return list({fold(row.title or ""): row for row in sorted(rows, key=lambda row: row.seq)}.values())
