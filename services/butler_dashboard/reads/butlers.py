"""Butlers as registered, and the history of their eligibility (SWB-09, SWB-10).

Switchboard alone decides who may be routed to (D30); these reads show what it recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from butler_contracts.errors import NotFound
from butler_contracts.text import excerpt
from butler_dashboard.reads.butler_models import (
    ButlerDetail,
    ButlerEvidence,
    ButlerHistory,
    ButlerList,
    ButlerRuntime,
    ButlerSummary,
    WorkingRuntime,
)
from butler_dashboard.reads.connector_models import Transition
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import read_cursor, text, write_cursor
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["ButlerFilter", "UnknownButler", "butler_detail", "butler_history", "list_butlers"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/butlers.sql")
_SHOWN: Final = 50
_LAST_ENTRY: Final = 2**63 - 1
_MADE: Final = frozenset({"endpoint", "evidence", "runtime", "silent", "transitions"})


class UnknownButler(NotFound):
    """No butler of that name is declared (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class ButlerFilter:
    """What to look for; None leaves a field open."""

    role: str | None = None
    eligibility_state: str | None = None


async def list_butlers(
    reader: Reader, wanted: ButlerFilter, *, limit: int, cursor: str | None = None
) -> ButlerList:
    """Return one page of butlers by name."""
    (after,) = read_cursor(cursor, text) if cursor else ("",)
    async with reader.connection("listing butlers") as connection:
        rows = await connection.fetch(_SQL["page"], after, wanted.role, wanted.eligibility_state, limit + 1)
        said = await connection.fetchrow(_SQL["runtime"], "switchboard")
        unable = await connection.fetch(_SQL["runtimes"])
    page = [ButlerSummary(**_shown(row, ButlerSummary)) for row in rows[:limit]]
    return ButlerList(
        butlers=tuple(page),
        next=write_cursor(page[-1].name) if len(rows) > limit else None,
        runtime=WorkingRuntime(**said) if said is not None else None,
        runtimes=tuple(ButlerRuntime(**row) for row in unable),
    )


async def butler_detail(reader: Reader, name: str) -> ButlerDetail:
    """Return one butler with its newest eligibility changes. Raises `UnknownButler`."""
    async with reader.moment("reading a butler") as connection:
        row = await connection.fetchrow(_SQL["one"], name)
        if row is None:
            raise _unknown(name)
        changes = await connection.fetch(_SQL["transitions"], name, _LAST_ENTRY, _SHOWN)
        works_with = await connection.fetchrow(_SQL["runtime"], name)
    return ButlerDetail(
        **_shown(row, ButlerDetail),
        endpoint=row["endpoint_url"],
        runtime=WorkingRuntime(**works_with) if works_with is not None else None,
        transitions=tuple(Transition(**change) for change in changes),
    )


async def butler_history(
    reader: Reader, name: str, *, limit: int, cursor: str | None = None
) -> ButlerHistory:
    """Return a butler's eligibility changes, newest first, even if it is gone."""
    (before,) = read_cursor(cursor, _entry) if cursor else (_LAST_ENTRY,)
    async with reader.moment("reading a butler's history") as connection:
        rows = await connection.fetch(_SQL["transitions"], name, before, limit + 1)
        if not rows and cursor is None and await connection.fetchrow(_SQL["one"], name) is None:
            raise _unknown(name)
    page = rows[:limit]
    return ButlerHistory(
        name=name,
        transitions=tuple(Transition(**change) for change in page),
        next=write_cursor(page[-1]["entry_id"]) if len(rows) > limit else None,
    )


def _entry(part: Any) -> int:
    if isinstance(part, bool) or not isinstance(part, int) or not 0 <= part <= _LAST_ENTRY:
        raise ValueError
    return part


def _shown(row: Row, model: type[ButlerSummary]) -> dict[str, Any]:
    last = row["last_seen_at"]
    silent = last is None or row["now"] - last > timedelta(seconds=row["liveness_ttl_s"])
    evidence = None
    if row["observed_at"] is not None:
        evidence = ButlerEvidence(**{name: row[name] for name in ButlerEvidence.model_fields})
    shown = {name: row[name] for name in model.model_fields if name not in _MADE}
    return {**shown, "silent": silent, "evidence": evidence}


def _unknown(name: str) -> UnknownButler:
    return UnknownButler(f"butler '{excerpt(name)}' is not declared")
