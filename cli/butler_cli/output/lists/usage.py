"""Usage and cost of models as a table: a row for each day, butler, model and person, and the sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.tables import Column, table

__all__ = ["cents", "refusals", "table_of"]

COLUMNS: Final = (
    Column("DAY"),
    Column("BUTLER"),
    Column("MODEL", gives="flexible"),
    Column("PERSON", gives="flexible"),
    Column("SESSIONS", "right"),
    Column("READ", "right"),
    Column("WRITTEN", "right"),
    Column("CENTS", "right"),
)
_COUNTED: Final = ("sessions", "input_tokens", "output_tokens")
_NOBODY: Final = "(no contact)"


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    rows = [_row(entry) for entry in found]
    if len(rows) > 1:
        sums = [sum(int(entry.get(name) or 0) for entry in found) for name in _COUNTED]
        rows.append(("all", None, None, None, *sums, _sum(found)))
    return table(COLUMNS, rows)


def refusals(found: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a line for each butler and day on which a budget kept sessions from beginning."""
    return tuple(
        f"{entry.get('day')} {entry.get('butler')}: {entry.get('refused')} not begun, a budget was used up"
        for entry in found
    )


def cents(microcents: int) -> str:
    """Format cents with four places."""
    whole, rest = divmod(microcents, 1_000_000)
    return f"{whole}.{rest // 100:04d}"


def _cents_of(entry: Mapping[str, Any]) -> str:
    """Return the cost of a row: `~` by a public list, `?` if no price is known."""
    cost = _cost([entry])
    if entry.get("priced"):
        return cents(cost)
    return f"~{cents(cost)}" if cost else "?"


def _sum(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the cost of all: with `~` if some of it is by a public list, with `+` if some has no known price."""
    each = [_cents_of(entry) for entry in found]
    about = "~" if any(one.startswith("~") for one in each) else ""
    return f"{about}{cents(_cost(found))}{'+' if '?' in each else ''}"


def _cost(found: Sequence[Mapping[str, Any]]) -> int:
    return sum(int(entry.get("microcents") or 0) for entry in found)


def _row(entry: Mapping[str, Any]) -> tuple[object, ...]:
    person = entry.get("person")
    return (
        entry.get("day"),
        entry.get("butler"),
        entry.get("model"),
        person.get("name") if isinstance(person, Mapping) else _NOBODY,
        *(entry.get(name) for name in _COUNTED),
        _cents_of(entry),
    )
