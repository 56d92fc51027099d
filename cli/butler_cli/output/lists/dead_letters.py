"""Dead letters as a table: what failed, when, why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("DEAD LETTER", gives="id"),
    Column("AGE", "right"),
    Column("WHAT", gives="flexible"),
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
        entry.get("dead_letter_id"),
        age(entry.get("created_at"), now),
        _what(entry),
        entry.get("state"),
        entry.get("attempts_count", entry.get("attempts")),
        entry.get("request_id"),
        f"{entry.get('error_class')}: {entry.get('error_message')}",
    )


def _what(entry: Mapping[str, Any]) -> str:
    if entry.get("service") == "messenger":
        return (
            f"{entry.get('intent')} by {entry.get('channel')} to {entry.get('target_identity') or 'nobody'}"
        )
    return f"request to {', '.join(entry.get('targets') or ()) or 'nobody'}"
