"""Backfill under `/ops/v1/backfills`, for operators' programs, manifests and readers (SWB-19, D34)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Operator, Reader
from butler_switchboard.backfill.models import (
    BackfillAct,
    BackfillList,
    BackfillQuestion,
    BackfillView,
    CreateBody,
)
from butler_switchboard.backfill.store import BackfillStore

__all__ = ["backfill_router"]


def backfill_router(jobs: BackfillStore) -> APIRouter:
    """Reading for operator and dashboard, everything else for operators."""
    router = ops_router(acting=True)

    @router.get("/backfills")
    async def listed(_: Reader, asked: Annotated[BackfillQuestion, *AS_QUERY]) -> BackfillList:
        """Backfill jobs, newest first."""
        return BackfillList(jobs=await jobs.list(asked))

    @router.post("/backfills")
    async def create(caller: Operator, body: Annotated[CreateBody, AS_BODY]) -> BackfillView:
        """Have a connector read history; once for each external_id."""
        job_id, _ = await jobs.create(body, actor=caller.subject)
        return await jobs.view(job_id)

    @router.get("/backfills/{job_id}")
    async def one(_: Reader, job_id: UUID) -> BackfillView:
        """One job, with the hours in which its messages were received."""
        return await jobs.view(job_id)

    for verb in ("pause", "resume", "cancel"):
        act = router.post(
            f"/backfills/{{job_id}}/{verb}",
            name=verb,
            summary=f"{verb.capitalize()} a job; one that a manifest owns only on its behalf",
        )
        act(_acting(jobs, verb))
    return router


def _acting(jobs: BackfillStore, verb: str) -> Callable[..., Awaitable[BackfillView]]:
    async def act(caller: Operator, job_id: UUID, body: Annotated[BackfillAct, AS_BODY]) -> BackfillView:
        await jobs.act(verb, job_id, actor=caller.subject, owner=body.owner, reason=body.reason)
        return await jobs.view(job_id)

    return act
