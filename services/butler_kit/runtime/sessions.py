"""The store of sessions: one row each, opened before the run and closed after it (CON-4.2).

Invariant: a closed row is never opened or changed again.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from butler_contracts.errors import ErrorDetail
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.runtime.store import SessionRow
from butler_kit.runtime.toolbelt import ToolCall

__all__ = ["PostgresSessionStore"]

_SQL = NamedQueries("butler_kit.runtime", "sessions.sql")
_OPEN = _SQL["open_session"]
_CLOSE = _SQL["close_session"]


class PostgresSessionStore:
    """Rows in the `sessions` table of the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def open(self, row: SessionRow) -> None:
        """Insert the row with status `running`."""
        async with acquire(self._pool, doing="opening a session") as connection:
            await connection.execute(
                _OPEN,
                row.session_id,
                row.kind,
                row.trigger_source,
                row.request_id,
                row.family,
                row.model,
                row.prompt_version,
                row.started_at,
                list(row.tags),
            )

    async def close(
        self,
        session_id: UUID,
        *,
        ended_at: datetime,
        status: str,
        tool_calls: tuple[ToolCall, ...],
        error: ErrorDetail | None,
        duration_ms: float,
        family: str,
        model: str | None,
    ) -> None:
        """Update the running row; a row that is already closed stays as it is."""
        calls = [call.as_json() for call in tool_calls]
        said = error.model_dump(mode="json", by_alias=True) if error is not None else None
        async with acquire(self._pool, doing="closing a session") as connection:
            await connection.execute(
                _CLOSE, session_id, ended_at, status, calls, said, duration_ms, family, model
            )
