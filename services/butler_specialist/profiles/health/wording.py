"""Facts of health as they are said back (pure): everybody but the writer by name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_specialist.questions.persons import called, possessive
from butler_specialist.questions.wording import joined, quoted, when_text
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.household import Whose

__all__ = ["NAMES", "dose_text", "noted_text", "quantity"]

NAMES: Final = {
    "blood_pressure": "blood pressure",
    "weight": "weight",
    "pulse": "pulse",
    "temperature": "temperature",
    "glucose": "glucose",
    "height": "height",
}


def quantity(item: RecordDraft) -> str:
    """`38.9 °C`, `120/80 mmHg`."""
    value = format(item.quantity.normalize(), "f") if item.quantity is not None else "?"
    second = f"/{format(item.quantity_second.normalize(), 'f')}" if item.quantity_second is not None else ""
    return f"{value}{second} {item.unit or ''}".strip()


def noted_text(drafts: Sequence[RecordDraft], whose: Whose) -> str:
    """What was taken of a message, with its person and its day."""
    values = [draft for draft in drafts if draft.kind == "measurement"]
    said = [_values_text(values, whose)] if values else []
    said += [f"{_of(draft, whose)}{dose_text(draft)}" for draft in drafts if draft.kind == "medication"]
    said += [_allergy_text(draft, whose) for draft in drafts if draft.kind == "allergy"]
    said += [_appointment_text(draft) for draft in drafts if draft.kind == "appointment"]
    return "; ".join(said)


def dose_text(item: RecordDraft) -> str:
    """`ibuprofen 400 mg on Sunday, 22 November 2026 at 15:00`."""
    name = item.title or "a medication whose name I could not read"
    often = f" {item.details['frequency']}" if "frequency" in item.details else ""
    until = (
        f", until {day_text(date.fromisoformat(item.details['until']))}" if "until" in item.details else ""
    )
    day = when_text(item.occurred_on, item.occurred_at)
    return f"{name} {quantity(item)}{often}{', from' if until or often else ' on'} {day}{until}"


def _values_text(values: Sequence[RecordDraft], whose: Whose) -> str:
    days = {(item.occurred_on, item.occurred_at) for item in values}
    named = [
        f"{_of(item, whose)}{NAMES.get(item.code or '', item.code or '')} {quantity(item)}" for item in values
    ]
    if len(days) == 1:
        return f"{joined(named)} on {when_text(values[0].occurred_on, values[0].occurred_at)}"
    return "; ".join(
        f"{name} on {when_text(item.occurred_on, item.occurred_at)}"
        for name, item in zip(named, values, strict=True)
    )


def _allergy_text(draft: RecordDraft, whose: Whose) -> str:
    who = called(draft.party, whose)
    return f"{who} {'are' if who == 'you' else 'is'} allergic to {draft.title}"


def _appointment_text(draft: RecordDraft) -> str:
    return f"for {when_text(draft.occurred_on, draft.occurred_at)}: {quoted(draft.text)}"


def _of(draft: RecordDraft, whose: Whose) -> str:
    return f"{possessive(called(draft.party, whose))} " if draft.party else ""
