"""A family and the one that stands in for it while it is unavailable (`runtime.fallback`, D28).

Invariants: the other family runs only where the first has recorded no call and done nothing outside, within the same
session and deadline, and only for a job that it may do (`by_rules`); the session's result says that it ran, and why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final
from uuid import uuid5

from butler_contracts.errors import ButlerError
from butler_kit.runtime.budget.exhausted import BudgetExhausted, out_of_time
from butler_kit.runtime.family import (
    InProcess,
    Ran,
    RuntimeFamily,
    RuntimeUnavailable,
    SessionJob,
    SessionMisled,
)
from butler_kit.runtime.standing import RuntimeStanding

__all__ = ["BESIDE_A_MODEL", "BESIDE_RULES", "StandingIn", "WhereThere"]

BESIDE_RULES: Final = 0.9
"""The first family's share of a session's time; rules, which stand in for it, take milliseconds."""
BESIDE_A_MODEL: Final = 0.5
_LEFT_ALONE_S: Final = 10.0
"""The pause after a lasting fault, so that not every message waits for it."""


class StandingIn:
    """Runs `first`, or `second` in its place; without a `second` a fault ends the session.

    `second` also stands in when a budget is used up. `for_misled`: also for a model that answers but does not do what
    it is asked. `share` is the first's part of the time; `second_model` names a `second` that does not say how it ran.
    """

    def __init__(
        self,
        first: RuntimeFamily,
        second: RuntimeFamily | None,
        standing: RuntimeStanding,
        *,
        second_model: str | None = None,
        for_misled: bool = False,
        share: float = BESIDE_RULES,
    ) -> None:
        self._first = first
        self._second = second
        self._standing = standing
        self._second_model = second_model
        self._for_misled = for_misled
        self._share = share

    @property
    def name(self) -> str:
        """The name of the configured family."""
        return self._first.name

    def launch(self, job: SessionJob) -> InProcess:
        """Return an in-process launch."""
        return InProcess(self._run)

    async def _run(self, job: SessionJob) -> Ran | None:
        fault, second = self._standing.to_leave_alone(), self._second if job.by_rules else None
        until = _now() + job.deadline_s
        if second is not None and fault is not None:
            why = RuntimeUnavailable(fault.message, details={"original_class": fault.kind})
            return await self._instead(second, job, why, until)
        try:
            ran = await self._first_of(job, share=self._share if second is not None else 1.0)
        except RuntimeUnavailable as why:
            self._standing.failed(why, alone_s=_LEFT_ALONE_S if why.lasting else 0.0)
            if second is None or job.tools.binds:
                raise
            return await self._instead(second, job, why, until)
        except BudgetExhausted as why:
            # Says nothing about whether the runtime is available.
            if second is None or job.tools.binds:
                raise
            return await self._instead(second, job, why, until)
        except SessionMisled as why:
            self._standing.had()
            if second is None or not self._for_misled or job.tools.binds:
                raise
            return await self._instead(second, job, why, until)
        self._standing.had()
        if ran is not None and ran.model is not None:
            self._standing.answered.add(ran.model)
        return ran

    async def _first_of(self, job: SessionJob, *, share: float) -> Ran | None:
        most_s = job.deadline_s * share
        limit = asyncio.timeout(most_s)
        try:
            async with limit:
                return await self._first.launch(job).program(replace(job, deadline_s=most_s))
        except TimeoutError:
            if not limit.expired():
                raise
            raise out_of_time(job, f"the {self._first.name} runtime gave no answer in time") from None

    async def _instead(self, second: RuntimeFamily, job: SessionJob, why: ButlerError, until: float) -> Ran:
        # The model that the job names is the first's, and so is the account that is settled.
        left = replace(
            job,
            model=None,
            deadline_s=max(0.0, until - _now()),
            account_id=uuid5(job.session_id, second.name),
        )
        ran = await second.launch(left).program(left) or Ran(second.name, self._second_model)
        return replace(ran, instead_of=why)


class WhereThere:
    """Runs `first` where its program is `there`, else `second` as if configured: the standing reports that once.

    A job that `second` may not do goes to `first`, which says what it lacks.
    """

    def __init__(
        self, first: RuntimeFamily, second: RuntimeFamily, there: Callable[[], bool], *, second_model: str
    ) -> None:
        self._first = first
        self._second = second
        self._there = there
        self._second_model = second_model

    @property
    def name(self) -> str:
        """The name of the family that runs now."""
        return (self._first if self._there() else self._second).name

    def launch(self, job: SessionJob) -> InProcess:
        """Return the launch of the family that runs now."""
        return self._first.launch(job) if self._there() or not job.by_rules else InProcess(self._run_second)

    async def _run_second(self, job: SessionJob) -> Ran:
        # By its own name: the job names the model that would have been asked.
        job = replace(job, model=None)
        return await self._second.launch(job).program(job) or Ran(self._second.name, self._second_model)


def _now() -> float:
    return asyncio.get_running_loop().time()
