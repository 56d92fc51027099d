"""What butlers know of people as a table: how much, since when; no word of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age
from butler_cli.output.tables import Column, table

__all__ = ["silent_lines", "table_of"]

COLUMNS: Final = (
    Column("PERSON", gives="id"),
    Column("WHO", gives="flexible"),
    Column("BUTLER"),
    Column("FACTS", "right"),
    Column("PREFERENCES", "right"),
    Column("EPISODES", "right"),
    Column("SINCE", "right"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def silent_lines(answer: Mapping[str, Any]) -> Sequence[str]:
    """Return a line about the butlers that could not be asked; nothing if all were."""
    silent = [str(name) for name in answer.get("silent") or ()]
    return [f"{', '.join(silent)} could not be asked"] if silent else []


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    return (
        entry.get("person"),
        entry.get("name") or "no contact any more",
        entry.get("butler"),
        entry.get("facts"),
        entry.get("preferences"),
        entry.get("episodes"),
        age(entry.get("since"), now),
    )
