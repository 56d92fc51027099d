"""How an extraction session is stored and measured: its row omits the findings, and its slots are its own."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from butler_contracts.errors import ErrorDetail
from butler_kit.runtime import SessionRow, SessionStore, SpawnerMetrics, ToolCall
from butler_kit.runtime.transcript import Transcript

__all__ = ["Unmeasured", "WithoutWords"]


class WithoutWords:
    """Stores session rows without calls and words: findings are in `extraction_log` alone, and go with it."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    async def open(self, row: SessionRow) -> None:
        await self._store.open(row)

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
        await self._store.close(
            session_id,
            ended_at=ended_at,
            status=status,
            tool_calls=(),
            error=error,
            duration_ms=duration_ms,
            family=family,
            model=model,
        )


class Unmeasured:
    """Drops the gauges of session slots, which are routing's, and passes on how long sessions take."""

    def __init__(self, metrics: SpawnerMetrics) -> None:
        self._metrics = metrics

    def set(self, name: str, value: float, /, **labels: str) -> None:
        """Do nothing: these slots are not routing's."""

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        self._metrics.observe(name, value, **labels)
