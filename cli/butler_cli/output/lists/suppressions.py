"""Suppressions as a table: who is not written to unasked, since when, why and by whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age, timestamp
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("SUPPRESSION", gives="id"),
    Column("AGE", "right"),
    Column("STATE"),
    Column("CHANNEL"),
    Column("TO", gives="flexible"),
    Column("WHY", gives="flexible"),
    Column("BY", gives="flexible"),
    Column("FIRST REFUSED", gives="optional"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    refused = entry.get("refused_at")
    person, address = entry.get("person"), entry.get("target_identity")
    return (
        entry.get("suppression_id"),
        age(entry.get("created_at"), now),
        str(entry.get("state")).replace("_", " "),
        entry.get("channel"),
        f"{person} ({address})" if person else address,
        f"{entry.get('reason')}: {entry.get('evidence')}",
        entry.get("created_by"),
        timestamp(refused) if refused else None,
    )
