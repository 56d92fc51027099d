"""What was learned, as tables: rules that members agreed to, and where messages would go by what was learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.output.moments import age
from butler_cli.output.tables import Column, table

__all__ = ["differences_table", "summary_of", "table_of", "tried_summary"]

COLUMNS: Final = (
    Column("RULE", gives="id"),
    Column("AGE", "right"),
    Column("STATE"),
    Column("WHO", gives="flexible"),
    Column("TO"),
    Column("LIKE", gives="flexible"),
    Column("ENDED BY", gives="optional"),
)
DIFFERENCES: Final = (
    Column("REQUEST", gives="id"),
    Column("AGE", "right"),
    Column("WENT TO"),
    Column("WOULD GO TO"),
    Column("TEXT", gives="flexible"),
    Column("WHY", gives="optional"),
)


def table_of(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The rules as a person reads them."""
    return table(COLUMNS, [_row(entry, now) for entry in found])


def summary_of(answer: Mapping[str, Any]) -> str:
    """Say whether the household's examples decide, and how many there are."""
    decide = "decide" if answer.get("learns") else "decide nothing (`spec.routing.learn` is off)"
    return f"{_examples(answer)} {decide}"


def differences_table(found: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The messages that would go elsewhere."""
    rows = [
        (
            entry.get("request_id"),
            age(entry.get("received_at"), now),
            " + ".join(str(name) for name in entry.get("went_to") or ()) or "nobody",
            entry.get("would_go_to"),
            entry.get("text"),
            entry.get("reason"),
        )
        for entry in found
    ]
    return table(DIFFERENCES, rows)


def tried_summary(answer: Mapping[str, Any]) -> str:
    """Say how much was decided again, and by what."""
    elsewhere = len(answer.get("differences") or ())
    return f"{elsewhere} of {answer.get('read')} messages would go elsewhere by {_examples(answer)} and the rules"


def _examples(answer: Mapping[str, Any]) -> str:
    count = answer.get("examples")
    return f"{count} {'example' if count == 1 else 'examples'} (version {answer.get('version')})"


def _row(entry: Mapping[str, Any], now: datetime) -> tuple[object, ...]:
    ended_by, why = entry.get("ended_by"), entry.get("end_reason")
    return (
        entry.get("rule_id"),
        age(entry.get("answered_at") or entry.get("offered_at"), now),
        str(entry.get("state")).replace("_", " "),
        entry.get("name") or entry.get("person"),
        entry.get("butler"),
        " | ".join(str(text) for text in entry.get("texts") or ()),
        f"{ended_by}: {why}" if ended_by else None,
    )
