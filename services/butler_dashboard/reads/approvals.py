"""Messages that wait for an approval, and what was decided, newest first (MSR-03)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_dashboard.reads.approval_models import (
    ApprovalList,
    ApprovalState,
    ApprovalSummary,
    StandingRule,
)
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import END_OF_TIME, NEWEST_ID, moment, read_cursor, write_cursor
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["ApprovalFilter", "list_approvals", "standing_rules"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/approvals.sql")
_RULE_NAMES: Final = tuple(StandingRule.model_fields)
_MOST_RULES: Final = 200
_NAMES: Final = tuple(name for name in ApprovalSummary.model_fields if name != "approval_id")


@dataclass(frozen=True, slots=True)
class ApprovalFilter:
    """What to look for; None for all."""

    state: ApprovalState | None = None


async def list_approvals(
    reader: Reader, wanted: ApprovalFilter, *, limit: int, cursor: str | None = None
) -> ApprovalList:
    """A page at a time."""
    after = read_cursor(cursor, moment, UUID) if cursor else (END_OF_TIME, NEWEST_ID)
    async with reader.moment("listing approvals") as connection:
        if wanted.state == "waiting":
            rows = await connection.fetch(_SQL["page_waiting"], *after, limit + 1)
        else:
            rows = await connection.fetch(_SQL["page"], *after, wanted.state, limit + 1)
    page = rows[:limit]
    more = len(rows) > limit
    return ApprovalList(
        approvals=tuple(_summary(row) for row in page),
        next=write_cursor(page[-1]["requested_at"], page[-1]["delivery_id"]) if more else None,
    )


async def standing_rules(reader: Reader) -> tuple[StandingRule, ...]:
    """What is sent without an approval now, the newest first."""
    async with reader.connection("listing standing rules") as connection:
        rows = await connection.fetch(_SQL["rules"], _MOST_RULES)
    return tuple(StandingRule(**{name: row[name] for name in _RULE_NAMES}) for row in rows)


def _summary(row: Row) -> ApprovalSummary:
    return ApprovalSummary(approval_id=row["delivery_id"], **{name: row[name] for name in _NAMES})
