"""Deliveries as a table: recipient, channel, state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age, timestamp
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
        _problem(entry),
    )


def _problem(entry: Mapping[str, Any]) -> str | None:
    error, quiet_until = entry.get("error"), entry.get("quiet_until")
    if isinstance(error, dict):
        return f"{error.get('class')}: {error.get('message')}"
    return f"quiet hours until {timestamp(quiet_until)}" if quiet_until else None
