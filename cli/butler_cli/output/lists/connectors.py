"""Connectors as a table: liveness, state, counters, age of the checkpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age
from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("TYPE"),
    Column("SOURCE"),
    Column("LIVENESS"),
    Column("STATE"),
    Column("ELIGIBILITY", gives="optional"),
    Column("HEARD", "right", gives="optional"),
    Column("TAKEN IN", "right"),
    Column("FAILED", "right", gives="optional"),
    Column("REPEATS", "right", gives="optional"),
    Column("CHECKPOINT", "right"),
    Column("RESTARTS", "right", gives="optional"),
    Column("STANDBY", "right", gives="optional"),
    Column("PROBLEM", gives="flexible"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    counters = entry.get("counters") or {}
    return (
        entry.get("connector_type"),
        entry.get("endpoint_identity"),
        "removed" if entry.get("undeclared_at") else entry.get("liveness"),
        entry.get("state"),
        entry.get("eligibility_state"),
        age(entry.get("last_heartbeat_at"), now),
        counters.get("messages_ingested"),
        counters.get("messages_failed"),
        counters.get("dedupe_accepted"),
        age(entry.get("checkpoint_updated_at"), now),
        entry.get("restarts"),
        entry.get("standbys") or None,
        _problem(entry),
    )


def _problem(entry: Mapping[str, Any]) -> str | None:
    """Return what is wrong; parked messages are always named, even next to something worse."""
    parked = (entry.get("counters") or {}).get("messages_parked")
    words = entry.get("quarantine_reason") or entry.get("error_message")
    if not parked or f"{parked} parked" in str(words):
        return words
    return f"{parked} parked; {words}" if words else f"{parked} parked"
