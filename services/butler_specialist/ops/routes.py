"""The ops API of a specialist: `GET /ops/v1/requests/{request_id}`, `…/records`, `…/reminders`, `…/schedules`.

Operator and dashboard read everything but sessions, which the operator alone reads; nobody else reads anything.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from butler_contracts.base import Timestamp
from butler_kit.ops.app import create_ops_app, ops_router
from butler_kit.ops.inputs import AS_QUERY, Reader, handed
from butler_kit.ops.sessions import READING_SESSIONS
from butler_specialist.ops.reader import HoldingsReader
from butler_specialist.ops.schedules import SchedulesReader

__all__ = ["app"]


class RecordsQuestion(BaseModel):
    """Which records; `since` is when they were recorded, RFC 3339."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Annotated[str, Field(pattern="^[a-z][a-z_]{0,39}$")] | None = None
    since: Timestamp | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class RemindersQuestion(BaseModel):
    """Which reminders."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    state: Literal["waiting", "sent", "missed", "stopped"] = "waiting"
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class SchedulesQuestion(BaseModel):
    """How many runs of each schedule."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: Annotated[int, Field(ge=1, le=50)] = 1


Schedules = Annotated[SchedulesReader, handed(SchedulesReader)]
Holdings = Annotated[HoldingsReader, handed(HoldingsReader)]
_holdings = ops_router()


@_holdings.get("/requests/{request_id}")
async def one(reader: Holdings, _: Reader, request_id: UUID) -> dict[str, Any]:
    """What is held of one request: subrequests, answers, records."""
    return await reader.request(request_id)


@_holdings.get("/records")
async def records(
    reader: Holdings, _: Reader, asked: Annotated[RecordsQuestion, *AS_QUERY]
) -> dict[str, Any]:
    """Records, newest first."""
    return await reader.records(kind=asked.kind, since=asked.since, limit=asked.limit)


@_holdings.get("/reminders")
async def reminders(
    reader: Holdings, _: Reader, asked: Annotated[RemindersQuestion, *AS_QUERY]
) -> dict[str, Any]:
    """Reminders of one state: of what waits the next to come first, of what is over the last."""
    return await reader.reminders(state=asked.state, limit=asked.limit)


@_holdings.get("/schedules")
async def schedules(
    reader: Schedules, _: Reader, asked: Annotated[SchedulesQuestion, *AS_QUERY]
) -> dict[str, Any]:
    """What it does by the clock: each schedule, when it is due next, and its last runs, the newest first."""
    return await reader.schedules(runs=asked.limit)


app: Final = create_ops_app("Specialist operations", (_holdings, READING_SESSIONS))
"""The application, without the guard."""
