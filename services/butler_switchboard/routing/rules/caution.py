"""How much must speak for a butler before it gets a message (SWB-03.3, SWB-03.5; pure).

Invariant: a specialist is chosen only when it is likely and clearly likelier than any other butler. The values did
least harm in cross-validation and on the development sets, see MODEL.md.
"""

from __future__ import annotations

from butler_switchboard.routing.rules.scoring import Assessment

__all__ = ["is_sure"]

_ONE_WORD, _FEW_WORDS, _FEW = 0.85, 0.7, 3
_MARGIN = 0.3
_SHORT = 2


def is_sure(whole: Assessment, butler: str, confidence: float, threshold: float) -> bool:
    """Return whether a specialist may have the whole message; the fewer the words, the higher the bar."""
    shown = any(item.topic == butler for item in whole.evidence)
    few = _ONE_WORD if whole.words < 2 else _FEW_WORDS if whole.words <= _FEW and not shown else 0.0
    return confidence >= max(threshold, few) and confidence - _rival(whole, butler) >= _MARGIN


def _rival(whole: Assessment, butler: str) -> float:
    return max((value for name, value in whole.butlers.items() if name != butler), default=0.0)
