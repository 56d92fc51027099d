"""Which decisions are evidence about their arm, and of what (pure; SWB-36.1).

A model was not available, or its answer was not usable, or it gave a usable verdict. What would have happened with
any model is no evidence: a refused key, an unreachable address, a used-up daily budget.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from butler_contracts.budgets import Bound
from butler_contracts.errors import ErrorDetail
from butler_kit.runtime.api.faults import FaultKind
from butler_switchboard.rollouts.trial import Trial

__all__ = ["Decider", "trial_after"]

_OF_ANY_MODEL: Final = frozenset(
    {
        *(kind.value for kind in FaultKind if kind.of_endpoint),
        *(bound.value for bound in (Bound.DAY_CENTS, Bound.DAY_SESSIONS, Bound.PERSON_DAY_CENTS)),
    }
)
_NO_ANSWER: Final = frozenset({*(kind.value for kind in FaultKind), Bound.SESSION_SECONDS.value})


Decider = tuple[str, str]
"""A runtime family, and the model that it asks."""


def trial_after(
    begun: Trial,
    *,
    wanted: Decider,
    asked: Decider | None,
    error: ErrorDetail | None,
    unclassified: bool,
    apart: bool = False,
) -> Trial | None:
    """Return what a session shows; None if it shows nothing about its arm.

    `wanted` was to decide, `asked` did, None if the session did not finish; `error` is the session's, also of who was
    to decide where another stood in; `unclassified` means that what it recorded could not be used. Rules show the same
    as a model: that they always answer is what a model is measured by (ADR 0117). `apart`: each side has a runtime of
    its own, so a program that breaks off is its side's own fault.
    """
    why = error.original_class if error is not None else None
    if why in _OF_ANY_MODEL and not (apart and why == FaultKind.PROGRAM_FAILED):
        return None
    if asked == wanted and error is None:
        return replace(begun, invalid=unclassified)
    misled = asked is None and why is not None and why not in _NO_ANSWER
    return replace(begun, unanswered=not misled, invalid=misled)
