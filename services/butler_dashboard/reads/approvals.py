"""Messages and calls that wait for an approval, and the decisions, newest first (MSR-03)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from butler_contracts.call_approvals import shown_arguments
from butler_dashboard.reads.approval_models import (
    ApprovalList,
    ApprovalState,
    ApprovalSummary,
    StandingRule,
)
from butler_dashboard.reads.deliveries import files_of
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import END_OF_TIME, NEWEST_ID, moment, read_cursor, write_cursor
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["ApprovalFilter", "list_approvals", "standing_rules"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/approvals.sql")
_RULE_NAMES: Final = tuple(name for name in StandingRule.model_fields if name != "arguments")
_MOST_RULES: Final = 200
_NAMES: Final = tuple(
    name
    for name in ApprovalSummary.model_fields
    if name not in ("approval_id", "kind", "contact_id", "attachments")
)
_CALL_NAMES: Final = (
    "approval_id", "tool", "requested_at", "expires_at", "state", "decided_at", "decided_by", "decided_via", "reason",
    "request_id", "origin_butler", "contact_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ApprovalFilter:
    """What to look for; None for all."""

    state: ApprovalState | None = None


async def list_approvals(
    reader: Reader, wanted: ApprovalFilter, *, limit: int, cursor: str | None = None
) -> ApprovalList:
    """Return one page."""
    after = read_cursor(cursor, moment, UUID) if cursor else (END_OF_TIME, NEWEST_ID)
    async with reader.moment("listing approvals") as connection:
        if wanted.state == "waiting":
            rows = await connection.fetch(_SQL["page_waiting"], *after, limit + 1)
            calls = await connection.fetch(_SQL["calls_waiting"], *after, limit + 1)
        else:
            rows = await connection.fetch(_SQL["page"], *after, wanted.state, limit + 1)
            calls = await connection.fetch(_SQL["calls"], *after, wanted.state, limit + 1)
    found = sorted((*map(_summary, rows), *map(_call, calls)), key=_place, reverse=True)
    page, more = found[:limit], len(found) > limit
    return ApprovalList(approvals=tuple(page), next=write_cursor(*_place(page[-1])) if more else None)


async def standing_rules(reader: Reader) -> tuple[StandingRule, ...]:
    """Return the standing rules in force, newest first."""
    async with reader.connection("listing standing rules") as connection:
        rows = await connection.fetch(_SQL["rules"], _MOST_RULES)
    return tuple(
        StandingRule(**{name: row[name] for name in _RULE_NAMES}, arguments=_shown(row["arguments"]))
        for row in rows
    )


def _place(summary: ApprovalSummary) -> tuple[datetime, UUID]:
    return summary.requested_at, summary.approval_id


def _summary(row: Row) -> ApprovalSummary:
    named = {name: row[name] for name in _NAMES}
    return ApprovalSummary(approval_id=row["delivery_id"], attachments=files_of(row), **named)


def _call(row: Row) -> ApprovalSummary:
    return ApprovalSummary(
        **{name: row[name] for name in _CALL_NAMES},
        kind="call",
        intent="call",
        channel="tool",
        target_identity=row["tool"],
        status=row["state"],
        subject=None,
        message=_shown(row["arguments"]),
    )


def _shown(arguments: str | None) -> str | None:
    return shown_arguments(arguments) if arguments is not None else None
