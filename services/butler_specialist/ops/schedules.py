"""This butler's schedules and their results, as JSON (ADR 0097)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import asyncpg

from butler_contracts.errors import ErrorDetail
from butler_contracts.stored import stored
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.markup import said_by
from butler_kit.time.due import next_due
from butler_specialist.schedules.decide import Entry
from butler_specialist.store.scheduled import scheduled_from
from butler_specialist.work.scheduled import ending_of

__all__ = ["SchedulesReader"]

_RUNS: Final = NamedQueries("butler_specialist.sql", "ops.sql")["schedule_runs"]


class SchedulesReader:
    """Reads the manifest's schedules and their runs; changes nothing."""

    def __init__(self, pool: Pool, entries: Sequence[Entry]) -> None:
        self._pool = pool
        self._entries = entries

    async def schedules(self, *, runs: int) -> dict[str, Any]:
        """Return the schedules by name, with their last runs, the newest first."""
        async with acquire(self._pool, doing="reading schedules") as connection:
            rows = await connection.fetch(_RUNS, [entry.name for entry in self._entries], runs)
        shown = [
            _schedule(entry, [row for row in rows if row["name"] == entry.name])
            for entry in sorted(self._entries, key=lambda entry: entry.name)
        ]
        return {"schedules": shown}


def _schedule(entry: Entry, rows: Sequence[asyncpg.Record]) -> dict[str, Any]:
    return {
        "name": entry.name,
        "cron": entry.cron,
        "timezone": entry.zone.key,
        "to": entry.to,
        "prompt": entry.prompt,
        "grace_s": int(entry.grace.total_seconds()),
        "urgency": entry.urgency,
        "next_due": _text(next_due(entry.cron, rows[0]["now"], entry.zone)),
        "runs": [_run(row) for row in rows if row["request_id"] is not None],
    }


def _run(row: asyncpg.Record) -> dict[str, Any]:
    """Return a run; `state` is waiting, done, missed, failed or uncertain.

    `told` is None if nothing was to be told.
    """
    scheduled = scheduled_from(row["scheduled"])
    error = stored(ErrorDetail, row["error"]) if row["error"] is not None else None
    return {
        "request_id": str(row["request_id"]),
        "due_at": _text(scheduled.due_at),
        "moments": scheduled.count,
        "state": ending_of(error) if row["outcome_at"] is not None else "waiting",
        "sessions": row["runs"],
        "ended_at": _text(row["outcome_at"]),
        "told": said_by((row["notify_request"] or {}).get("delivery", {})) or None,
        "notified": row["notify_response"],
        "error": error.message if error is not None else None,
    }


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment is not None else None
