"""`GET /ops/v1/schedules`: what Switchboard does by the clock, when next, and its last runs (SWB-25)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_QUERY, Reader, handed
from butler_switchboard.operations.view import View
from butler_switchboard.schedules.runs import Planned, Run, ScheduleRuns

__all__ = ["reading_schedules"]


class SchedulesQuestion(StrictModel):
    """How many runs of each schedule."""

    limit: Annotated[int, Field(ge=1, le=50)] = 1


class RunView(View):
    """One due time; `state` is running, done, missed or failed, `error` why it failed."""

    due_at: datetime
    began_at: datetime
    ended_at: datetime | None
    state: str
    error: str | None
    detail: dict[str, Any]

    @classmethod
    def of(cls, run: Run) -> Self:
        return cls(
            due_at=run.due_at, began_at=run.began_at, ended_at=run.ended_at, state=run.state,
            error=run.detail.get("error"), detail=run.detail,
        )  # fmt: skip


class ScheduleView(View):
    """A native job, or a prompt whose answer goes to the owner; the newest run comes first."""

    name: str
    kind: Literal["job", "prompt"]
    cron: str
    timezone: str
    next_due: datetime
    runs: list[RunView]

    @classmethod
    def of(cls, planned: Planned) -> Self:
        schedule = planned.schedule
        return cls(
            name=schedule.name,
            kind="job" if schedule.repeatable is None else "prompt",
            cron=schedule.cron,
            timezone=str(schedule.zone),
            next_due=planned.next_due,
            runs=[RunView.of(run) for run in planned.runs],
        )


class ScheduleList(View):
    """By name."""

    schedules: list[ScheduleView]


reading_schedules = ops_router()


@reading_schedules.get("/schedules")
async def schedules(
    runs: Annotated[ScheduleRuns, handed(ScheduleRuns)],
    _: Reader,
    asked: Annotated[SchedulesQuestion, *AS_QUERY],
) -> ScheduleList:
    """The native jobs and the prompts of the manifest; the digests of the members are not among them."""
    planned = await runs.planned(runs=asked.limit)
    return ScheduleList(schedules=[ScheduleView.of(one) for one in planned])
