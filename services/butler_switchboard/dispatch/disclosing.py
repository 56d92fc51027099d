"""What whoever wrote is told of answers that contradict each other (pure; SWB-29.1, ADR 0096).

The answer that counts is said as that, and what another butler has beside it; where none counts, all are said.
Invariant: of the same stored answers always the same words, so that telling it twice is telling it once.
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
"""Subjects; an answer is read by a person."""
_MOST_SAID: Final = 6


def disclosed(found: Sequence[Contradiction]) -> str | None:
    """The sentences; None where nothing contradicts anything."""
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
