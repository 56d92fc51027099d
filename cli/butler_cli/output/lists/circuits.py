"""Circuits as a table: the state of each channel, what opened it, and when it is tried again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age, timestamp
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("CHANNEL"),
    Column("STATE"),
    Column("FAILURES", "right"),
    Column("SINCE", "right", gives="optional"),
    Column("NEXT PROBE", gives="optional"),
    Column("OPENED BY", gives="flexible"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    probe = entry.get("next_probe_at")
    return (
        entry.get("channel"),
        entry.get("state"),
        entry.get("consecutive_failures"),
        age(entry.get("changed_at"), now),
        timestamp(probe) if probe else None,
        entry.get("trip_reason"),
    )
