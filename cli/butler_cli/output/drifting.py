"""Drifts in the quality of routing, in lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["drift_lines", "drift_notes"]

_SHOWN: Final = 3
_WORDS: Final = {
    "corrected": "messages said to be another butler's",
    "divided": "messages of several parts",
    "fallbacks": "messages to general for want of a decision",
    "invalid_verdicts": "decisions that could not be used",
    "partial_failures": "messages that failed in part",
    "total_failures": "messages that failed",
}


def drift_lines(drifts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return one line per drift: what, where, how it is and how it was."""
    return tuple(
        f"{_WORDS.get(str(one.get('measure')), str(one.get('measure')))}{_where(one)}: "
        f"{_share(one.get('recent'))} in 7 days, {_share(one.get('before'))} in the 28 before"
        for one in drifts
    )


def drift_notes(drifts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a note for a status, which has no room for all drifts."""
    if not drifts:
        return ()
    more = f"; and {len(drifts) - _SHOWN} more" if len(drifts) > _SHOWN else ""
    return (f"routing has drifted: {'; '.join(drift_lines(drifts[:_SHOWN]))}{more} (`butlers quality`)",)


def _where(one: Mapping[str, Any]) -> str:
    dimension = one.get("dimension")
    return "" if dimension == "household" else f", {dimension} {one.get('name') or '(none)'}"


def _share(share: object) -> str:
    if not isinstance(share, Mapping):
        return "?"
    return f"{share.get('count')} of {share.get('of')}"
