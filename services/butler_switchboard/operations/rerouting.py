"""Gives a part of a request to another butler on an operator's order (SWB-38, D12, ADR 0075).

Invariants: the part keeps its words, its place and its request; its new attempt has a key of its own and names the one
that it replaced; no end of the request is written without regard to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ButlerError, Conflict
from butler_contracts.keys import subrequest_id
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import Connection, NamedQueries
from butler_kit.operations import Acting, Effect, Operations, Order, Refused
from butler_kit.telemetry import get_logger
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.model import Branch, RequestState, Subroute
from butler_switchboard.dispatch.recall import Recall
from butler_switchboard.dispatch.state import add_branches, load_request
from butler_switchboard.operations.dead_letters import Waker
from butler_switchboard.operations.override_models import RerouteBody, ReroutedView, part_to_reroute
from butler_switchboard.operations.overrides import received_at_of, unknown_request

__all__ = ["Held", "Rerouted", "Rerouting", "check_not_held", "reroute_part", "tell_rerouted"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_switchboard", "sql/overrides.sql")
_LETTERS: Final = NamedQueries("butler_switchboard", "sql/dead_letters.sql")


class Held(Conflict):
    """A butler that would have to take something cannot, because it is in quarantine."""

    def __init__(self, butler: str) -> None:
        super().__init__(f"{butler} is in quarantine, so nothing was done; release it first")
        self.butler = butler


@dataclass(frozen=True, slots=True)
class Rerouted:
    """A part as it was, in the request as it was, and the attempt that replaced it."""

    state: RequestState
    part: Subroute
    branch: Branch

    def answer(self) -> dict[str, Any]:
        branch, request_id = self.branch, self.state.request_id
        own_id = subrequest_id(request_id, branch.segment_id, branch.target, branch.attempt)
        return {
            "request_id": str(request_id),
            "was": self.part.state.value,
            "rerouted_from": str(self.part.subrequest_id),
            "part": {
                "target": branch.target,
                "segment_id": branch.segment_id,
                "attempt": branch.attempt,
                "subrequest_id": str(own_id),
            },
        }


class Rerouting:
    """Gives parts to other butlers; `recall` tells the ones that have lost them."""

    def __init__(self, operations: Operations, waker: Waker, recall: Recall) -> None:
        self._operations = operations
        self._waker = waker
        self._recall = recall

    async def reroute(self, request_id: UUID, asked: RerouteBody, order: Order) -> ReroutedView:
        """Reroute once. Raises `UnknownRequest`, `Refused`, `KeyReused`, `Conflict` if it cannot go there."""
        left: list[Subroute] = []

        async def act(acting: Acting) -> Effect:
            done = await reroute_part(acting, request_id, lambda _: asked)
            left.append(done.part)
            summary = f"the part of {done.part.target} ({done.part.state.value}) goes to {asked.to}"
            return Effect(done.answer() | {"state": "rerouted"}, summary, request_id=request_id)

        done = await self._operations.run(order, act)
        view = stored(ReroutedView, done.document())
        if not done.repeated:
            await tell_rerouted(request_id, left, self._waker, self._recall)
        return view


async def tell_rerouted(request_id: UUID, left: Iterable[Subroute], waker: Waker, recall: Recall) -> None:
    """Bring the request to a worker, and tell the butler that had its part that it is no longer its own."""
    try:
        await waker.wake(request_id)
        await recall.recall(part for part in left if not part.state.terminal)
    except ButlerError as failure:
        _log.warning("reroute_not_told", request_id=str(request_id), why=failure.message)


async def reroute_part(
    acting: Acting, request_id: UUID, which: Callable[[RequestState], RerouteBody]
) -> Rerouted:
    """Give the part that `which` names to its butler. Raises `UnknownRequest`, `Refused`, `Conflict`."""
    connection, order = acting.connection, acting.order
    received_at = received_at_of(request_id)
    await connection.execute(_SQL["hold_work"], request_id)
    ended = await connection.fetchval(_SQL["lock_request"], request_id, received_at)
    if ended is None:
        raise unknown_request(request_id)
    state = await _readable(connection, request_id)
    asked = which(state)
    part = part_to_reroute(state, asked)
    await _check_target(connection, asked.to)
    because = f"rerouted to {asked.to} by {order.who}: {order.reason}"
    await connection.execute(_SQL["stop_branches"], request_id, because, part.subrequest_id)
    letter = await _under_way_again(acting, request_id) if ended else None
    await connection.execute(_SQL["count_reroute"], request_id, received_at)
    branch = Branch(
        part.segment_id,
        asked.to,
        part.attempt + 1,
        part.position,
        replay_of=letter or part.replay_of,
        rerouted_from=part.subrequest_id,
    )
    await add_branches(connection, request_id, [branch])
    return Rerouted(state, part, branch)


async def _readable(connection: Connection, request_id: UUID) -> RequestState:
    try:
        state = await load_request(connection, request_id)
    except Unreadable as failure:
        raise Refused(f"request {request_id} cannot be rerouted: {failure.message}") from failure
    if state is None or state.plan is None:
        raise Refused(f"request {request_id} has not been routed, so no part of it can go elsewhere")
    return state


async def _check_target(connection: Connection, butler: str) -> None:
    """Raise `Conflict` if the butler cannot take it now; as that may change soon, nothing is kept of it."""
    if await check_not_held(connection, butler) is None:
        raise Conflict(f"no specialist {butler} runs here, so nothing was done")


async def check_not_held(connection: Connection, butler: str) -> str | None:
    """Return the butler's state; None for one that is not known. Raises `Held` for one in quarantine."""
    standing: str | None = await connection.fetchval(_SQL["target_standing"], butler)
    if standing == "quarantined":
        raise Held(butler)
    return standing


async def _under_way_again(acting: Acting, request_id: UUID) -> UUID | None:
    """Bring an ended request back into the queue; return the dead letter that this settles, if any."""
    connection, order = acting.connection, acting.order
    received_at = uuid7_timestamp(request_id)
    letter: UUID | None = await connection.fetchval(_SQL["open_dead_letter"], request_id)
    await connection.execute(_LETTERS["leave_queue"], request_id)
    await connection.execute(_LETTERS["reopen"], request_id, received_at)
    await connection.execute(_LETTERS["queue_again"], request_id, received_at)
    if letter is not None:
        await connection.execute(_LETTERS["close"], letter, "replayed", order.who, order.reason, order.uid)
    return letter
