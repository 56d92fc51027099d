"""Schedules as a table: recipient, next due time, outcome of the last run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age, instant, span
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("BUTLER"),
    Column("SCHEDULE"),
    Column("WHEN"),
    Column("FOR"),
    Column("NEXT IN"),
    Column("LAST", gives="flexible"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    last: Mapping[str, Any] = next(iter(entry.get("runs") or ()), {})
    return (
        entry.get("butler"),
        entry.get("name"),
        entry.get("cron"),
        entry.get("to") or (None if entry.get("kind") == "job" else "owner"),
        _ahead(entry.get("next_due"), now),
        _came_to(last, now),
    )


def _ahead(value: object, now: datetime) -> str | None:
    moment = instant(value)
    return span(max(0.0, (moment - now) / timedelta(seconds=1))) if moment is not None else None


def _came_to(run: Mapping[str, Any], now: datetime) -> str | None:
    """Return `done 3 h ago: …`, `missed 3 times, the last 2 d ago`; None before the first run."""
    state, ago = run.get("state"), age(run.get("due_at"), now)
    if state is None:
        return None
    if state == "missed" and int(run.get("moments") or 1) > 1:
        return f"missed {run['moments']} times, the last {ago} ago"
    told = run.get("told")
    return f"{state} {ago} ago" + (f": {told}" if state == "done" and told else "")
