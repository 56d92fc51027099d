"""Deliveries as a table: to whom, by what, how it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("DELIVERY", gives="id"),
    Column("AGE", "right"),
    Column("FROM", gives="optional"),
    Column("INTENT", gives="optional"),
    Column("CHANNEL"),
    Column("TO", gives="flexible"),
    Column("STATE"),
    Column("TRIES", "right", gives="optional"),
    Column("REQUEST", gives="id"),
    Column("PROBLEM", gives="flexible"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    error = entry.get("error")
    problem = f"{error.get('class')}: {error.get('message')}" if isinstance(error, dict) else None
    return (
        entry.get("delivery_id"),
        age(entry.get("created_at"), now),
        entry.get("origin_butler"),
        entry.get("intent"),
        entry.get("channel"),
        entry.get("target_identity"),
        entry.get("status"),
        entry.get("attempts_used"),
        entry.get("request_id"),
        problem,
    )
