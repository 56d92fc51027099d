"""A candidate on trial, as operators read it (SWB-36.1)."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from butler_rollups.drift import Share
from butler_switchboard.operations.view import FaultView, View
from butler_switchboard.rollouts.judging import Counts, Finding, Signal, State
from butler_switchboard.rollouts.rollouts import Report
from butler_switchboard.rollouts.trial import Version

__all__ = ["RolloutView", "ShareView"]


class ShareView(View):
    """`count` of `of` decisions."""

    count: int
    of: int

    @classmethod
    def told(cls, share: Share) -> Self:
        return cls(count=share.count, of=share.of)


class ArmView(View):
    """One of the two: its versions, its decisions since the rollout began, and of how many each signal is true."""

    model: str
    prompt_version: str
    family: str
    decisions: int
    signals: dict[Signal, int]

    @classmethod
    def of(cls, version: Version, counts: Counts) -> Self:
        signals = {signal: counts.share(signal).count for signal in Signal}
        return cls(
            model=version.model,
            prompt_version=version.prompt,
            family=version.family,
            decisions=counts.decisions,
            signals=signals,
        )


class WorseView(View):
    """What a candidate is rolled back for; `p` is adjusted for all signals."""

    signal: Signal
    candidate: ShareView
    usual: ShareView
    p: float

    @classmethod
    def of(cls, found: Finding) -> Self:
        return cls(
            signal=found.signal,
            candidate=ShareView.told(found.candidate),
            usual=ShareView.told(found.usual),
            p=found.p,
        )


class RolloutView(View):
    """`minimum_decisions` and `significance` are those of the manifest; `worse` as it was when it was rolled back.

    `fault`: why the candidate's own runtime is not available now; the usual one stands in.
    """

    key: str
    state: State
    attempt: int
    percent: int
    minimum_decisions: int
    significance: float
    begun_at: datetime
    rolled_back_at: datetime | None
    usual: ArmView
    candidate: ArmView
    worse: WorseView | None
    fault: FaultView | None

    @classmethod
    def of(cls, report: Report) -> Self:
        rollout, standing = report.rollout, report.standing
        return cls(
            key=rollout.key,
            state=report.state,
            attempt=rollout.attempt,
            percent=rollout.percent,
            minimum_decisions=rollout.minimum,
            significance=rollout.significance,
            begun_at=standing.begun_at,
            rolled_back_at=standing.rolled_back_at,
            usual=ArmView.of(rollout.usual, report.usual),
            candidate=ArmView.of(rollout.candidate, report.candidate),
            worse=WorseView.of(report.worse) if report.worse is not None else None,
            fault=FaultView.of(report.fault) if report.fault is not None else None,
        )
