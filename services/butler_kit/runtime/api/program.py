"""A session of family `api`: questions and calls until the model calls nothing more (D57, SWB-04.2).

Invariants: only the job's own tools are called, and only their ledger is the verdict; turns, calls, attempts, time and
what it costs are bounded; once a call is on the ledger no other model is asked.
"""

from __future__ import annotations

import logging
from asyncio import sleep
from collections.abc import Sequence
from dataclasses import dataclass

from butler_contracts.errors import ButlerError, OverloadRejected
from butler_kit.runtime.api.endpoint import Endpoint, Limits
from butler_kit.runtime.api.faults import FaultKind, ModelFault, ModelMisled, pause_before
from butler_kit.runtime.api.talk import Outcome, Proposed, Said, Talk, TalkOpener
from butler_kit.runtime.budget import Account, Price, Spending, out_of_time
from butler_kit.runtime.family import InProcess, Ran, SessionJob
from butler_kit.time import Clock

__all__ = ["ApiFamily"]

logger = logging.getLogger(__name__)

_NO_OBJECT = "the arguments are no JSON object"
_OVER_S = 0.05
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
    """Asks the models of an endpoint, in order, each within its share of the session's time.

    `spending` says what that may cost; without it nothing but the endpoint's own limits holds.
    """

    name = "api"

    def __init__(
        self, endpoint: Endpoint, opener: TalkOpener, *, clock: Clock, spending: Spending | None = None
    ) -> None:
        self._endpoint = endpoint
        self._open = opener
        self._clock = clock
        self._spending = spending or Spending()

    def launch(self, job: SessionJob) -> InProcess:
        """It runs in this process."""
        return InProcess(self._run)

    async def _run(self, job: SessionJob) -> Ran:
        self._endpoint.check()
        end = _Until(self._clock, self._clock.monotonic() + job.deadline_s)
        async with self._spending.session(job) as account:
            return await self._asked_in_turn(job, account, end)

    async def _asked_in_turn(self, job: SessionJob, account: Account, end: _Until) -> Ran:
        models = self._endpoint.for_job(job.model)
        for number, model in enumerate(models):
            last = number == len(models) - 1
            try:
                talk = await self._open(job, model)
                job.recorder.asked(job.payload)
                listed = talk.listed_price(self._clock.now())
                share = end.share(len(models) - number)
                await _hold(_Held(talk, job, account, model, self._endpoint.limits, share, listed))
            except ModelFault as fault:
                if fault.kind is FaultKind.NO_ANSWER and job.seconds_budgeted and end.left_s < _OVER_S:
                    raise out_of_time(job, fault.message) from fault
                if last or fault.kind.of_endpoint or job.tools.binds:
                    raise
                logger.warning(
                    "session %s: %s; %s is asked", job.session_id, fault.message, models[number + 1]
                )
            else:
                return Ran(self.name, model)
        raise AssertionError("an endpoint names a model")


@dataclass(frozen=True)
class _Held:
    """One conversation with a model, and what bounds it."""

    talk: Talk
    job: SessionJob
    account: Account
    model: str
    limits: Limits
    end: _Until
    listed: Price | None


async def _hold(held: _Held) -> None:
    """One conversation to its end: an answer without calls, or a call that ends it."""
    amiss, job = False, held.job
    for _ in range(held.limits.turns):
        said = await _asked(held)
        job.recorder.wrote(said.text)
        calls = said.calls
        if not calls:
            if amiss:
                raise ModelMisled("invalid_calls", "the model ended with calls that could not be taken")
            return
        outcomes: list[tuple[Outcome, bool]] = []
        amiss = False
        # The last word is taken last, whichever place the model gave it.
        for call in sorted(calls, key=lambda one: job.tools.is_last(one.tool, one.args)):
            held.account.meter.calling()
            outcomes.append(await _carried_out(call, job, after_refusal=amiss))
            amiss = amiss or not outcomes[-1][1]
        if job.tools.ended:
            return
        _tell(held, [outcome for outcome, _ in outcomes])
    raise ModelMisled("too_many_turns", f"the model did not come to an end within {held.limits.turns} turns")


def _tell(held: _Held, outcomes: Sequence[Outcome]) -> None:
    for one in outcomes:
        held.job.recorder.told(one.call.tool, one.text)
    held.talk.tell(outcomes)


async def _asked(held: _Held) -> Said:
    attempt = 1
    while True:
        try:
            return await _answered(held)
        except ModelFault as fault:
            pause_s = pause_before(
                fault, attempt=attempt, attempts=held.limits.attempts, left_s=held.end.left_s
            )
            if pause_s is None:
                raise
        await sleep(pause_s)
        attempt += 1


async def _answered(held: _Held) -> Said:
    """One question on the session's account."""
    talk, account = held.talk, held.account
    most = await account.question(
        held.model, talk.size_bytes, most=held.limits.answer_tokens, listed=held.listed
    )
    try:
        said = await talk.ask(timeout_s=held.end.left_s, answer_tokens=most)
    except ModelFault as fault:
        account.unanswered(billed=fault.kind.billed)
        raise
    account.answered(said.took)
    return said


async def _carried_out(call: Proposed, job: SessionJob, *, after_refusal: bool) -> tuple[Outcome, bool]:
    """The call on the job's tools, and whether it was recorded; past the cap of calls the session is over.

    The last word is not taken beside a call that was refused: it was said before the model knew. A call that is more
    than that counts, and is not the last.
    """
    if after_refusal and job.tools.ends(call.tool):
        return Outcome(call, f"refused: {_TOO_SOON}"), False
    if call.args is None:
        return Outcome(call, f"refused: {_NO_OBJECT}"), False
    args = job.tools.not_last(call.tool, call.args) if after_refusal else call.args
    try:
        done = await job.tools.call(call.tool, args)
    except OverloadRejected as refused:
        raise ModelMisled("too_many_calls", refused.message) from refused
    except ButlerError as refused:
        return Outcome(call, f"refused: {refused.message}"), False
    return Outcome(call, str(done["status"])), True
