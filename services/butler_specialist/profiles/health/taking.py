# ruff: noqa: E501 - patterns stay on one line
"""Medicines that a clause says are taken, as if by the sender: how much, at what hours, from when (pure).

Invariant: a medicine given up ("no more ramipril") is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from butler_kit.wording.folding import fold
from butler_kit.wording.medicines import GENERIC
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.course_parts import Part, parts_of
from butler_specialist.understanding.courses import Course, course_in
from butler_specialist.understanding.measurements import Dose
from butler_specialist.understanding.medicines import Medicine, medicines_in
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.recurrence import recurrence_in
from butler_specialist.understanding.repeats import repeat_in

__all__ = ["Placed", "medications_of"]

Placed = tuple[RecordDraft, int, int]
"""A fact, and its place in the sentence."""

_NO_MORE: Final = re.compile(
    r"\b(?:no more|no longer(?: taking)?|not|stopped(?: taking)?|instead of|without|ohne|statt|anstatt|keine?n?|nicht mehr|plus de|au lieu d[eu]|sans|ya no (?:tom\w+ )?|sin|en vez de)\W+(?:(?:the|my|das|mein|die|le|la|el) )?$"
)
"""Words before a medicine that is not taken."""
_UNTIL: Final = re.compile(r"\b(?:until|till|bis(?: zum)?|jusqu'au|hasta(?: el)?)\s*$")


def medications_of(sentence: Sentence, reading: Reading) -> list[Placed]:
    """Return the medicines of a clause in order; if it has a value, only those with a dose."""
    values = [(item.start, item.end) for item in sentence.measurements]
    doses = [dose for dose in sentence.doses if not any(start <= dose.start < end for start, end in values)]
    medicines = [
        one for one in medicines_in(sentence.text) if not _NO_MORE.search(sentence.folded[: one.start])
    ]
    course = course_in(sentence.text, reading.moment) if doses or (medicines and not values) else None
    parts = parts_of(sentence, medicines, course) if course is not None else []
    taken = [_taken(one, sentence, reading, parts) for one in medicines] if parts and not doses else []
    taken += [
        (_dose(dose, sentence, reading, _part_at(dose.start, parts)), dose.start, dose.end) for dose in doses
    ]
    return [*taken, *_beside(medicines, taken, sentence, reading, parts)] if sentence.doses else taken


def _part_at(start: int, parts: Sequence[Part]) -> tuple[Sentence, Course] | None:
    """Return the words about the medicine at a place, and its course; None if there is none."""
    found = [part for part in parts if part[0] <= start]
    return found[-1][1:] if found else None


def _taken(medicine: Medicine, sentence: Sentence, reading: Reading, parts: Sequence[Part]) -> Placed:
    """Return what is taken at set hours, though nobody said how much."""
    draft = RecordDraft(
        kind="medication",
        title=medicine.name,
        occurred_on=reading.today,
        quantity=medicine.amount,
        text=reading.text_of(sentence),
    )
    part = _part_at(medicine.start, parts)
    return draft if part is None else _on_course(draft, part[1], part[0]), medicine.start, medicine.end


def _on_course(draft: RecordDraft, course: Course, sentence: Sentence) -> RecordDraft:
    """Return the same with its hours, its first day and its last."""
    details = {**draft.details, **course.details}
    said = recurrence_in(sentence.folded) or repeat_in(sentence.folded)
    if said is not None and "frequency" not in details:
        details["frequency"] = sentence.text[said.start : said.end]
    if course.ends is not None and "until" not in details:
        details["until"] = course.ends.date().isoformat()
    return replace(draft, occurred_on=course.first_day, occurred_at=None, details=details)


def _dose(
    dose: Dose, sentence: Sentence, reading: Reading, on: tuple[Sentence, Course] | None
) -> RecordDraft:
    until = next((day for day in sentence.days if _UNTIL.search(sentence.folded[: day.start])), None)
    others = [day for day in sentence.days if day is not until]
    when = reading.when(sentence, "past", usual="past")
    details: dict[str, str] = {}
    if dose.frequency and (on is None or on[0] is sentence):
        details["frequency"] = dose.frequency
    if until is not None:
        details["until"] = until.on("future").isoformat()
    draft = RecordDraft(
        kind="medication",
        title=_named(dose, sentence),
        occurred_on=others[0].on(sentence.side("past")) if others else reading.today if until else when.day,
        occurred_at=when.at,
        quantity=dose.amount,
        unit=dose.unit,
        details=details,
        text=reading.text_of(sentence),
    )
    return draft if on is None else _on_course(draft, on[1], on[0])


def _named(dose: Dose, sentence: Sentence) -> str | None:
    """Return the full name if its first word was read: "vitamin D"; for a nameless dose the only medicine."""
    if dose.medication is None:
        only = medicines_in(sentence.text)
        return only[0].name if len(only) == 1 and len(sentence.doses) == 1 else None
    first = fold(dose.medication)
    whole = (one.name for one in medicines_in(sentence.text) if fold(one.name).startswith(f"{first} "))
    return next(whole, dose.medication)


def _beside(
    medicines: Sequence[Medicine],
    facts: Sequence[Placed],
    sentence: Sentence,
    reading: Reading,
    parts: Sequence[Part],
) -> list[Placed]:
    """Return the medicines named beside a dose of another."""
    known = " ".join(fold(draft.title or "") for draft, _, _ in facts)
    return [
        _taken(one, sentence, reading, parts)
        if len(parts) > 1
        else (_dose_unsaid(one.name, sentence, reading), one.start, one.end)
        for one in medicines
        if fold(one.name) not in known and fold(one.name) not in GENERIC
    ]


def _dose_unsaid(name: str, sentence: Sentence, reading: Reading) -> RecordDraft:
    """Return a medicine beside a dose of another, with its amount unknown."""
    when = reading.when(sentence, "past", usual="past")
    return RecordDraft(kind="medication", title=name, occurred_on=when.day, text=reading.text_of(sentence))
