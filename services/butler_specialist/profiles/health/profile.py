"""Measurements and medication: what is kept, and how it is said back (pure). It keeps and repeats, never advises.

A value belongs to whoever sent it: values of two people are never compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_specialist.profiles.profile import Lookup, Profile
from butler_specialist.questions.periods import period_of
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.wording import count_text, joined, quoted, short_day, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import Side, day_text
from butler_specialist.understanding.measurements import Dose, Measurement
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["HealthProfile"]

_NAMES: Final = {
    "blood_pressure": "blood pressure",
    "weight": "weight",
    "pulse": "pulse",
    "temperature": "temperature",
    "glucose": "glucose",
    "height": "height",
}
_ASKED: Final = {
    "blood_pressure": re.compile(r"\b(?:blood pressure|bp|blutdruck|tension|presion)\b"),
    "weight": re.compile(r"\b(?:weigh\w*|weight|gewicht|wiege|poids|pese|peso|peser)\b"),
    "pulse": re.compile(r"\b(?:pulse|heart rate|puls|pouls|pulso)\b"),
    "temperature": re.compile(r"\b(?:temperature|fever|temperatur|fieber|fievre|fiebre)\b"),
    "glucose": re.compile(r"\b(?:glucose|blood sugar|blutzucker|glycemie|glucosa|azucar)\b"),
    "height": re.compile(r"\b(?:height|tall|grosse|taille|estatura)\b"),
}
_MEDICATION: Final = re.compile(
    r"\b(?:medic\w+|medikament\w*|pills?|tablet\w*|dose|taking|nehme|prends|tomo|tomando)\b"
)
_UNTIL: Final = re.compile(r"\b(?:until|till|bis(?: zum)?|jusqu'au|hasta(?: el)?)\s*$")


class HealthProfile(Profile):
    """Medications, measurements, conditions, symptoms and diet."""

    name = "health"
    triggers = ("medications", "measurements", "conditions", "symptoms", "diet")

    def asked(self, reading: Reading) -> Lookup | None:
        if not is_question(reading) or any(
            sentence.measurements or sentence.doses for sentence in reading.sentences
        ):
            return None
        period = period_of(reading)
        kinds = (
            ("measurement",)
            if _asked_codes(reading)
            else ("medication",)
            if reading.has(_MEDICATION)
            else ("note",)
        )
        return Lookup(kinds, period.start if period else None, period.end if period else None)

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        period = period_of(reading)
        label = f" {period.label}" if period else ""
        codes = _asked_codes(reading)
        if codes:
            return " ".join(
                _series_text(code, rows, reading, label, whole=period is not None) for code in codes
            )
        if reading.has(_MEDICATION):
            return _medications_text(rows, label)
        found = [row for row in rows if _mentions(reading, row)]
        if not found:
            return f"No health note{label} speaks of that."
        shown = joined(
            [
                f"{quoted(row.text, most=140)} ({short_day(row.occurred_on, reading.today)})"
                for row in found[:6]
            ]
        )
        return f"I found {count_text(len(found), 'note')}: {shown}."

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        drafts = [draft for sentence in reading.sentences for draft in _drafts(sentence, reading)]
        if drafts:
            return tuple(drafts)
        day = reading.days[0].on("past") if reading.days else reading.today
        return (RecordDraft(kind="note", occurred_on=day, text=reading.text),)

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        return Lookup(("measurement",)) if any(draft.kind == "measurement" for draft in drafts) else None

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        values = [draft for draft in drafts if draft.kind == "measurement"]
        doses = [draft for draft in drafts if draft.kind == "medication"]
        said: list[str] = []
        if values:
            said.append(_values_text(values))
        said += [_dose_text(draft) for draft in doses]
        if not said:
            kept = f"Kept as a health note of {when_text(drafts[0].occurred_on)}"
            return f"{kept}: {quoted(reading.text)} I could read no measurement in it."
        before = [text for draft in values if (text := _before_text(draft, rows, reading))]
        return " ".join([f"Noted: {'; '.join(said)}.", *before])


def _drafts(sentence: Sentence, reading: Reading) -> list[RecordDraft]:
    values = [_value(item, sentence, reading) for item in sentence.measurements]
    weights = [(item.start, item.end) for item in sentence.measurements]
    doses = [
        _dose(dose, sentence, reading)
        for dose in sentence.doses
        if not any(start <= dose.start < end for start, end in weights)
    ]
    return values + doses


def _value(item: Measurement, sentence: Sentence, reading: Reading) -> RecordDraft:
    day, _ = reading.day_for(sentence, "past")
    return RecordDraft(
        kind="measurement",
        code=item.kind,
        occurred_on=day,
        occurred_at=sentence.times[0].at if sentence.times else None,
        quantity=item.value,
        quantity_second=item.second,
        unit=item.unit,
        text=reading.text_of(sentence),
    )


def _dose(dose: Dose, sentence: Sentence, reading: Reading) -> RecordDraft:
    until = next((day for day in sentence.days if _UNTIL.search(sentence.folded[: day.start])), None)
    others = [day for day in sentence.days if day is not until]
    side: Side = "past"
    details: dict[str, str] = {}
    if dose.frequency:
        details["frequency"] = dose.frequency
    if until is not None:
        details["until"] = until.on("future").isoformat()
    return RecordDraft(
        kind="medication",
        title=dose.medication,
        occurred_on=others[0].on(side) if others else reading.today,
        quantity=dose.amount,
        unit=dose.unit,
        details=details,
        text=reading.text_of(sentence),
    )


def _quantity(item: RecordDraft) -> str:
    value = format(item.quantity.normalize(), "f") if item.quantity is not None else "?"
    second = f"/{format(item.quantity_second.normalize(), 'f')}" if item.quantity_second is not None else ""
    return f"{value}{second} {item.unit or ''}".strip()


def _values_text(values: Sequence[RecordDraft]) -> str:
    days = {(item.occurred_on, item.occurred_at) for item in values}
    named = [f"{_NAMES.get(item.code or '', item.code or '')} {_quantity(item)}" for item in values]
    if len(days) == 1:
        return f"{joined(named)} on {when_text(values[0].occurred_on, values[0].occurred_at)}"
    return "; ".join(
        f"{name} on {when_text(item.occurred_on, item.occurred_at)}"
        for name, item in zip(named, values, strict=True)
    )


def _dose_text(item: RecordDraft) -> str:
    name = item.title or "a medication whose name I could not read"
    often = f" {item.details['frequency']}" if "frequency" in item.details else ""
    until = f", until {day_text(_day(item.details['until']))}" if "until" in item.details else ""
    start = f", from {day_text(item.occurred_on)}" if until or often else f" on {day_text(item.occurred_on)}"
    return f"{name} {_quantity(item)}{often}{start}{until}"


def _before_text(draft: RecordDraft, rows: Sequence[Record], reading: Reading) -> str:
    earlier = [
        row
        for row in rows
        if row.code == draft.code and row.sender == reading.sender and row.occurred_on <= draft.occurred_on
    ]
    if not earlier:
        return ""
    row = earlier[0]
    name, day = _NAMES.get(draft.code or "", draft.code or ""), short_day(row.occurred_on, reading.today)
    return f"The last {name} before that was {_quantity(row)} ({day})."


def _asked_codes(reading: Reading) -> list[str]:
    return [code for code, pattern in _ASKED.items() if reading.has(pattern)]


def _series_text(code: str, rows: Sequence[Record], reading: Reading, label: str, *, whole: bool) -> str:
    name, series = _NAMES[code], _own_first([row for row in rows if row.code == code], reading)
    if not series:
        return f"No {name} is recorded{label or ' yet'}."
    if whole:
        shown = joined(
            [f"{_quantity(row)} ({short_day(row.occurred_on, reading.today)})" for row in series[:10]]
        )
        return f"{_whose(series, reading)} {name}{label}: {shown}."
    last = series[0]
    before = (
        f" Before that: {_quantity(series[1])} on {day_text(series[1].occurred_on)}."
        if len(series) > 1
        else ""
    )
    return (
        f"Your last {name} was {_quantity(last)} on {when_text(last.occurred_on, last.occurred_at)}.{before}"
    )


def _own_first(rows: list[Record], reading: Reading) -> list[Record]:
    """The sender's own values; without any, those of whoever in the household measured last: never mixed."""
    own = [row for row in rows if row.sender == reading.sender]
    return own or [row for row in rows if row.sender == rows[0].sender]


def _whose(series: Sequence[Record], reading: Reading) -> str:
    sender = series[0].sender
    return "Your" if sender == reading.sender else f"Nothing came from you here; of {sender}, the"


def _medications_text(rows: Sequence[Record], label: str) -> str:
    if not rows:
        return f"No medication is recorded{label or ' yet'}."
    newest: dict[str, Record] = {}
    for row in rows:
        newest.setdefault((row.title or "").casefold(), row)
    return f"Recorded medication{label}: {'; '.join(_dose_text(row) for row in list(newest.values())[:8])}."


def _mentions(reading: Reading, row: Record) -> bool:
    asked = set(re.findall(r"[^\W\d_]{4,}", reading.folded))
    return any(word in f"{row.title or ''} {row.text}".casefold() for word in asked)


def _day(written: str) -> date:
    return date.fromisoformat(written)
