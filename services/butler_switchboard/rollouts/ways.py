"""Chooses the model and the instructions that route a message (SWB-34.1, SWB-36.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from butler_contracts.context import RequestContext
from butler_kit.runtime import RulesFamily, SessionResult
from butler_switchboard.rollouts.evidence import trial_after
from butler_switchboard.rollouts.trial import Arm, Rollout, Trial, arm_of, mark_of
from butler_switchboard.routing.verdict import Verdict

__all__ = ["Running", "Way", "Ways"]


class Running(Protocol):
    async def running(self, rollout: Rollout) -> bool: ...


@dataclass(frozen=True, slots=True)
class Way:
    """With `model` None the rules decide. `trial` is the trial that the decision will belong to."""

    model: str | None
    instructions: str
    trial: Trial | None = None

    def told(self, judged: Verdict, result: SessionResult) -> Verdict:
        """Return the verdict with what it shows about its arm."""
        nobody_asked = result.family == RulesFamily.name and result.error is None
        if self.trial is None or self.model is None or nobody_asked:
            return judged
        trial = trial_after(
            self.trial,
            wanted=self.model,
            asked=result.model,
            error=result.error,
            unclassified=judged.unclassified,
        )
        return replace(judged, trial=trial)


class Ways:
    """The usual way, and that of a candidate for its share of the threads while it is tried.

    Messages of a tier that has a model of its own, and those of the past, take no part. For each other message it is
    read whether the trial still runs: a candidate that was rolled back gets no further message.
    """

    def __init__(self, instructions: str, rollout: Rollout | None, rollouts: Running) -> None:
        self._instructions = instructions
        self._rollout = rollout
        self._rollouts = rollouts

    async def of(self, context: RequestContext, model: str | None, *, from_past: bool) -> Way:
        """Return the way to route a message; `model` is that of its tier."""
        usual, rollout = Way(model, self._instructions), self._rollout
        if rollout is None or model != rollout.usual.model or from_past:
            return usual
        if not await self._rollouts.running(rollout):
            return usual
        mark = mark_of(rollout, _thread(context))
        trial = Trial(rollout.key, arm_of(rollout, mark), mark)
        if trial.arm is Arm.USUAL:
            return replace(usual, trial=trial)
        return Way(rollout.candidate.model, rollout.instructions, trial)


def _thread(context: RequestContext) -> str:
    """Return a message's thread; a message without one is a thread of its own."""
    thread = context.source_thread_identity
    return str(context.request_id) if thread is None else f"{context.source_endpoint_identity}\0{thread}"
