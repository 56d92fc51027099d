"""Chooses the runtime, the model and the instructions that route a message (SWB-34.1, SWB-36.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from butler_contracts.context import RequestContext
from butler_kit.runtime import SessionResult
from butler_switchboard.rollouts.evidence import Decider, trial_after
from butler_switchboard.rollouts.trial import Arm, Rollout, Trial, Version, arm_of, mark_of
from butler_switchboard.routing.verdict import Verdict

__all__ = ["Running", "Way", "Ways"]


class Running(Protocol):
    async def running(self, rollout: Rollout) -> bool: ...


@dataclass(frozen=True, slots=True)
class Way:
    """With `model` None the rules decide. `trial` is the trial that the decision will belong to, `version` the side of
    it that is to decide; `apart`: each side of it has a runtime of its own.
    """

    model: str | None
    instructions: str
    trial: Trial | None = None
    version: Version | None = None
    apart: bool = False

    @property
    def on_trial(self) -> bool:
        """Whether the runtime that is tried is to decide, not the usual one."""
        return self.apart and self.trial is not None and self.trial.arm is Arm.CANDIDATE

    def told(self, judged: Verdict, result: SessionResult) -> Verdict:
        """Return the verdict with what it shows about its arm."""
        if self.trial is None or self.version is None:
            return judged
        nobody_asked = result.family != self.version.family and result.error is None
        if nobody_asked:  # its program is not installed
            return judged
        trial = trial_after(
            self.trial,
            wanted=(self.version.family, self.version.model),
            asked=_decider(result, self.version),
            error=result.error,
            unclassified=judged.unclassified,
            apart=self.apart,
        )
        return replace(judged, trial=trial)


def _decider(result: SessionResult, wanted: Version) -> Decider | None:
    if result.status != "completed":
        return None
    return result.family, result.model or wanted.model


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
        if rollout is None or model != rollout.usual.asked or from_past:
            return usual
        if not await self._rollouts.running(rollout):
            return usual
        mark = mark_of(rollout, _thread(context))
        arm = arm_of(rollout, mark)
        version = rollout.usual if arm is Arm.USUAL else rollout.candidate
        trial = Trial(rollout.key, arm, mark, family=version.family)
        if arm is Arm.USUAL:
            return replace(usual, trial=trial, version=version, apart=rollout.apart)
        return Way(version.asked, rollout.instructions, trial, version, rollout.apart)


def _thread(context: RequestContext) -> str:
    """Return a message's thread; a message without one is a thread of its own."""
    thread = context.source_thread_identity
    return str(context.request_id) if thread is None else f"{context.source_endpoint_identity}\0{thread}"
