"""Butlers in PostgreSQL: read with the database's clock, written by compare-and-set, every transition logged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import asyncpg
import structlog

from butler_contracts.stored import Unreadable
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_switchboard.registry.records import ButlerRecord, record_from_row

__all__ = ["ButlerStore", "Transition", "log_transition"]

_SQL = NamedQueries("butler_switchboard", "sql/registry.sql")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Transition:
    """One line of `eligibility_log`; `subject` is a butler's name or a connector's `type:endpoint`."""

    kind: str
    subject: str
    previous_state: str
    new_state: str
    reason: str
    actor: str
    previous_seen_at: datetime | None
    observed_at: datetime


def _readable(rows: Sequence[asyncpg.Record]) -> Iterator[ButlerRecord]:
    """Yield the records, without butlers that only another version can read; the others stay in service."""
    for row in rows:
        try:
            yield record_from_row(dict(row))
        except Unreadable as error:
            _log.warning("butler_left_out", butler=row["name"], problem=error.message)


class ButlerStore:
    """Rows of `butler_registry` with their evidence."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def all(self) -> tuple[datetime, tuple[ButlerRecord, ...]]:
        """Return the database's time of reading, and the whole registry."""
        async with acquire(self._pool, doing="reading the registry") as connection:
            rows = await connection.fetch(_SQL["butlers"])
            now: datetime = rows[0]["now"] if rows else await connection.fetchval(_SQL["now"])
        return now, tuple(_readable(rows))

    async def load(self, connection: Connection, name: str) -> tuple[datetime, ButlerRecord] | None:
        row = await connection.fetchrow(_SQL["butler"], name)
        return (row["now"], record_from_row(dict(row))) if row is not None else None

    async def add(self, connection: Connection, name: str, role: str) -> None:
        """Add an empty row for a declaration; an existing one stays."""
        await connection.execute(_SQL["add_butler"], name, role)

    async def save(self, connection: Connection, before: ButlerRecord, after: ButlerRecord) -> bool:
        """Write `after` if the row is still `before`; return False if another writer came first."""
        saved = await connection.fetchval(
            _SQL["save_butler"], before.name, before.version, before.eligibility_state, *_columns(after)
        )
        if saved is None:
            return False
        if after.pod is not None and after.pod != before.pod:
            pod = after.pod
            await connection.execute(
                _SQL["save_evidence"],
                after.name,
                pod.ready,
                pod.ready_since,
                pod.unready_since,
                after.pod_restarts or 0,
                pod.crash_loop,
                pod.rollout,
                pod.observed_at,
            )
        return True

    async def transitions(self, kind: str, subject: str, *, limit: int = 20) -> list[dict[str, Any]]:
        """Return the latest changes of one subject, newest first."""
        async with acquire(self._pool, doing="reading transitions") as connection:
            rows = await connection.fetch(_SQL["transitions"], kind, subject, limit)
        return [dict(row) for row in rows]


async def log_transition(connection: Connection, transition: Transition) -> None:
    """Append to the log, in the transaction of the change."""
    await connection.execute(
        _SQL["log_transition"],
        transition.kind,
        transition.subject,
        transition.previous_state,
        transition.new_state,
        transition.reason,
        transition.actor,
        transition.previous_seen_at,
        transition.observed_at,
    )


def _columns(record: ButlerRecord) -> tuple[Any, ...]:
    return (
        record.role,
        record.endpoint_url,
        record.description,
        list(record.triggers),
        list(record.required_information),
        list(record.capabilities),
        list(record.tools),
        record.route_contract,
        list(record.declared_fields),
        record.liveness_ttl_s,
        record.declared_at,
        record.registered_at,
        record.last_seen_at,
        record.eligibility_state.value,
        record.eligibility_reason,
        record.eligibility_updated_at,
        record.quarantined_at,
        record.quarantine_reason,
        record.quarantine_origin.value if record.quarantine_origin else None,
        record.quarantine_until,
        record.manifest_hold_reason,
        record.manifest_hold_until,
        record.mailbox,
        record.arbitration_priority,
    )
