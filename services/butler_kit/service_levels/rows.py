"""PURE: a level as it stands in a row of a service's own table `service_level`."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import Any, Protocol

from butler_contracts.stored import stored
from butler_kit.service_levels.burning import Level, State

__all__ = ["Row", "columns_of", "level_of"]


class Row(Protocol):
    """A row, by the names of its columns."""

    def __getitem__(self, name: str, /) -> Any: ...


def level_of(row: Row) -> Level:
    """Read a level. Raises `Unreadable`."""
    columns: dict[str, Any] = {one.name: row[one.name] for one in fields(Level)}
    return Level(**{**columns, "state": stored(State, columns["state"])})


def columns_of(level: Level) -> tuple[str, datetime | None, datetime | None, str, datetime | None, float]:
    """Return what the query `save` writes, in its order."""
    return (
        level.state.value,
        level.changed_at,
        level.burning_at,
        level.cause,
        level.counted_from,
        level.burn,
    )
