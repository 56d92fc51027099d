"""What a butler has to know of others that are asked the same question (pure; ADR 0043, ADR 0092)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from butler_contracts.route import TogetherV1
from butler_switchboard.dispatch.model import Plan, RequestState, Subroute, SubrouteState
from butler_switchboard.routing.everybody import ASKED_OF_ALL
from butler_switchboard.routing.memory import ASKED_OF_MEMORIES, FORGOTTEN_BY_ALL
from butler_switchboard.routing.tellers import ASKED_OF_TELLERS

__all__ = ["ONE_QUESTION", "together_of"]

_OF: Final[Mapping[str, Literal["told", "memory"] | None]] = {
    ASKED_OF_ALL: None,
    ASKED_OF_TELLERS: "told",
    ASKED_OF_MEMORIES: "memory",
    FORGOTTEN_BY_ALL: "memory",
}
ONE_QUESTION: Final = frozenset(_OF)
"""The reasons of plans in which each butler gets the same text."""


def together_of(state: RequestState, plan: Plan, subroute: Subroute) -> TogetherV1 | None:
    """Return how many before it had an answer, and whether it is the last; None if it is asked alone."""
    if plan.reason not in ONE_QUESTION:
        return None
    before = [item for item in state.latest() if item.position < subroute.position]
    last = all(target.position <= subroute.position for target in plan.targets)
    answered = sum(_answered(item) for item in before)
    return TogetherV1(answered=answered, last=last, of=_OF[plan.reason])


def _answered(item: Subroute) -> bool:
    result = (item.response or {}).get("result") or {}
    return item.state is SubrouteState.OK and bool(result.get("reply") or result.get("notified"))
