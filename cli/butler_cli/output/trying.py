"""The state of a routing candidate that is tried on a share of the threads, in lines (SWB-36.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["rollout_lines"]

_WORDS: Final = {
    "corrected": "messages said to be another butler's",
    "errors": "messages for which its model gave no answer",
    "fallbacks": "messages to general for want of a decision",
    "invalid_verdicts": "decisions that could not be used",
}


def rollout_lines(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the line for `rollout` in the answer of `/quality`; none if nothing is tried."""
    rollout = answer.get("rollout")
    if not isinstance(rollout, Mapping):
        return ()
    usual, tried = _mapping(rollout.get("usual")), _mapping(rollout.get("candidate"))
    return (f"rollout of {_named(tried, usual)}: {_standing(rollout, usual, tried)}{_away(rollout)}",)


def _standing(rollout: Mapping[str, Any], usual: Mapping[str, Any], tried: Mapping[str, Any]) -> str:
    share = f"{rollout.get('percent')} % of the threads"
    seen = f"{tried.get('decisions')} decisions, {usual.get('decisions')} as usual"
    match rollout.get("state"):
        case "rolled_back":
            return (
                f"rolled back for {_worse(_mapping(rollout.get('worse')))}; it gets no thread. "
                "Remove it from the manifest, name another, or raise `attempt`"
            )
        case "worse":
            return f"is about to be rolled back for {_worse(_mapping(rollout.get('worse')))}"
        case "no_worse":
            return f"{share}, {seen}; nothing shows that it is worse"
    return f"{share}, {seen}; judged from {rollout.get('minimum_decisions')} of either"


def _worse(found: Mapping[str, Any]) -> str:
    signal = str(found.get("signal"))
    return f"{_WORDS.get(signal, signal)}: {_share(found.get('candidate'))}, as usual {_share(found.get('usual'))}"


def _named(tried: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """Return what is new about the candidate."""
    family, model = tried.get("family"), f"model {tried.get('model')}"
    if family != usual.get("family"):
        model = "family rules" if family == "rules" else f"family {family}, {model}"
    if tried.get("prompt_version") == usual.get("prompt_version"):
        return model
    return f"{model} with prompt {tried.get('prompt_version')}"


def _away(rollout: Mapping[str, Any]) -> str:
    """Return why the candidate's own runtime cannot be had now; "" if it can."""
    fault = _mapping(rollout.get("fault"))
    if not fault:
        return ""
    return f"; its runtime cannot be had ({fault.get('kind')}), so that what is usual decides: {fault.get('message')}"


def _share(share: object) -> str:
    found = _mapping(share)
    return f"{found.get('count')} of {found.get('of')}"


def _mapping(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}
