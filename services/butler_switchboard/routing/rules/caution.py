"""How much must speak for a butler before it gets a message, or a part of one (SWB-03.2, SWB-03.3; pure).

Invariant: a specialist is chosen only when it is likely and clearly likelier than any other butler, a further butler
only when a part of several words is surely its matter. The values are those of least harm in cross-validation and on
the development set, see MODEL.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from butler_switchboard.routing.registry_view import GENERAL
from butler_switchboard.routing.rules.scoring import Assessment
from butler_switchboard.routing.rules.units import Cut

__all__ = ["Claim", "is_sure", "leader", "stands_alone"]

_ONE_WORD, _FEW_WORDS, _FEW = 0.85, 0.7, 3
_MARGIN = 0.3
_OWN, _OWN_SOFT, _OWN_WRITTEN = 0.7, 0.85, 0.95
_OWN_WORDS = 2
_OWN_GENERAL = 0.93
_SHORT = 2


@dataclass(frozen=True, slots=True)
class Claim:
    """A butler's part of a message: what was made of the part, and what divides it from the one before."""

    butler: str
    score: Assessment
    cut: Cut


def is_sure(whole: Assessment, butler: str, confidence: float, threshold: float) -> bool:
    """Whether a specialist may have the whole message: the fewer the words, the more each has to say."""
    shown = any(item.topic == butler for item in whole.evidence)
    few = _ONE_WORD if whole.words < 2 else _FEW_WORDS if whole.words <= _FEW and not shown else 0.0
    return confidence >= max(threshold, few) and confidence - _rival(whole, butler) >= _MARGIN


def _rival(whole: Assessment, butler: str) -> float:
    return max((value for name, value in whole.butlers.items() if name != butler), default=0.0)


def leader(claims: Sequence[Claim], names: set[str], whole: Assessment) -> str:
    """The butler that the message is mostly about: that of the whole, or the one with the most words."""
    if whole.best in names:
        return whole.best
    said = {name: sum(c.score.of(name) * c.score.words for c in claims if c.butler == name) for name in names}
    return max(sorted(said), key=lambda name: said[name])


def stands_alone(claim: Claim, *, written: bool) -> bool:
    """Whether a part is a matter of its own for a further butler: a clause that says so in several words."""
    if claim.butler == GENERAL:
        return claim.score.of(GENERAL) - claim.score.neutral >= _OWN_GENERAL and _telling(claim) >= _OWN_WORDS
    least = _OWN_WRITTEN if written else _OWN_SOFT if claim.cut == "soft" else _OWN
    return claim.score.of(claim.butler) >= least and _telling(claim) >= _OWN_WORDS


def _telling(claim: Claim) -> int:
    """The words of a part that can carry a subject, and what the rules found for the butler."""
    words = sum(len(word) > _SHORT for word, _ in claim.score.scored.words)
    return words + sum(item.topic == claim.butler for item in claim.score.evidence)
