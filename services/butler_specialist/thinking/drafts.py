"""A model's arguments as records, and records as a model reads them (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from butler_contracts.errors import ValidationFailed
from butler_contracts.text import plain_line
from butler_specialist.store.model import Record, RecordDraft, as_draft, dated
from butler_specialist.understanding.prose import one_line

__all__ = ["Told", "added", "shown", "updated"]

_TEXTS: Final = ("title", "currency", "unit", "party", "place", "code")
_NUMBERS: Final = ("amount", "quantity", "quantity_second")
_DETAILS: Final = ("to", "arrives", "until", "booking")
_NAME_CHARS: Final = 300
_SHOWN_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Told:
    """What a session knows of its message: its words, its day in the sender's zone, the currency."""

    text: str
    today: date
    currency: str


def added(args: Mapping[str, Any], told: Told) -> RecordDraft:
    """Return the record that `record_add` asks for.

    Its text is the message's own words, never the model's.
    """
    quote = args["quote"].strip()
    draft = RecordDraft(
        kind=args["kind"], occurred_on=told.today, text=quote if quote and quote in told.text else told.text
    )
    return _said(draft, args, told)


def updated(record: Record, args: Mapping[str, Any], told: Told) -> RecordDraft:
    """Return the changed record; fields that are not named stay."""
    return _said(as_draft(record), args, told)


def shown(record: Record) -> dict[str, Any]:
    """Return a record as a model reads it: its known fields and its id."""
    fields = {name: value for name in (*_TEXTS, *_NUMBERS) if (value := getattr(record, name)) is not None}
    details = {name: record.details[name] for name in _DETAILS if name in record.details}
    days = {"occurred_on": record.occurred_on, "done_on": record.done_on, "occurred_at": record.occurred_at}
    known = {name: value for name, value in days.items() if value is not None} | fields | details
    words = one_line(record.text, most=_SHOWN_CHARS)
    return {
        "id": str(record.record_id),
        "kind": record.kind,
        **{name: _plain(value) for name, value in known.items()},
        "words": words,
    }


def _said(draft: RecordDraft, args: Mapping[str, Any], told: Told) -> RecordDraft:
    try:
        given: dict[str, Any] = {name: _name(args[name]) for name in _TEXTS if name in args}
        given |= {name: Decimal(str(args[name])) for name in _NUMBERS if name in args}
        given |= {name: date.fromisoformat(args[name]) for name in ("occurred_on", "done_on") if name in args}
        if "occurred_at" in args:
            given["occurred_at"] = time.fromisoformat(args["occurred_at"])
        details = {name: _detail(name, args[name]) for name in _DETAILS if name in args}
    except (ValueError, InvalidOperation) as wrong:
        raise ValidationFailed(f"a day, an hour or a number that is none: {wrong}") from wrong
    known = dated(draft.details) if "occurred_on" in given else draft.details
    said = replace(draft, **given, details={**known, **details})
    if said.amount is not None and said.currency is None and told.currency:
        said = replace(said, currency=told.currency)
    if said.kind == "list_item" and said.code is None:
        said = replace(said, code="shopping")
    return said


def _detail(name: str, value: str) -> str:
    if name == "until":
        return date.fromisoformat(value).isoformat()
    return time.fromisoformat(value).strftime("%H:%M") if name == "arrives" else _name(value)


def _name(value: str) -> str:
    line = plain_line(value, most=_NAME_CHARS)
    if not line:
        raise ValueError("an empty name")
    return line


def _plain(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.strftime("%H:%M") if isinstance(value, time) else str(value)
