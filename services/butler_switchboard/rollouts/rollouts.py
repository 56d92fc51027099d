"""Checks regularly how a candidate does, and rolls it back once for the whole household (SWB-36.1, ADR 0095).

Every replica checks; the first one rolls back, in one statement. `report` is what operators read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from butler_kit.runtime.standing import RuntimeStanding, Unavailable
from butler_kit.service import repeat
from butler_kit.telemetry import get_logger
from butler_switchboard.rollouts.judging import Counts, Finding, State, judged
from butler_switchboard.rollouts.store import RolloutStore, Standing
from butler_switchboard.rollouts.trial import Arm, Rollout

__all__ = ["Report", "RolloutEvents", "Rollouts"]

_log = get_logger(__name__)

LOOK_S: Final = 15.0


class RolloutEvents(Protocol):
    def rollout(self, state: State, decisions: Mapping[Arm, int]) -> None: ...


@dataclass(frozen=True, slots=True)
class Report:
    """The state of a rollout; `worse` is the finding for which it is rolled back."""

    rollout: Rollout
    standing: Standing
    state: State
    usual: Counts
    candidate: Counts
    worse: Finding | None
    fault: Unavailable | None = None
    """Why the candidate's own runtime is not available to this replica."""


class Rollouts:
    """The rollout that the manifest asks for; `run` drives the checks. Without one there is nothing to do.

    `standing` is that of the candidate's own runtime.
    """

    def __init__(
        self,
        rollout: Rollout | None,
        store: RolloutStore,
        events: RolloutEvents,
        *,
        standing: RuntimeStanding | None = None,
    ) -> None:
        self._rollout = rollout
        self._store = store
        self._events = events
        self._runtime = standing

    async def run(self, stopping: asyncio.Event) -> None:
        """Check until stopped."""
        if self._rollout is not None:
            await repeat(self.look, every_s=LOOK_S, stopping=stopping, what="rollout")

    async def look(self) -> Report | None:
        """Begin the rollout if it has not begun, and roll it back if that is due."""
        rollout = self._rollout
        if rollout is None:
            return None
        await self._store.begin(rollout)
        report = await self.report()
        if report is not None and report.state is State.WORSE and report.worse is not None:
            await self._give_up(rollout, report.worse)
            report = await self.report()
        if report is not None:
            decisions = {Arm.USUAL: report.usual.decisions, Arm.CANDIDATE: report.candidate.decisions}
            self._events.rollout(report.state, decisions)
        return report

    async def _give_up(self, rollout: Rollout, worse: Finding) -> None:
        if await self._store.roll_back(rollout, worse):
            _log.warning(
                "rollout_rolled_back",
                rollout=rollout.key,
                family=rollout.candidate.family,
                model=rollout.candidate.model,
                prompt=rollout.candidate.prompt,
                signal=worse.signal.value,
            )

    async def report(self) -> Report | None:
        """Return its state; None without one, or before it began. A rolled-back one is not judged again."""
        rollout = self._rollout
        standing = await self._store.standing(rollout) if rollout is not None else None
        if rollout is None or standing is None:
            return None
        counts = await self._store.counts(rollout)
        usual, candidate = counts[Arm.USUAL], counts[Arm.CANDIDATE]
        found = judged(usual, candidate, minimum=rollout.minimum, significance=rollout.significance)
        if not standing.running:
            return Report(rollout, standing, State.ROLLED_BACK, usual, candidate, standing.worse)
        fault = self._runtime.fault if self._runtime is not None else None
        return Report(rollout, standing, found.state, usual, candidate, found.worse, fault)
