"""A record as people read it (pure): what it is about, when, and what was measured, paid or booked."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from butler_dashboard.reads.record_models import RecordSummary

__all__ = ["about_when", "facts", "kind_word", "shown_title"]

_KINDS: Final = {
    "list_item": "on a list",
    "list_removal": "off a list",
}


def kind_word(kind: str) -> str:
    """Return a kind of record in everyday words."""
    return _KINDS.get(kind, kind.replace("_", " "))


def shown_title(record: RecordSummary) -> str:
    """Return the record's title, else the words it was told in; of a private one neither."""
    if record.is_withheld:
        return "(private)"
    return record.title or " ".join(record.text.split()) or "(no text)"


def about_when(record: RecordSummary, today: date) -> str:
    """Return `today` or `Thu 26 Nov, 15:30`, with the year when it is not this one."""
    day, at = record.occurred_on, record.occurred_at
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}.get((day - today).days)
    far = f"{day:%a} {day.day} {day:%b}" + ("" if day.year == today.year else f" {day.year}")
    return (near or far) + (f", {at:%H:%M}" if at is not None else "")


def facts(record: RecordSummary) -> tuple[str, ...]:
    """Return the record's details besides its text: sum, measurement, party, place, code."""
    return tuple(
        part for part in (_sum(record), _measure(record), record.party, record.place, _code(record)) if part
    )


def _code(record: RecordSummary) -> str | None:
    """Return the code as written; a measurement's code is one of our names, such as `blood_pressure`."""
    measured = record.kind == "measurement" and record.code
    return record.code.replace("_", " ") if measured and record.code else record.code


def _sum(record: RecordSummary) -> str | None:
    if record.amount is None:
        return None
    return f"{record.amount:,.2f} {record.currency or ''}".strip()


def _measure(record: RecordSummary) -> str | None:
    if record.quantity is None:
        return None
    numbers = "/".join(_plain(one) for one in (record.quantity, record.quantity_second) if one is not None)
    return f"{numbers} {record.unit or ''}".strip()


def _plain(number: Decimal) -> str:
    """Format a number without trailing zeros: `80`, `4.5`."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
