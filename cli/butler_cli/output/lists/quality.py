"""The quality of routing as a table: a row per slice, each share of 7 days beside that of the 28 before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import RenderableType

from butler_cli.client.answers import entries_of
from butler_cli.output.drifting import drift_lines
from butler_cli.output.tables import Column, table
from butler_cli.output.trying import rollout_lines

__all__ = ["EMPTY", "below", "table_of"]

EMPTY: Final = "no day with a routed message is over"
_NOTE: Final = "shares of a hundred decisions in the last 7 days, and in the 28 before them"
MEASURES: Final = (
    "corrected",
    "fallbacks",
    "invalid_verdicts",
    "partial_failures",
    "total_failures",
    "divided",
)
COLUMNS: Final = (
    Column("BY"),
    Column("SLICE", gives="flexible"),
    Column("DECISIONS", "right"),
    Column("CORRECTED", "right"),
    Column("FALLBACK", "right"),
    Column("INVALID", "right", gives="optional"),
    Column("PARTLY FAILED", "right", gives="optional"),
    Column("FAILED", "right"),
    Column("DIVIDED", "right", gives="optional"),
    Column("PARTS", "right", gives="optional"),
)


def table_of(slices: Sequence[Mapping[str, Any]], *, now: datetime) -> RenderableType:
    """The table that a person reads."""
    return table(COLUMNS, [_row(one) for one in slices])


def below(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the table's figures are, which have drifted, and what is being tried out."""
    tried = rollout_lines(answer)
    if not entries_of(answer, "slices"):
        return tried
    return (_NOTE, *(f"drift: {line}" for line in drift_lines(entries_of(answer, "drifts"))), *tried)


def _row(one: Mapping[str, Any]) -> tuple[object, ...]:
    recent, before = one.get("recent") or {}, one.get("before") or {}
    return (
        one.get("dimension"),
        None if one.get("dimension") == "household" else one.get("name"),
        f"{recent.get('decisions')} ({before.get('decisions')})",
        *(f"{_share(recent, measure)} ({_share(before, measure)})" for measure in MEASURES),
        f"{_parts(recent)} ({_parts(before)})",
    )


def _share(span: Mapping[str, Any], measure: str) -> str:
    decisions, count = span.get("decisions") or 0, (span.get("counts") or {}).get(measure) or 0
    return f"{100 * count / decisions:.1f}" if decisions else "-"


def _parts(span: Mapping[str, Any]) -> str:
    decisions = span.get("decisions") or 0
    return f"{(span.get('segments') or 0) / decisions:.2f}" if decisions else "-"
