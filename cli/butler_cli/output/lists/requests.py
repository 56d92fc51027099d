"""Requests as a table: sender, state, butlers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age, instant, span
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("REQUEST", gives="id"),
    Column("AGE", "right"),
    Column("CHANNEL"),
    Column("FROM", gives="flexible"),
    Column("STATE"),
    Column("TOOK", "right", gives="optional"),
    Column("BUTLERS", gives="optional"),
    Column("TEXT", gives="flexible"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    received, ended = instant(entry.get("received_at")), instant(entry.get("final_state_at"))
    took = span((ended - received).total_seconds()) if received and ended else None
    return (
        entry.get("request_id"),
        age(entry.get("received_at"), now),
        entry.get("channel"),
        entry.get("sender_identity"),
        entry.get("lifecycle_state"),
        took,
        " ".join(entry.get("butlers") or ()),
        _said(entry),
    )


def _said(entry: Mapping[str, Any]) -> str:
    error = entry.get("error")
    problem = f"[{error.get('error_class')}] " if isinstance(error, dict) else ""
    return f"{problem}{entry.get('excerpt') or ''}"
