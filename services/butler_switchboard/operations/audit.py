"""Who did what, when, why and with what result (SWB-17.2, D4).

There are two ways in. `record` is for what daemons do: it never waits and never raises, and an entry that cannot be
written is logged and counted. `record_in` is for what operators do: it commits or fails with their transaction.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_contracts.text import storable
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.runtime import SessionResult
from butler_kit.telemetry import Metrics, get_logger

__all__ = ["Audit", "AuditEntry"]

_SQL = NamedQueries("butler_switchboard", "sql/operations.sql")
_log = get_logger(__name__)

CAPACITY: Final = 1_000
TEXT_MAX: Final = 500
LAST_WRITES_S: Final = 5.0
"""How long a stop waits for the remaining entries."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry. `actor` did `operation` for `butler`; `summary` is a line for a person, without bodies or secrets.

    The request may be named by its own id or by that of one of its sessions.
    """

    butler: str
    actor: str
    operation: str
    summary: str
    result: str
    request_id: UUID | None = None
    session_id: UUID | None = None
    subject: str | None = None
    reason: str | None = None
    error: str | None = None


class Audit:
    """Writes entries; `run` owns the ones that nobody waits for."""

    def __init__(self, pool: Pool, metrics: Metrics, *, capacity: int = CAPACITY) -> None:
        self._pool = pool
        self._metrics = metrics
        self._capacity = capacity
        self._waiting: deque[AuditEntry] = deque()
        self._arrived = asyncio.Event()

    def record(self, entry: AuditEntry) -> None:
        """Take the entry and return at once; beyond the capacity it is dropped, logged and counted."""
        if len(self._waiting) >= self._capacity:
            self._lost(entry, "too many entries wait to be written")
            return
        self._waiting.append(entry)
        self._arrived.set()

    async def record_in(self, connection: Connection, entry: AuditEntry) -> int:
        """Write the entry in the caller's transaction; return its id."""
        audit_id: int = await connection.fetchval(_SQL["record_audit"], *_columns(entry))
        return audit_id

    async def session_completed(self, result: SessionResult) -> None:
        """Record a completed session; the spawner's completion hook, one entry per session."""
        calls = len(result.tool_calls)
        self.record(
            AuditEntry(
                butler="switchboard",
                actor="switchboard",
                operation="session.completed",
                session_id=result.session_id,
                subject=str(result.session_id),
                summary=f"{result.kind} session of family {result.family}: "
                f"{calls} tool call{'' if calls == 1 else 's'} in {result.duration_ms:.0f} ms",
                result=result.status,
                error=result.error.message if result.error else None,
            )
        )

    async def run(self, stopping: asyncio.Event) -> None:
        """Write entries until stopped, then the remaining ones, within a bound."""
        stop = asyncio.create_task(stopping.wait(), name="audit-stop")
        try:
            while not stopping.is_set():
                arrival = asyncio.create_task(self._arrived.wait(), name="audit-arrival")
                await asyncio.wait({arrival, stop}, return_when=asyncio.FIRST_COMPLETED)
                arrival.cancel()
                await self.flush()
        finally:
            stop.cancel()

    async def flush(self) -> None:
        """Write the entries that wait now; a failed entry is lost without affecting the others."""
        self._arrived.clear()
        try:
            async with asyncio.timeout(LAST_WRITES_S * 2):
                while self._waiting:
                    await self._write(self._waiting.popleft())
        except TimeoutError:
            _log.warning("audit_is_slow", waiting=len(self._waiting))
            self._arrived.set()

    async def _write(self, entry: AuditEntry) -> None:
        try:
            async with acquire(self._pool, doing="writing the audit") as connection:
                await self.record_in(connection, entry)
        except asyncio.CancelledError:
            self._lost(entry, "it took too long")
            raise
        except Exception as failure:
            self._lost(entry, str(failure))

    def _lost(self, entry: AuditEntry, why: str) -> None:
        self._metrics.count("butlers.switchboard.audit_write_failed", action=entry.operation)
        _log.error("audit_entry_lost", operation=entry.operation, summary=entry.summary, why=why)


def _columns(entry: AuditEntry) -> tuple[object, ...]:
    return (
        entry.butler,
        entry.actor,
        entry.operation,
        entry.request_id,
        _cut(entry.subject),
        _cut(entry.summary),
        _cut(entry.reason),
        entry.result,
        _cut(entry.error),
        entry.session_id,
    )


def _cut(text: str | None) -> str | None:
    return None if text is None else storable(text)[:TEXT_MAX]
