"""A session of family `api`: questions and calls until the model calls nothing more (D57, SWB-04.2).

Invariants: only the job's own tools are called, and only their ledger is the verdict; turns, calls, attempts and time
are bounded; once a call is on the ledger no other model is asked.
"""

from __future__ import annotations

import logging
from asyncio import sleep
from dataclasses import dataclass

from butler_contracts.errors import ButlerError, OverloadRejected
from butler_kit.runtime.api.endpoint import Endpoint, Limits
from butler_kit.runtime.api.faults import ModelFault, ModelMisled, pause_before
from butler_kit.runtime.api.talk import Outcome, Proposed, Talk, TalkOpener
from butler_kit.runtime.family import InProcess, Ran, SessionJob, ToolUse
from butler_kit.time import Clock

__all__ = ["ApiFamily"]

logger = logging.getLogger(__name__)

_NO_OBJECT = "the arguments are no JSON object"
_TOO_SOON = "a call before it was refused; first mend that, or say that it was not done"


@dataclass(frozen=True)
class _Until:
    """A moment of the clock."""

    clock: Clock
    at: float

    @property
    def left_s(self) -> float:
        return max(0.0, self.at - self.clock.monotonic())

    def share(self, of: int) -> _Until:
        """The end of the first of `of` equal parts of what is left."""
        return _Until(self.clock, self.clock.monotonic() + self.left_s / of)


class ApiFamily:
    """Asks the models of an endpoint, in order, each within its share of the session's time."""

    name = "api"

    def __init__(self, endpoint: Endpoint, opener: TalkOpener, *, clock: Clock) -> None:
        self._endpoint = endpoint
        self._open = opener
        self._clock = clock

    def launch(self, job: SessionJob) -> InProcess:
        """It runs in this process."""
        return InProcess(self._run)

    def parse(self, line: str) -> ToolUse | None:
        """There are no lines."""
        return None

    async def _run(self, job: SessionJob) -> Ran:
        self._endpoint.check()
        end = _Until(self._clock, self._clock.monotonic() + job.deadline_s)
        models = self._endpoint.models
        for number, model in enumerate(models):
            last = number == len(models) - 1
            try:
                talk = await self._open(job, model)
                await _hold(talk, job, self._endpoint.limits, end.share(len(models) - number))
            except ModelFault as fault:
                if last or fault.kind.of_endpoint or job.tools.ledger:
                    raise
                logger.warning(
                    "session %s: %s; %s is asked", job.session_id, fault.message, models[number + 1]
                )
            else:
                return Ran(self.name, model)
        raise AssertionError("an endpoint names a model")


async def _hold(talk: Talk, job: SessionJob, limits: Limits, end: _Until) -> None:
    """One conversation to its end: an answer without calls, or a call that ends it."""
    amiss = False
    for _ in range(limits.turns):
        calls = await _asked(talk, limits, end)
        if not calls:
            if amiss:
                raise ModelMisled("invalid_calls", "the model ended with calls that could not be taken")
            return
        outcomes: list[tuple[Outcome, bool]] = []
        amiss = False
        # The last word is taken last, whichever place the model gave it.
        for call in sorted(calls, key=lambda one: job.tools.ends(one.tool)):
            outcomes.append(await _carried_out(call, job, after_refusal=amiss))
            amiss = amiss or not outcomes[-1][1]
        if job.tools.ended:
            return
        talk.tell([outcome for outcome, _ in outcomes])
    raise ModelMisled("too_many_turns", f"the model did not come to an end within {limits.turns} turns")


async def _asked(talk: Talk, limits: Limits, end: _Until) -> tuple[Proposed, ...]:
    attempt = 1
    while True:
        try:
            return await talk.ask(timeout_s=end.left_s)
        except ModelFault as fault:
            pause_s = pause_before(fault, attempt=attempt, attempts=limits.attempts, left_s=end.left_s)
            if pause_s is None:
                raise
        await sleep(pause_s)
        attempt += 1


async def _carried_out(call: Proposed, job: SessionJob, *, after_refusal: bool) -> tuple[Outcome, bool]:
    """The call on the job's tools, and whether it was recorded; past the cap of calls the session is over.

    The last word is not taken beside a call that was refused: it was said before the model knew.
    """
    if after_refusal and job.tools.ends(call.tool):
        return Outcome(call, f"refused: {_TOO_SOON}"), False
    if call.args is None:
        return Outcome(call, f"refused: {_NO_OBJECT}"), False
    try:
        done = await job.tools.call(call.tool, call.args)
    except OverloadRejected as refused:
        raise ModelMisled("too_many_calls", refused.message) from refused
    except ButlerError as refused:
        return Outcome(call, f"refused: {refused.message}"), False
    return Outcome(call, str(done["status"])), True
