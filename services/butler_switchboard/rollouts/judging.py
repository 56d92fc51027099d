"""Whether a candidate is certainly worse than the usual version (pure; SWB-36.1, ADR 0095).

Fisher's exact test of two proportions, one-sided, for each signal, adjusted by Holm for all of them: as for drift
(ADR 0089), with the same code. A thread has one arm, and threads differ: the more an arm's threads differ, the fewer
decisions it counts for. A finding must also be large enough, and frequent enough, to matter. The judgement is a
function of counts alone, so every replica comes to the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from butler_rollups.drift import LEAST_CHANGE, LEAST_EVENTS, Share, at_least, holm

__all__ = ["Counts", "Finding", "Judgement", "Signal", "State", "effect_of_threads", "judged"]


class Signal(StrEnum):
    """The signs of a bad decision."""

    INVALID = "invalid_verdicts"
    FALLBACKS = "fallbacks"
    CORRECTED = "corrected"
    ERRORS = "errors"


class State(StrEnum):
    """`no_worse`: both arms have enough decisions, and nothing shows that the candidate's are worse; `worse`: they
    are, and the next check rolls it back."""

    COLLECTING = "collecting"
    NO_WORSE = "no_worse"
    WORSE = "worse"
    ROLLED_BACK = "rolled_back"


@dataclass(frozen=True, slots=True)
class Counts:
    """The decisions of an arm, how many of them show each signal, and how much less they tell as threads differ.

    `effects` are design effects from `effect_of_threads`; 1 if none is given.
    """

    decisions: int = 0
    signals: Mapping[Signal, int] = field(default_factory=dict)
    effects: Mapping[Signal, float] = field(default_factory=dict)

    def share(self, signal: Signal) -> Share:
        return Share(self.signals.get(signal, 0), self.decisions)

    def effect(self, signal: Signal) -> float:
        return self.effects.get(signal, 1.0)


@dataclass(frozen=True, slots=True)
class Finding:
    """A signal in both arms; `p` is the chance of so many or more if both were alike, adjusted by Holm."""

    signal: Signal
    candidate: Share
    usual: Share
    p: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """`worse` is the most certain finding for which the candidate is rolled back; None if it stays."""

    state: State
    worse: Finding | None = None


def effect_of_threads(share: Share, *, threads: int, squares: float) -> float:
    """Return how many decisions of an arm tell as much as one independent decision (Rao and Scott 1992), at least 1.

    `squares` is the sum over its threads of the squares of how many events each has beyond its part of the share.
    """
    if threads < 2 or share.count in (0, share.of):
        return 1.0
    alone = share.rate * (1 - share.rate) * share.of
    return max(1.0, threads / (threads - 1) * squares / alone)


def judged(usual: Counts, candidate: Counts, *, minimum: int, significance: float) -> Judgement:
    """Judge the candidate by the counts of both arms, once each has `minimum` decisions."""
    if min(usual.decisions, candidate.decisions) < minimum:
        return Judgement(State.COLLECTING)
    pairs = [(signal, candidate.share(signal), usual.share(signal)) for signal in Signal]
    effects = [max(candidate.effect(signal), usual.effect(signal)) for signal in Signal]
    chances = holm(
        [
            at_least(_alone(tried, effect), _alone(known, effect))
            for (_, tried, known), effect in zip(pairs, effects, strict=True)
        ]
    )
    found = [
        Finding(signal, tried, known, p)
        for (signal, tried, known), p in zip(pairs, chances, strict=True)
        if p <= significance and _matters(tried, known)
    ]
    if not found:
        return Judgement(State.NO_WORSE)
    return Judgement(State.WORSE, min(found, key=lambda one: one.p))


def _alone(share: Share, effect: float) -> Share:
    """Return the share with the same rate over the number of independent decisions that tell the same."""
    of = max(1, round(share.of / effect))
    return Share(min(of, round(share.count / effect)), of)


def _matters(tried: Share, known: Share) -> bool:
    return tried.count >= LEAST_EVENTS and tried.rate - known.rate >= LEAST_CHANGE
