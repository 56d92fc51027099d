"""The store of sessions: one row each, opened before the run and closed after it (CON-4.2).

Invariants: a closed row is never opened or changed again; what is kept of a session's words is written in the statement
that closes its row, and goes with the row.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ErrorDetail
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.runtime.store import SessionRow
from butler_kit.runtime.toolbelt import ToolCall
from butler_kit.runtime.transcript import Transcript

__all__ = ["KeptSessions", "PostgresSessionStore"]

_SQL = NamedQueries("butler_kit.runtime", "sessions.sql")
_OPEN = _SQL["open_session"]
_CLOSE = _SQL["close_session"]
_WITH_WORDS = _SQL["sessions_with_words"]
_WORDS: Final = ("prompt", "output")


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
        transcript: Transcript | None = None,
    ) -> None:
        """Update the running row; a row that is already closed stays as it is."""
        calls = [call.as_json() for call in tool_calls]
        said = error.model_dump(mode="json", by_alias=True) if error is not None else None
        async with acquire(self._pool, doing="closing a session") as connection:
            await connection.execute(
                _CLOSE,
                session_id,
                ended_at,
                status,
                calls,
                said,
                duration_ms,
                family,
                model,
                *_columns(transcript),
            )


class KeptSessions:
    """Reads the sessions of the pool's schema, with what is kept of their words: for operators only."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def of_request(self, request_id: UUID) -> list[dict[str, Any]]:
        """Return the sessions of a request in order; `transcript` has its `prompt` and `output`, or is None."""
        async with acquire(self._pool, doing="reading the sessions of a request") as connection:
            rows = await connection.fetch(_WITH_WORDS, request_id)
        return [_with_words(dict(row)) for row in rows]


def _columns(transcript: Transcript | None) -> tuple[str | None, str | None, str | None]:
    if transcript is None:
        return None, None, None
    person = str(transcript.person) if transcript.person is not None else None
    return person, transcript.prompt, transcript.output


def _with_words(row: dict[str, Any]) -> dict[str, Any]:
    words = {name: row.pop(name) for name in _WORDS}
    return {**row, "transcript": words if words["prompt"] is not None else None}
