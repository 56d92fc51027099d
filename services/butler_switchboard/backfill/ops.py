"""Backfill under `/ops/v1/backfills`, for operators' programs, manifests and readers (SWB-19, D34)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

from pydantic import BaseModel
from starlette.requests import Request

from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import parse
from butler_kit.auth import Caller, Role, require_role
from butler_switchboard.backfill.models import BackfillAct, BackfillList, BackfillQuestion, CreateBody
from butler_switchboard.backfill.store import BackfillStore

__all__ = ["BackfillOps"]

_READERS: Final = (Role.OPERATOR, Role.DASHBOARD)
Endpoint = Callable[[Caller, Request], Awaitable[BaseModel]]


class BackfillOps:
    """The endpoints; the ops API guards them and turns errors into answers."""

    def __init__(self, jobs: BackfillStore) -> None:
        self._jobs = jobs

    def endpoints(self) -> tuple[tuple[str, str, Endpoint], ...]:
        """Method, path below the prefix, and what answers."""
        one = "/backfills/{job_id}"
        return (
            ("GET", "/backfills", self._list),
            ("POST", "/backfills", self._create),
            ("GET", one, self._view),
            *(("POST", f"{one}/{verb}", self._act(verb)) for verb in ("pause", "resume", "cancel")),
        )

    async def _list(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, *_READERS)
        asked = parse(BackfillQuestion, BackfillQuestion.fields_of(request.query_params))
        return BackfillList(jobs=await self._jobs.list(asked))

    async def _view(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, *_READERS)
        return await self._jobs.view(_job_id(request))

    async def _create(self, caller: Caller, request: Request) -> BaseModel:
        require_role(caller, Role.OPERATOR)
        job_id, _ = await self._jobs.create(parse(CreateBody, await request.body()), actor=caller.subject)
        return await self._jobs.view(job_id)

    def _act(self, verb: str) -> Endpoint:
        async def act(caller: Caller, request: Request) -> BaseModel:
            require_role(caller, Role.OPERATOR)
            job_id, body = _job_id(request), parse(BackfillAct, await request.body())
            await self._jobs.act(verb, job_id, actor=caller.subject, owner=body.owner, reason=body.reason)
            return await self._jobs.view(job_id)

        return act


def _job_id(request: Request) -> UUID:
    text = request.path_params["job_id"]
    try:
        return UUID(text)
    except ValueError:
        raise ValidationFailed(f"job_id: '{text[:60]}' is not a UUID; expected a backfill job's id") from None
