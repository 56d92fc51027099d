"""Service levels as tables: the state of each channel, and each objective with the rest of its budget."""

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
    Column("CHANNEL"),
    Column("STATE"),
    Column("SINCE", "right", gives="optional"),
    Column("BURN", "right"),
    Column("LET GO AT", gives="optional"),
    Column("BECAUSE OF", gives="flexible"),
)
OBJECTIVES: Final = (
    Column("CHANNEL"),
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
    """The channels, as one table."""
    return table(LEVELS, [_level(one, now) for one in found])


def service_levels_screen(document: Document, *, now: datetime) -> list[RenderableType]:
    """The channels, then every objective: the last hour, and the budget of the period."""
    found: Sequence[Document] = document.get("slo") or ()
    if not found:
        return [Text("no channel is configured")]
    period = (document.get("policy") or {}).get("period_days")
    note = f"good, of and burn are of the last long window; the budget is that of {period} days"
    rows = [row for one in found for row in _objectives(one, document)]
    return [table_of(found, now=now), table(OBJECTIVES, rows), Text(line_of(note))]


def _level(one: Document, now: datetime) -> tuple[object, ...]:
    let_go = one.get("released_at")
    return (
        one.get("channel"),
        one.get("state"),
        age(one.get("changed_at"), now),
        _rate(one.get("burn")),
        timestamp(let_go) if let_go else None,
        one.get("cause"),
    )


def _objectives(one: Document, document: Document) -> Iterator[tuple[object, ...]]:
    long_s = ((document.get("policy") or {}).get("fast") or {}).get("long_s")
    for objective in one.get("objectives") or ():
        windows = {window["seconds"]: window for window in objective["windows"]}
        lately: Document = windows.get(long_s, {})
        p95_s = objective.get("p95_s")
        yield (
            one.get("channel"),
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
