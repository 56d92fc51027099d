"""An operator's intervention in a request under way: cancel, force-complete (SWB-38, CON-4.1, D70, ADR 0075).

Invariants: a request has one end, and the inbox row decides who ended it; effect, audit and answer are one
transaction; a request can be ended even if none of its documents is readable.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError, NotFound
from butler_contracts.language import Language
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import Connection, NamedQueries
from butler_kit.operations import Acting, Effect, Operations, Order, Refused
from butler_kit.telemetry import get_logger
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.lifecycle import end_text
from butler_switchboard.dispatch.outcome import parts_as_they_are
from butler_switchboard.dispatch.state import load_request
from butler_switchboard.operations.dead_letters import Waker
from butler_switchboard.operations.override_models import (
    EndedView,
    EndVerb,
    StoppedPart,
    end_state,
    said_of_end,
    stopped_because,
    told_of,
)

__all__ = ["EndEvents", "Overrides", "OwnWork", "UnknownRequest", "received_at_of", "unknown_request"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_switchboard", "sql/overrides.sql")
_SETTLE: Final = NamedQueries("butler_switchboard", "sql/dispatch.sql")["settle_replay"]
_TOLD: Final = NamedQueries("butler_switchboard", "sql/operations.sql")["notifications_of"]


class UnknownRequest(NotFound):
    """No such request, or it is no longer kept (HTTP 404)."""


class EndEvents(Protocol):
    """The metrics events for an end by an operator, which counts for no service level (SWB-41.1)."""

    def ended_untimed(self, state: str) -> None: ...


class OwnWork(Waker, Protocol):
    """The requests that this replica works on."""

    async def let_go(self) -> None:
        """End the sessions of requests that are no longer this replica's."""
        ...


class Overrides:
    """Ends requests by an operator's order; `work` ends their sessions and brings the next ones to a worker at once.

    `language` is the household's: a request is ended without being read.
    """

    def __init__(
        self, operations: Operations, work: OwnWork, events: EndEvents, *, language: Language = "en"
    ) -> None:
        self._operations = operations
        self._work = work
        self._events = events
        self._language: Language = language

    async def end(self, request_id: UUID, verb: EndVerb, order: Order) -> EndedView:
        """Cancel or force-complete it once. Raises `UnknownRequest`, `Refused` if it ended, `KeyReused`."""
        due: list[UUID] = []

        async def act(acting: Acting) -> Effect:
            effect, next_id = await self._ended(acting, request_id, end_state(verb))
            due.extend([request_id, *([next_id] if next_id else [])])
            return effect

        done = await self._operations.run(order, act)
        await self._wake(due)
        return stored(EndedView, done.document())

    async def _ended(self, acting: Acting, request_id: UUID, state: str) -> tuple[Effect, UUID | None]:
        connection, order = acting.connection, acting.order
        received_at = received_at_of(request_id)
        await connection.execute(_SQL["hold_work"], request_id)
        word = {"action": order.action, "by": order.who, "reason": order.reason, "operation_uid": order.uid}
        ended = await connection.fetchval(
            _SQL["end_request"],
            request_id,
            received_at,
            state,
            word,
            end_text(state, request_id, self._language),
        )
        if ended is None:
            raise await _not_ended(connection, request_id)
        because = stopped_because(state, order)
        rows = await connection.fetch(_SQL["stop_branches"], request_id, because, None)
        stopped = [StoppedPart(**dict(row)) for row in rows]
        await connection.execute(_SETTLE, request_id, state)
        await _keep_outcomes(connection, request_id)
        told = told_of([dict(row) for row in await connection.fetch(_TOLD, request_id)])
        next_id = await connection.fetchval(_SQL["announce_end"], request_id)
        acting.afterwards.append(lambda: self._events.ended_untimed(state))
        answer: dict[str, Any] = {
            "request_id": str(request_id),
            "state": state,
            "stopped": [part.model_dump(mode="json") for part in stopped],
            "told": [one.model_dump(mode="json") for one in told],
        }
        return Effect(answer, said_of_end(state, stopped, told), request_id=request_id), next_id

    async def _wake(self, due: list[UUID]) -> None:
        try:
            await self._work.let_go()
            for item_id in due:
                await self._work.wake(item_id)
        except ButlerError as failure:
            _log.warning("override_not_woken", due=[str(one) for one in due], why=failure.message)


def received_at_of(request_id: UUID) -> datetime:
    """Return the key of its partition. Raises `UnknownRequest` if the id is not a request's."""
    try:
        return uuid7_timestamp(request_id)
    except ValueError:
        raise unknown_request(request_id) from None


async def _not_ended(connection: Connection, request_id: UUID) -> ButlerError:
    row = await connection.fetchrow(_SQL["standing"], request_id, uuid7_timestamp(request_id))
    if row is None:
        return unknown_request(request_id)
    when = row["final_state_at"].isoformat(timespec="seconds")
    return Refused(f"request {request_id} has ended already: {row['lifecycle_state']} at {when}")


async def _keep_outcomes(connection: Connection, request_id: UUID) -> None:
    """Store the outcome of each part; nothing if the request cannot be read."""
    try:
        state = await load_request(connection, request_id)
    except Unreadable as failure:
        _log.warning("ended_unread", request_id=str(request_id), why=failure.message)
        return
    if state is None or state.plan is None:
        return
    await connection.execute(
        _SQL["keep_outcomes"], request_id, uuid7_timestamp(request_id), *parts_as_they_are(state.plan, state)
    )


def unknown_request(request_id: UUID) -> UnknownRequest:
    """Return the error for an unknown request."""
    return UnknownRequest(f"request {request_id} is not known; it may no longer be kept")
