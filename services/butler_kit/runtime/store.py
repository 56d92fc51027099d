"""The interface between the spawner and the store of sessions: pure (CON-4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from butler_contracts.errors import ErrorDetail
from butler_kit.runtime.toolbelt import ToolCall
from butler_kit.runtime.transcript import Transcript

__all__ = ["SessionRow", "SessionStore"]


@dataclass(frozen=True)
class SessionRow:
    """A session as it starts."""

    session_id: UUID
    kind: str
    trigger_source: str
    request_id: UUID | None
    family: str
    model: str | None
    prompt_version: str | None
    started_at: datetime
    tags: tuple[str, ...]


class SessionStore(Protocol):
    """Keeps session rows."""

    async def open(self, row: SessionRow) -> None:
        """Write the row with status `running`; raises when it cannot, and then nothing is run."""

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
        """Complete the row of `session_id`, together with what is kept of its words.

        `family` and `model` are those that really ran (None: as opened).
        """
