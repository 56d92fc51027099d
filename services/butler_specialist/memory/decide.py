"""PURE: how what is known about somebody changes when more is told, and with time (ADR 0078).

Invariants: one statement stands per slot; what a person asked to be remembered is never dropped for its age alone;
whatever order two replicas decide in, the newest word stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, Literal

from butler_kit.wording.folding import fold, words
from butler_specialist.store.model import Record, RecordChange, RecordDraft, as_draft
from butler_specialist.understanding.about_me import AboutMe

__all__ = [
    "CONFIRMED",
    "EXPIRED",
    "FADED",
    "FORGOTTEN",
    "MERGED",
    "SUPERSEDED",
    "Learned",
    "confidence_of",
    "confirmed",
    "consolidated",
    "draft_of_statement",
    "learned",
    "said_on",
    "until_of",
]

SUPERSEDED: Final = "superseded"
CONFIRMED: Final = "confirmed"
MERGED: Final = "merged"
FADED: Final = "faded"
EXPIRED: Final = "expired"
FORGOTTEN: Final = "forgotten"
"""The cause for withdrawing everything known about a person, at their word: their episodes go with it."""

Basis = Literal["asked", "passing"]
_FIRST: Final = {"asked": 0.9, "passing": 0.6}
_FLOOR: Final = 0.2
"""Below this, a remark made in passing is no longer relied on."""
_NEGATIONS: Final = words(
    "not no don't dont doesn't never longer isn't nicht kein keine keinen keiner mehr nie pas ne plus jamais nunca ya"
    " any more anymore"
)
_WORD: Final = re.compile(r"[\w']+")


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of a statement: a `draft` to store or the `known` record, and what it `supersedes`."""

    draft: RecordDraft | None
    known: Record | None = None
    supersedes: tuple[Record, ...] = ()


def draft_of_statement(told: AboutMe, day: date, *, until: date | None = None) -> RecordDraft:
    """Return the record of a statement made on `day` that holds to the end of `until`."""
    basis: Basis = "asked" if told.asked else "passing"
    details: dict[str, Any] = {"basis": basis, "confidence": str(_FIRST[basis])}
    if until is not None:
        details["until"] = until.isoformat()
    return RecordDraft(told.kind, day, told.said, told.statement, code=told.slot or None, details=details)


def learned(draft: RecordDraft, known: Sequence[Record]) -> Learned:
    """Return the result of `draft` beside what is `known` of the same person, none of it withdrawn."""
    same = next((row for row in known if _says(row) == _says(draft)), None)
    others = tuple(row for row in known if row is not same and _contradicts(draft, row))
    return Learned(draft if same is None else None, same, others)


def confirmed(record: Record, day: date) -> RecordChange:
    """Return the record as repeated on `day`: half of what it lacked to certainty is gained."""
    details = {
        **record.details,
        "confidence": str(round(1 - (1 - _stated(record)) / 2, 3)),
        "confirmed_on": day.isoformat(),
    }
    after = replace(as_draft(record), details=details)
    return RecordChange(record.record_id, record.version, CONFIRMED, after)


def confidence_of(record: RecordDraft, today: date, half_life_days: int) -> float:
    """Return how far it is relied on, 0 to 1: halved after each half-life since it was last said.

    What was to be remembered lasts ten times as long as what was said in passing.
    """
    days = max(0, (today - said_on(record)).days)
    life = half_life_days * (1 if record.details.get("basis") == "passing" else 10)
    return float(_stated(record) * 0.5 ** (days / life))


def said_on(record: RecordDraft) -> date:
    """Return the day on which it was last said."""
    again = record.details.get("confirmed_on")
    return date.fromisoformat(again) if again else record.occurred_on


def until_of(record: RecordDraft) -> date | None:
    """Return the last day on which it is true, if one was given."""
    until = record.details.get("until")
    return date.fromisoformat(until) if until else None


def consolidated(known: Sequence[Record], today: date, half_life_days: int) -> tuple[RecordChange, ...]:
    """Return the changes to one person's records: merged, superseded, expired, faded.

    Of two equal statements the older one stays, confirmed by the newer; of two that contradict each other the newer
    one stays.
    """
    changes: list[RecordChange] = []
    standing: list[Record] = []
    for row in sorted(known, key=lambda one: (said_on(one), one.seq)):
        if (cause := _outlived(row, today, half_life_days)) is not None:
            changes.append(RecordChange(row.record_id, row.version, cause))
            continue
        found = learned(row, standing)
        for other in found.supersedes:
            standing.remove(other)
            changes.append(RecordChange(other.record_id, other.version, SUPERSEDED))
        if found.known is None:
            standing.append(row)
        else:
            changes.append(RecordChange(row.record_id, row.version, MERGED))
            changes.append(confirmed(found.known, said_on(row)))
    return _once(changes)


def _once(changes: Sequence[RecordChange]) -> tuple[RecordChange, ...]:
    """Return one change per record, the last that was decided: a later run decides the rest."""
    return tuple({change.record_id: change for change in changes}.values())


def _outlived(row: Record, today: date, half_life_days: int) -> str | None:
    until = until_of(row)
    if until is not None and until < today:
        return EXPIRED
    passing = row.details.get("basis") == "passing"
    return FADED if passing and confidence_of(row, today, half_life_days) < _FLOOR else None


def _stated(record: RecordDraft) -> float:
    return float(record.details.get("confidence", _FIRST["asked"]))


def _contradicts(draft: RecordDraft, row: Record) -> bool:
    if draft.code is not None and draft.code == row.code:
        return True
    new, old = _words(draft), _words(row)
    plain = new - _NEGATIONS
    return bool(plain) and plain == old - _NEGATIONS and new != old


def _says(record: RecordDraft) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(record.title or record.text).replace("i'm", "i am")))


def _words(record: RecordDraft) -> frozenset[str]:
    return frozenset(_says(record))
