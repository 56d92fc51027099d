"""`GET /ops/v1/requests/{request_id}/sessions`: a request's sessions at one butler, with what is kept of their words.

Operators read it, and nobody else: it may have words of a person that no page shows (D62).
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import Operator, handed
from butler_kit.runtime.sessions import KeptSessions

__all__ = ["READING_SESSIONS", "KeptSessionView", "SessionList", "TranscriptView"]


class TranscriptView(BaseModel):
    """What the model read besides its instructions, and what it wrote besides its calls; secrets are replaced."""

    model_config = ConfigDict(frozen=True)

    prompt: str
    output: str


class KeptSessionView(BaseModel):
    """One session; `transcript` is null where none is kept."""

    model_config = ConfigDict(frozen=True)

    session_id: UUID
    kind: str
    trigger_source: str
    family: str
    model: str | None
    prompt_version: str | None
    started_at: datetime
    ended_at: datetime | None
    status: str
    tool_calls: list[dict[str, Any]]
    error: dict[str, Any] | None
    duration_ms: float | None
    tags: list[str]
    transcript: TranscriptView | None


class SessionList(BaseModel):
    """The sessions of a request, in order; none where the butler ran none, or keeps none any more."""

    model_config = ConfigDict(frozen=True)

    request_id: UUID
    sessions: list[KeptSessionView]


Kept = Annotated[KeptSessions, handed(KeptSessions)]
READING_SESSIONS: Final = ops_router()
"""The path, for every service whose sessions are kept in its own schema."""


@READING_SESSIONS.get("/requests/{request_id}/sessions")
async def sessions_of(kept: Kept, _: Operator, request_id: UUID) -> SessionList:
    """The sessions of a request with what is kept of their words; operators only."""
    found = await kept.of_request(request_id)
    return SessionList(request_id=request_id, sessions=[KeptSessionView(**one) for one in found])
