"""Approvals as a table: who wants to tell whom what, or call what, and the verdict; and standing rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age, timestamp
from butler_cli.output.tables import Column, table

__all__ = ["rules_table", "table_of"]

COLUMNS: Final = (
    Column("APPROVAL", gives="id"),
    Column("AGE", "right"),
    Column("STATE"),
    Column("FROM", gives="flexible"),
    Column("TO", gives="flexible"),
    Column("TEXT", gives="flexible"),
    Column("WAITS UNTIL", gives="optional"),
    Column("DECIDED BY", gives="optional"),
)


RULES: Final = (
    Column("RULE", gives="id"),
    Column("AGE", "right"),
    Column("STATE"),
    Column("FROM", gives="flexible"),
    Column("TO", gives="flexible"),
    Column("TOOL", gives="flexible"),
    Column("UNTIL", gives="optional"),
    Column("BY", gives="flexible"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    waits = entry.get("state") == "waiting"
    until = entry.get("expires_at")
    return (
        entry.get("approval_id"),
        age(entry.get("requested_at"), now),
        entry.get("state"),
        entry.get("origin_butler"),
        _to(entry),
        entry.get("preview"),
        timestamp(until) if waits and until else None,
        _by(entry),
    )


def _to(entry: Mapping[str, Any]) -> str:
    if entry.get("channel") == "tool":
        return _call(entry)
    address = f"{entry.get('channel')}:{entry.get('target_identity') or '-'}"
    person = entry.get("person")
    return f"{person} ({address})" if person else address


def _call(entry: Mapping[str, Any]) -> str:
    """A call that waits, or one that needs no approval: the tool, and for whom or with which arguments."""
    if (arguments := entry.get("arguments")) is not None:
        return " ".join(str(arguments).split())
    person = entry.get("person")
    return f"{entry.get('tool')} for {person}" if person else str(entry.get("tool"))


def _by(entry: Mapping[str, Any]) -> str | None:
    if entry.get("decided_by") is None:
        return None
    return f"{entry['decided_by']}: {entry.get('reason')}"


def rules_table(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """Standing rules, as a person reads them."""
    return table(RULES, [_rule(entry, now) for entry in found])


def _rule(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    return (
        entry.get("rule_id"),
        age(entry.get("created_at"), now),
        str(entry.get("state")).replace("_", " "),
        entry.get("origin_butler"),
        _to(entry),
        entry.get("tool"),
        timestamp(entry.get("ended_at") or entry.get("expires_at")),
        f"{entry.get('created_by')}: {entry.get('reason')}",
    )
