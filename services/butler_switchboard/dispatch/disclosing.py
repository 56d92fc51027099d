"""What a sender is told about answers that contradict each other (pure; SWB-29.1, ADR 0096).

The answer that counts is named as such, then what the other butlers have; if none counts, all are named.
Invariant: the same stored answers always give the same words, so that telling it twice is telling it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_contracts.language import Language
from butler_switchboard.dispatch.arbitration import Claimed, Contradiction
from butler_switchboard.locale import noop, say

__all__ = ["disclosed"]

_COUNTS: Final = noop("I go by what {butler} has: {said}.")
_OTHERWISE: Final = noop("{butler} has something else: {said}.")
_UNDECIDED: Final = noop("These differ, and I do not choose between them: {all}. Please check.")
_MOST: Final = 3
"""The most subjects, because a person reads the answer."""
_MOST_SAID: Final = 6


def disclosed(found: Sequence[Contradiction]) -> str | None:
    """Return the sentences; None if there is no contradiction."""
    return "\n".join(dict.fromkeys(_sentence(one) for one in found[:_MOST])) or None


def _sentence(found: Contradiction) -> str:
    language = _language(found)
    losers = list({(one.butler, one.claim.has): one for one in found.losers}.values())[:_MOST_SAID]
    if found.winner is None:
        return say(language, _UNDECIDED, all="; ".join(f"{one.butler}: {_said(one)}" for one in losers))
    first = say(language, _COUNTS, butler=found.winner.butler, said=_said(found.winner))
    return " ".join(
        [first, *(say(language, _OTHERWISE, butler=one.butler, said=_said(one)) for one in losers)]
    )


def _said(one: Claimed) -> str:
    return (one.claim.said or one.claim.value).rstrip(".")


def _language(found: Contradiction) -> Language:
    return next((one.claim.language for one in found.claimed if one.claim.language is not None), "en")
