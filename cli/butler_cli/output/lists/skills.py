"""Skills as a table: the version of each text, whether it is in use, what it is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.tables import Column, table

__all__ = ["table_of"]

COLUMNS: Final = (
    Column("SKILL"),
    Column("VERSION"),
    Column("IN USE"),
    Column("FOR", gives="flexible"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry) for entry in found])


def _row(entry: Mapping[str, Any]) -> tuple[object, ...]:
    in_use = "yes" if entry.get("in_use") else "no"
    return entry.get("name"), entry.get("version"), in_use, entry.get("description")
