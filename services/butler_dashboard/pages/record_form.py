"""The form that edits a record (pure): its fields, as a person types them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal

from butler_contracts.record_orders import EDITABLE, TEXT_MAX, editable
from butler_dashboard.reads.record_models import RecordSummary

__all__ = ["Field", "fields_of", "has_of", "shown_values", "typed_in"]

PREFIX: Final = "v."
Input = Literal["textarea", "date", "time", "decimal", "text"]
_INPUTS: Final[Mapping[str, Input]] = {
    "text": "textarea",
    "occurred_on": "date",
    "occurred_at": "time",
    "amount": "decimal",
    "quantity": "decimal",
    "quantity_second": "decimal",
}
_LABELS: Final = {
    "text": "Words",
    "title": "About",
    "occurred_on": "Day",
    "occurred_at": "Hour",
    "amount": "Sum",
    "currency": "Currency",
    "quantity": "Number",
    "quantity_second": "Second number",
    "unit": "Unit",
    "party": "With whom",
    "place": "Where",
    "code": "Code",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its input, its value, and what is wrong with the value."""

    name: str
    label: str
    input: Input
    value: str
    problem: str | None = None

    @property
    def sent_as(self) -> str:
        return f"{PREFIX}{self.name}"


def has_of(record: RecordSummary) -> frozenset[str]:
    """Return the fields that the record has a value for."""
    return frozenset(name for name in EDITABLE if getattr(record, name) is not None)


def fields_of(
    record: RecordSummary, typed: Mapping[str, str] | None = None, problems: Mapping[str, str] | None = None
) -> tuple[Field, ...]:
    """Return the fields in order; `typed` values take precedence over stored ones.

    Words that are longer than an edit may give are not among them.
    """
    typed, problems = typed or {}, problems or {}
    return tuple(
        Field(
            name,
            _LABELS[name],
            _INPUTS.get(name, "text"),
            typed.get(name, _shown(getattr(record, name))),
            problems.get(name),
        )
        for name in editable(record.kind, has_of(record))
        if name != "text" or len(record.text) <= TEXT_MAX
    )


def shown_values(record: RecordSummary) -> str:
    """Return digests of the shown values for the form to carry: they tell edits from changes made meanwhile."""
    return json.dumps({field.name: _digest(field.value) for field in fields_of(record)})


def typed_in(record: RecordSummary, form: Mapping[str, str]) -> dict[str, str]:
    """Return the form's values for the record's fields where they differ from those it was shown with."""
    was = _was(form.get("was", ""))
    return {
        field.name: typed
        for field in fields_of(record)
        # A field that is left empty is not sent.
        if _digest(typed := form.get(field.sent_as, "").replace("\r\n", "\n"))
        != was.get(field.name, _digest(""))
    }


def _digest(value: str) -> str:
    return sha256(value.encode()).hexdigest()[:16]


def _was(text: str) -> dict[str, Any]:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if hasattr(value, "hour"):
        return f"{value:%H:%M}"
    return f"{value:f}" if hasattr(value, "as_tuple") else str(value)
