"""Backfill jobs: the list, newest first, and the progress of one (SWB-18, D34)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_contracts.liveness import LivenessPolicy, liveness
from butler_dashboard.reads.backfill_models import BackfillDetail, BackfillList, BackfillSummary
from butler_dashboard.reads.model import Row
from butler_dashboard.reads.page import END_OF_TIME, NEWEST_ID, moment, read_cursor, write_cursor
from butler_dashboard.reads.reader import Reader
from butler_kit.db import NamedQueries

__all__ = ["BackfillFilter", "UnknownBackfill", "backfill_detail", "list_backfills", "sources"]

_SQL: Final = NamedQueries("butler_dashboard", "sql/backfills.sql")
_MADE: Final = frozenset({"connector_liveness", "cost_spent_cents", "cost_spent_today_cents"})


class UnknownBackfill(NotFound):
    """No such job (HTTP 404)."""


@dataclass(frozen=True, slots=True)
class BackfillFilter:
    """What to look for; None leaves a field open."""

    connector_type: str | None = None
    endpoint_identity: str | None = None
    status: str | None = None


async def list_backfills(
    reader: Reader, wanted: BackfillFilter, *, limit: int, cursor: str | None = None
) -> BackfillList:
    """Return one page of jobs by creation time, newest first."""
    after = read_cursor(cursor, moment, UUID) if cursor else (END_OF_TIME, NEWEST_ID)
    async with reader.connection("listing backfills") as connection:
        rows = await connection.fetch(
            _SQL["page"], *after, wanted.connector_type, wanted.endpoint_identity, wanted.status, limit + 1
        )
    page = [BackfillSummary(**_shown(row, BackfillSummary, reader.policy)) for row in rows[:limit]]
    more = len(rows) > limit
    return BackfillList(
        backfills=tuple(page), next=write_cursor(page[-1].created_at, page[-1].job_id) if more else None
    )


async def backfill_detail(reader: Reader, job_id: UUID) -> BackfillDetail:
    """Return one job. Raises `UnknownBackfill`."""
    async with reader.connection("reading a backfill") as connection:
        row = await connection.fetchrow(_SQL["one"], job_id)
    if row is None:
        raise UnknownBackfill(f"backfill job {job_id} is not known")
    return BackfillDetail(**_shown(row, BackfillDetail, reader.policy))


def _shown(row: Row, model: type[BackfillSummary], policy: LivenessPolicy) -> dict[str, Any]:
    now: datetime = row["now"]
    today = row["spend_day"] == now.astimezone(UTC).date()
    return {
        **{name: row[name] for name in model.model_fields if name not in _MADE},
        "connector_liveness": liveness(row["last_heartbeat_at"], now, policy),
        "cost_spent_cents": float(row["cost_spent_cents"]),
        "cost_spent_today_cents": float(row["spend_day_cents"]) if today else 0.0,
    }


async def sources(reader: Reader) -> list[tuple[str, str]]:
    """Return type and endpoint of every connector, whose history could be read."""
    async with reader.connection("listing sources") as connection:
        return [
            (row["connector_type"], row["endpoint_identity"])
            for row in await connection.fetch(_SQL["sources"])
        ]
