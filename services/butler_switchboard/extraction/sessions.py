"""How an extracting session is kept and measured: in places of its own, by a row without what it found."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from butler_contracts.errors import ErrorDetail
from butler_kit.runtime import SessionRow, SessionStore, SpawnerMetrics, ToolCall

__all__ = ["Unmeasured", "WithoutWords"]


class WithoutWords:
    """Keeps session rows without their calls: what was found is in `extraction_log` alone, so that it goes with it."""

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
    """The gauges of places are routing's; how long sessions take is everybody's."""

    def __init__(self, metrics: SpawnerMetrics) -> None:
        self._metrics = metrics

    def set(self, name: str, value: float, /, **labels: str) -> None:
        """Nothing: these places are not routing's."""

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        self._metrics.observe(name, value, **labels)
