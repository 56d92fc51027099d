"""Records as a table: day, butler, words, sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.tables import Column, table

__all__ = ["row_of", "table_of"]

COLUMNS: Final = (
    Column("DAY"),
    Column("BUTLER"),
    Column("KIND"),
    Column("TOLD BY"),
    Column("WHAT", gives="flexible"),
    Column("SUM", align="right"),
    Column("STATE", gives="optional"),
    Column("ID", gives="id"),
)


def table_of(found: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [row_of(entry) for entry in found])


def row_of(entry: Mapping[str, Any]) -> tuple[object, ...]:
    """Return one record, column by column."""
    at = str(entry.get("occurred_at") or "")[:5]
    day = str(entry.get("occurred_on") or "")
    return (
        f"{day} {at}".strip(),
        entry.get("butler"),
        entry.get("kind"),
        entry.get("person"),
        entry.get("text") or "(private)",
        _value(entry),
        entry.get("state"),
        entry.get("record_id"),
    )


def _value(entry: Mapping[str, Any]) -> str | None:
    """Return the sum, or what was measured: `12.50 EUR`, `128/82 mmHg`."""
    amount, numbers = entry.get("amount"), [entry.get("quantity"), entry.get("quantity_second")]
    if amount is not None:
        return f"{_plain(amount):,.2f} {entry.get('currency') or ''}".strip()
    said = "/".join(f"{_plain(one).normalize():f}" for one in numbers if one is not None)
    return f"{said} {entry.get('unit') or ''}".strip() or None


def _plain(value: object) -> Decimal:
    return Decimal(str(value))
