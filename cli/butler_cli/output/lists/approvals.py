"""Approvals as a table: who wants to say what to whom, until when it waits, what was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age, timestamp
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("APPROVAL", gives="id"),
    Column("AGE", "right"),
    Column("STATE"),
    Column("FROM", gives="flexible"),
    Column("TO", gives="flexible"),
    Column("TEXT", gives="flexible"),
    Column("WAITS UNTIL", gives="optional"),
    Column("DECIDED BY", gives="optional"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    waits = entry.get("state") == "waiting"
    until = entry.get("expires_at")
    return (
        entry.get("approval_id"),
        age(entry.get("requested_at"), now),
        entry.get("state"),
        entry.get("origin_butler"),
        _to(entry),
        entry.get("preview"),
        timestamp(until) if waits and until else None,
        _by(entry),
    )


def _to(entry: Mapping[str, Any]) -> str:
    address = f"{entry.get('channel')}:{entry.get('target_identity') or '-'}"
    person = entry.get("person")
    return f"{person} ({address})" if person else address


def _by(entry: Mapping[str, Any]) -> str | None:
    if entry.get("decided_by") is None:
        return None
    return f"{entry['decided_by']}: {entry.get('reason')}"
