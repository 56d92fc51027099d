"""Records as a table: the day, whose they are, what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("DAY"),
    Column("BUTLER"),
    Column("KIND"),
    Column("TOLD BY"),
    Column("WHAT", gives="flexible"),
    Column("STATE", gives="optional"),
    Column("REQUEST", gives="id"),
)


def table_of(found: Sequence[Mapping[str, Any]]) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry) for entry in found])


def _row(entry: Mapping[str, Any]) -> tuple[object, ...]:
    at = str(entry.get("occurred_at") or "")[:5]
    day = str(entry.get("occurred_on") or "")
    return (
        f"{day} {at}".strip(),
        entry.get("butler"),
        entry.get("kind"),
        entry.get("person"),
        entry.get("text"),
        entry.get("state"),
        entry.get("request_id"),
    )
