"""Service levels as tables: the state of each, and each objective with the rest of its budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from butler_cli.output.moments import age, span, timestamp
from butler_cli.output.screen import line_of
from butler_cli.output.tables import Column, table

__all__ = ["service_levels_screen", "table_of"]

Document = Mapping[str, Any]
LEVELS: Final = (
    Column("LEVEL"),
    Column("STATE"),
    Column("SINCE", "right", gives="optional"),
    Column("BURN", "right"),
    Column("LET GO AT", gives="optional"),
    Column("BECAUSE OF", gives="flexible"),
)
OBJECTIVES: Final = (
    Column("LEVEL"),
    Column("OBJECTIVE"),
    Column("INTENT"),
    Column("WANTED", "right"),
    Column("GOOD", "right"),
    Column("OF", "right"),
    Column("BURN", "right"),
    Column("95 % IN", "right", gives="optional"),
    Column("BUDGET LEFT", "right"),
)


def table_of(found: Sequence[Document], *, now: datetime) -> RenderableType:
    """The levels, as one table."""
    return table(LEVELS, [_level(one, now) for one in found])


def service_levels_screen(document: Document, *, now: datetime) -> list[RenderableType]:
    """The levels, then every objective: the last hour, and the budget of the period."""
    found: Sequence[Document] = document.get("slo") or ()
    if not found:
        return [Text("no channel is configured")]
    policies = [_policy(one, document) for one in found]
    days = dict.fromkeys(str(policy.get("period_days")) for policy in policies)
    note = f"good, of and burn are of the last long window; the budget is that of {' or '.join(days)} days"
    rows = [row for one, policy in zip(found, policies, strict=True) for row in _objectives(one, policy)]
    return [table_of(found, now=now), table(OBJECTIVES, rows), Text(line_of(note))]


def _policy(one: Document, document: Document) -> Document:
    """Return the policy of a level: its own, or that of all in the document."""
    return one.get("policy") or document.get("policy") or {}


def _name(one: Document) -> object:
    return one.get("name") or one.get("channel")


def _level(one: Document, now: datetime) -> tuple[object, ...]:
    let_go = one.get("released_at")
    return (
        _name(one),
        one.get("state"),
        age(one.get("changed_at"), now),
        _rate(one.get("burn")),
        timestamp(let_go) if let_go else None,
        one.get("cause"),
    )


def _objectives(one: Document, policy: Document) -> Iterator[tuple[object, ...]]:
    long_s = (policy.get("fast") or {}).get("long_s")
    for objective in one.get("objectives") or ():
        windows = {window["seconds"]: window for window in objective["windows"]}
        lately: Document = windows.get(long_s, {})
        p95_s = objective.get("p95_s")
        yield (
            _name(one),
            objective["objective"],
            objective.get("intent"),
            _percent(objective.get("target")),
            _percent(lately.get("good")),
            lately.get("events"),
            _rate(lately.get("burn")),
            span(p95_s) if isinstance(p95_s, int | float) else None,
            _percent(objective.get("budget_left")),
        )


def _rate(burn: object) -> str | None:
    return f"{burn:.1f}" if isinstance(burn, int | float) else None


def _percent(share: object) -> str | None:
    return f"{share:.4g} %" if isinstance(share := _hundredfold(share), float) else None


def _hundredfold(share: object) -> float | None:
    return float(share) * 100 if isinstance(share, int | float) else None
