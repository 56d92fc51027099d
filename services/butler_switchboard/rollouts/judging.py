"""Whether a candidate is certainly worse than what is usual (pure; SWB-36.1, ADR 0095).

Fisher's exact test of two proportions, one-sided, for each signal, adjusted by Holm for all of them: as for drift
(ADR 0089), with the same code. What is found must also be large enough to matter, and often enough. The judgement is a
function of counts alone, so every replica comes to the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from butler_rollups.drift import LEAST_CHANGE, LEAST_EVENTS, Share, at_least, holm

__all__ = ["Counts", "Finding", "Judgement", "Signal", "State", "judged"]


class Signal(StrEnum):
    """What a decision may be that a good one is not."""

    INVALID = "invalid_verdicts"
    FALLBACKS = "fallbacks"
    CORRECTED = "corrected"
    ERRORS = "errors"


class State(StrEnum):
    """`no_worse`: either arm has enough decisions, and nothing shows that the candidate's are worse; `worse`: they are,
    and the next look gives it up."""

    COLLECTING = "collecting"
    NO_WORSE = "no_worse"
    WORSE = "worse"
    ROLLED_BACK = "rolled_back"


@dataclass(frozen=True, slots=True)
class Counts:
    """The decisions of an arm, and of how many each signal is true."""

    decisions: int = 0
    signals: Mapping[Signal, int] = field(default_factory=dict)

    def share(self, signal: Signal) -> Share:
        return Share(self.signals.get(signal, 0), self.decisions)


@dataclass(frozen=True, slots=True)
class Finding:
    """A signal in either arm; `p` is the chance of so many or more were both alike, adjusted for all signals."""

    signal: Signal
    candidate: Share
    usual: Share
    p: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """`worse`: the most certain of what the candidate is rolled back for; None: it stays."""

    state: State
    worse: Finding | None = None


def judged(usual: Counts, candidate: Counts, *, minimum: int, significance: float) -> Judgement:
    """What the counts of both arms say of the candidate; nothing with fewer than `minimum` decisions of either."""
    if min(usual.decisions, candidate.decisions) < minimum:
        return Judgement(State.COLLECTING)
    pairs = [(signal, candidate.share(signal), usual.share(signal)) for signal in Signal]
    chances = holm([at_least(tried, known) for _, tried, known in pairs])
    found = [
        Finding(signal, tried, known, p)
        for (signal, tried, known), p in zip(pairs, chances, strict=True)
        if p <= significance and _matters(tried, known)
    ]
    if not found:
        return Judgement(State.NO_WORSE)
    return Judgement(State.WORSE, min(found, key=lambda one: one.p))


def _matters(tried: Share, known: Share) -> bool:
    return tried.count >= LEAST_EVENTS and tried.rate - known.rate >= LEAST_CHANGE
