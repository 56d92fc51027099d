"""Which decisions tell something of the arm they belong to, and what (pure; SWB-36.1).

A model was not had, or answered with nothing usable, or with a usable verdict. What would have happened with any model
says nothing: a key that is refused, an address that is away, a day's budget that is used up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from butler_contracts.budgets import Bound
from butler_contracts.errors import ErrorDetail
from butler_kit.runtime.api.faults import FaultKind
from butler_switchboard.rollouts.trial import Trial

__all__ = ["trial_after"]

_OF_ANY_MODEL: Final = frozenset(
    {
        *(kind.value for kind in FaultKind if kind.of_endpoint),
        *(bound.value for bound in (Bound.DAY_CENTS, Bound.DAY_SESSIONS, Bound.PERSON_DAY_CENTS)),
    }
)
_NO_ANSWER: Final = frozenset({*(kind.value for kind in FaultKind), Bound.SESSION_SECONDS.value})


def trial_after(
    begun: Trial, *, wanted: str, asked: str | None, error: ErrorDetail | None, unclassified: bool
) -> Trial | None:
    """What a session tells; None where it tells nothing of its arm.

    `wanted` is the model that was to decide, `asked` the one that did, None where the session came to no end; `error`
    is the session's; `unclassified` says that what it recorded could not be used.
    """
    why = error.original_class if error is not None else None
    if why in _OF_ANY_MODEL:
        return None
    if asked == wanted:
        return replace(begun, invalid=unclassified)
    misled = asked is None and why is not None and why not in _NO_ANSWER
    return replace(begun, unanswered=not misled, invalid=misled)
