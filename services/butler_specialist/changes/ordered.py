"""Decides an operator's order: a record withdrawn, edited, or restored (pure; ADR 0042)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import Conflict, ValidationFailed
from butler_contracts.record_orders import EDITABLE, UNDO_HOURS, RecordOrder, RecordVerb, read_values
from butler_specialist.changes.correct import CORRECTED
from butler_specialist.changes.undo import UNDONE
from butler_specialist.store.model import Record, RecordChange, as_draft, dated

__all__ = ["WITHDRAWN", "LastChange", "decided", "kept_fields"]

WITHDRAWN: Final = "withdrawn"


@dataclass(frozen=True, slots=True)
class LastChange:
    """The last change of a record: its former state, the request, and whether it is less than a day old."""

    request_id: UUID
    former: Record
    fresh: bool


def decided(verb: RecordVerb, order: RecordOrder, record: Record, last: LastChange | None) -> RecordChange:
    """Return the change to make. Raises `Conflict` if the record has changed since, `ValidationFailed`."""
    if record.version != order.version:
        raise Conflict("It was changed meanwhile; look at it as it is now.")
    if verb == "undo":
        return _undone(record, last)
    if record.withdrawn:
        raise Conflict("It is withdrawn already; put it back first, if it is to stand.")
    if verb == "withdraw":
        return RecordChange(record.record_id, record.version, WITHDRAWN)
    return _edited(order.values, record)


def kept_fields(record: Record) -> frozenset[str]:
    """Return the fields that the record has a value for."""
    return frozenset(name for name in EDITABLE if getattr(record, name) is not None)


def _edited(typed: Mapping[str, str], record: Record) -> RecordChange:
    before = as_draft(record)
    values: dict[str, Any] = read_values(record.kind, kept_fields(record), typed)
    after = replace(before, **values)
    if after == before:
        raise ValidationFailed("Nothing is different from what is kept.")
    if after.occurred_on != before.occurred_on:
        after = replace(after, details=dated(after.details))
    return RecordChange(record.record_id, record.version, CORRECTED, after)


def _undone(record: Record, last: LastChange | None) -> RecordChange:
    if last is None:
        raise Conflict("It was never changed, so there is nothing to undo.")
    if not last.fresh:
        raise Conflict(f"Its last change is more than {UNDO_HOURS} hours ago and cannot be undone; edit it.")
    after = None if last.former.withdrawn else as_draft(last.former)
    return RecordChange(record.record_id, record.version, UNDONE, after, undoes=last.request_id)
