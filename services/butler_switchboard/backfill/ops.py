"""Backfill under `/ops/v1/backfills`, for operators' programs, manifests and readers (SWB-19, D34)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Operator, Reader, handed
from butler_switchboard.backfill.models import (
    BackfillAct,
    BackfillList,
    BackfillQuestion,
    BackfillView,
    CreateBody,
)
from butler_switchboard.backfill.store import BackfillStore

__all__ = ["backfills"]

Jobs = Annotated[BackfillStore, handed(BackfillStore)]
backfills = ops_router(acting=True)
"""Reading for operator and dashboard, everything else for operators."""


@backfills.get("/backfills")
async def listed(jobs: Jobs, _: Reader, asked: Annotated[BackfillQuestion, *AS_QUERY]) -> BackfillList:
    """Backfill jobs, newest first."""
    return BackfillList(jobs=await jobs.list(asked))


@backfills.post("/backfills")
async def create(jobs: Jobs, caller: Operator, body: Annotated[CreateBody, AS_BODY]) -> BackfillView:
    """Have a connector read history; once for each external_id."""
    job_id, _ = await jobs.create(body, actor=caller.subject)
    return await jobs.view(job_id)


@backfills.get("/backfills/{job_id}")
async def one(jobs: Jobs, _: Reader, job_id: UUID) -> BackfillView:
    """One job, with the hours in which its messages were received."""
    return await jobs.view(job_id)


def _acting(verb: str) -> Callable[..., Awaitable[BackfillView]]:
    async def act(
        jobs: Jobs, caller: Operator, job_id: UUID, body: Annotated[BackfillAct, AS_BODY]
    ) -> BackfillView:
        await jobs.act(verb, job_id, actor=caller.subject, owner=body.owner, reason=body.reason)
        return await jobs.view(job_id)

    return act


for _verb in ("pause", "resume", "cancel"):
    backfills.post(
        f"/backfills/{{job_id}}/{_verb}",
        name=_verb,
        summary=f"{_verb.capitalize()} a job; one that a manifest owns only on its behalf",
    )(_acting(_verb))
