"""Backfill jobs as a table: source and days, progress, cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("JOB", gives="id"),
    Column("AGE", "right"),
    Column("SOURCE", gives="flexible"),
    Column("FROM"),
    Column("TO"),
    Column("STATE"),
    Column("TAKEN", "right"),
    Column("SKIPPED", "right", gives="optional"),
    Column("SPENT", "right", gives="optional"),
    Column("CONNECTOR", gives="optional"),
    Column("PROBLEM", gives="flexible"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    spent = entry.get("cost_spent_cents")
    return (
        entry.get("job_id"),
        age(entry.get("created_at"), now),
        entry.get("endpoint_identity"),
        entry.get("date_from"),
        entry.get("date_to"),
        entry.get("status"),
        entry.get("rows_processed"),
        entry.get("rows_skipped"),
        f"{spent / 100:.2f}" if isinstance(spent, int | float) else None,
        entry.get("connector_liveness"),
        entry.get("error"),
    )
