"""PURE: an operator's intervention in a request, as its answer and in words for people (SWB-38)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal
from uuid import UUID

from butler_contracts.text import ButlerName
from butler_kit.operations import ActBody, Order, Refused
from butler_switchboard.dispatch.lifecycle import CANCELLED, FORCE_COMPLETED
from butler_switchboard.dispatch.model import RequestState, Subroute, SubrouteState
from butler_switchboard.dispatch.withdrawing import own_parts
from butler_switchboard.operations.dead_letter_models import Operated, ReplayedPart
from butler_switchboard.operations.view import View

__all__ = [
    "EndVerb",
    "EndedView",
    "RerouteBody",
    "ReroutedView",
    "StoppedPart",
    "ToldMessage",
    "end_state",
    "part_to_reroute",
    "said_of_end",
    "stopped_because",
    "told_of",
]

EndVerb = Literal["cancel", "complete"]
_STATES: Final[dict[EndVerb, str]] = {"cancel": CANCELLED, "complete": FORCE_COMPLETED}
_DONE: Final[dict[str, str]] = {CANCELLED: "cancelled", FORCE_COMPLETED: "force-completed"}


class StoppedPart(View):
    """A part that was open; `was` is how far it had come."""

    subrequest_id: UUID
    segment_id: str
    target: str
    was: Literal["pending", "accepted", "started"]


class ToldMessage(View):
    """What a butler had told, or wanted to tell; `state` None: Messenger has not said yet."""

    butler: str
    channel: str
    state: str | None


class EndedView(Operated):
    """The end of a request by an operator: what it stopped, and what had been told by then."""

    request_id: UUID
    state: Literal["cancelled", "force_completed"]
    stopped: list[StoppedPart]
    told: list[ToldMessage]


class RerouteBody(ActBody):
    """Whose part goes to whom; what is not that butler's any more is refused, so one of two orders at once is done."""

    butler: ButlerName
    to: ButlerName


class ReroutedView(Operated):
    """A part that is at another butler now; `was` is how far it had come at the one before."""

    request_id: UUID
    state: Literal["rerouted"]
    was: str
    rerouted_from: UUID
    part: ReplayedPart


def part_to_reroute(state: RequestState, asked: RerouteBody) -> Subroute:
    """Return the newest attempt of the part that is to go elsewhere. Raises `Refused`."""
    parts = own_parts(state)
    found = [item for item in parts if item.target == asked.butler]
    if not found:
        now = ", ".join(item.target for item in parts) or "nobody"
        raise Refused(f"no part of request {state.request_id} is at {asked.butler}; it is at {now}")
    if len(found) > 1:
        raise Refused(
            f"{len(found)} parts of request {state.request_id} are at {asked.butler}; replay or cancel it"
        )
    if asked.to == asked.butler:
        raise Refused(f"the part is at {asked.to} already; a replay sends again what failed there")
    if any(_has_it(item, asked.to) for item in state.subroutes if item.position == found[0].position):
        raise Refused(f"{asked.to} has had this part already, and nothing is done twice")
    return found[0]


def _has_it(item: Subroute, butler: str) -> bool:
    return item.target == butler and (
        item.late_ok or item.state not in (SubrouteState.ERROR, SubrouteState.SKIPPED)
    )


def end_state(verb: EndVerb) -> str:
    """Return the lifecycle state in which the verb ends a request."""
    return _STATES[verb]


def said_of_end(state: str, stopped: Sequence[StoppedPart], told: Sequence[ToldMessage]) -> str:
    """Return the line for the audit."""
    line = f"request is {_DONE[state]}"
    if stopped:
        line += f"; stopped {', '.join(f'{part.target} ({part.was})' for part in stopped)}"
    if told:
        line += f"; told before: {', '.join(f'{one.butler} ({one.state or one.channel})' for one in told)}"
    return line


def stopped_because(state: str, order: Order) -> str:
    """Return the reason for the end of a part that was open."""
    return f"{_DONE[state]} by {order.who}: {order.reason}"


def told_of(rows: Sequence[Mapping[str, Any]]) -> list[ToldMessage]:
    """Return what butlers wanted to tell, without reactions and Switchboard's own messages."""
    return [
        ToldMessage(butler=row["origin_butler"], channel=row["channel"], state=row["delivery_state"])
        for row in rows
        if row["intent"] != "react" and row["origin_butler"] != "switchboard"
    ]
