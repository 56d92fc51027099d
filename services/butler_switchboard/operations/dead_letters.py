"""Dead letters: listed, inspected, replayed once, discarded (SWB-32, D12, D55).

Invariants: a replay sends only the failed parts of the committed plan again, each as its next attempt; a request that
was given up before it had a plan is then routed for the first time; a dead letter is replayed or discarded once,
however often that is asked; the request's id stays. Everything that a replay needs is in the dead letter itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.errors import ButlerError, NotFound, ValidationFailed
from butler_contracts.keys import subrequest_id
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.operations import Acting, Effect, Operations, Order, Refused
from butler_kit.telemetry import get_logger
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.model import Branch, RequestState, Subroute
from butler_switchboard.dispatch.outcome import failed_parts
from butler_switchboard.dispatch.state import add_branches, load_request
from butler_switchboard.operations.dead_letter_models import (
    DeadLetterList,
    DeadLetterQuestion,
    DeadLetterSummary,
    DeadLetterView,
    DiscardView,
    ReplayView,
    closed_because,
)

__all__ = ["DeadLetters", "UnknownDeadLetter", "Waker", "dead_letters_of"]

_log = get_logger(__name__)

_SQL: Final = NamedQueries("butler_switchboard", "sql/dead_letters.sql")
_NEWEST: Final = (datetime(9998, 1, 1, tzinfo=UTC), UUID(int=2**128 - 1))
Row = Mapping[str, Any]


class UnknownDeadLetter(NotFound):
    """No such dead letter, or it is no longer kept (HTTP 404)."""


class Waker(Protocol):
    """Brings a request to a worker at once."""

    async def wake(self, request_id: UUID) -> None: ...


class DeadLetters:
    """The dead letters of Switchboard; `operations` makes each action happen once."""

    def __init__(self, pool: Pool, operations: Operations, waker: Waker) -> None:
        self._pool = pool
        self._operations = operations
        self._waker = waker

    async def page(self, asked: DeadLetterQuestion) -> DeadLetterList:
        """Return a page of dead letters, newest first."""
        async with transaction(self._pool, doing="listing dead letters") as connection:
            after = _NEWEST if asked.before is None else await _after(connection, asked.before)
            await connection.execute(_SQL["plan_each_time"])
            rows = await connection.fetch(
                _SQL["page"],
                *after,
                asked.since,
                None if asked.state == "all" else asked.state,
                asked.channel.value if asked.channel else None,
                asked.error_class,
                asked.target,
                asked.request_id,
                asked.limit + 1,
            )
        found = [DeadLetterSummary.of(dict(row)) for row in rows[: asked.limit]]
        return DeadLetterList(
            dead_letters=found, next=found[-1].dead_letter_id if len(rows) > asked.limit else None
        )

    async def inspect(self, dead_letter_id: UUID) -> DeadLetterView:
        """Return all of a dead letter. Raises `UnknownDeadLetter`."""
        async with acquire(self._pool, doing="reading a dead letter") as connection:
            row = await connection.fetchrow(_SQL["find"], dead_letter_id)
            if row is None:
                raise _unknown(dead_letter_id)
            kin = await connection.fetch(_SQL["of_request"], row["request_id"])
        return DeadLetterView.of(dict(row), lineage=[one["dead_letter_id"] for one in kin])

    async def newest_of(self, request_id: UUID) -> UUID:
        """Return the dead letter of a request's last failure. Raises `UnknownDeadLetter` with its state."""
        async with acquire(self._pool, doing="looking for a dead letter") as connection:
            found: UUID | None = await connection.fetchval(_SQL["newest_of_request"], request_id)
            if found is not None:
                return found
            state = await load_request(connection, request_id) if request_id.version == 7 else None
        raise UnknownDeadLetter(_nothing_failed(request_id, state))

    async def replay(self, dead_letter_id: UUID, order: Order) -> ReplayView:
        """Send the failed parts again. Raises `UnknownDeadLetter`, `Refused`, `KeyReused`."""
        done = await self._operations.run(order, lambda acting: _replay(acting, dead_letter_id))
        view = stored(ReplayView, done.document())
        if not done.repeated:
            await self._wake(view.request_id)
        return view

    async def discard(self, dead_letter_id: UUID, order: Order) -> DiscardView:
        """Keep it, and never replay it. Raises as `replay`."""
        done = await self._operations.run(order, lambda acting: _discard(acting, dead_letter_id))
        return stored(DiscardView, done.document())

    async def _wake(self, request_id: UUID) -> None:
        try:
            await self._waker.wake(request_id)
        except ButlerError as failure:
            _log.warning("replay_not_woken", request_id=str(request_id), why=failure.message)


async def dead_letters_of(connection: Connection, request_id: UUID) -> list[DeadLetterSummary]:
    """Return every dead letter of a request, the first one first."""
    rows = await connection.fetch(_SQL["of_request"], request_id)
    return [DeadLetterSummary.of(dict(row)) for row in rows]


async def _after(connection: Connection, dead_letter_id: UUID) -> tuple[datetime, UUID]:
    moment = await connection.fetchval(_SQL["moment_of"], dead_letter_id)
    if moment is None:
        raise ValidationFailed(f"before: {dead_letter_id} is no dead letter; expected the last one of a page")
    return moment, dead_letter_id


async def _locked(connection: Connection, dead_letter_id: UUID) -> Row:
    row = await connection.fetchrow(_SQL["lock"], dead_letter_id)
    if row is None:
        raise _unknown(dead_letter_id)
    return dict(row)


async def _replay(acting: Acting, dead_letter_id: UUID) -> Effect:
    connection = acting.connection
    letter = await _locked(connection, dead_letter_id)
    because = closed_because(letter)
    if because is not None:
        raise Refused(f"dead letter {dead_letter_id} cannot be replayed: {because}")
    request_id: UUID = letter["request_id"]
    state = await _restored(connection, letter)
    parts = failed_parts(state) if state.plan is not None else ()
    if not parts and state.plan is not None:
        raise Refused(
            f"dead letter {dead_letter_id} cannot be replayed: {_answered(state)}; `butlers discard` closes it"
        )
    again = [_again(part, dead_letter_id) for part in parts]
    received_at = uuid7_timestamp(request_id)
    await connection.execute(
        _SQL["leave_queue"], request_id
    )  # before the inbox row, in the order of ending a request
    if await connection.fetchval(_SQL["reopen"], request_id, received_at) is None:
        raise Refused(f"dead letter {dead_letter_id} cannot be replayed: its request is still under way")
    await add_branches(connection, request_id, again)
    await connection.execute(_SQL["queue_again"], request_id, received_at)
    await _close(acting, dead_letter_id, "replayed")
    done = (
        f"sent again to {', '.join(part.target for part in again)}" if again else "routed for the first time"
    )
    return Effect(
        answer={
            "dead_letter_id": str(dead_letter_id),
            "request_id": str(request_id),
            "state": "replayed",
            "replay": letter["generation"],
            "parts": [_part(request_id, part) for part in again],
        },
        summary=f"replay {letter['generation']} of dead letter {dead_letter_id}: {done}",
        request_id=request_id,
    )


async def _restored(connection: Connection, letter: Row) -> RequestState:
    """Return the request's state, from the dead letter's own copy if it is no longer kept."""
    dead_letter_id, request_id = letter["dead_letter_id"], letter["request_id"]
    received_at = uuid7_timestamp(request_id)
    if not await connection.fetchval(_SQL["message_is_there"], request_id, received_at):
        await connection.fetch(_SQL["make_month"], received_at)
        await connection.execute(_SQL["restore_message"], dead_letter_id)
    await connection.execute(_SQL["restore_plan"], dead_letter_id)
    await connection.execute(_SQL["restore_subroutes"], dead_letter_id)
    try:
        state = await load_request(connection, request_id)
    except Unreadable as failure:
        raise Refused(f"dead letter {dead_letter_id} cannot be replayed: {failure.message}") from failure
    if state is None or (state.plan is None and letter["routed"]):
        raise Refused(
            f"dead letter {dead_letter_id} cannot be replayed: its copy of the request cannot be read by this version"
        )
    return state


def _answered(state: RequestState) -> str:
    """Return why nothing of a routed request is left to do."""
    if any(part.late_ok for part in state.latest()):
        return "every part was answered after all, only too late"
    return "what was answered is all that its plan wanted"


def _again(failed: Subroute, dead_letter_id: UUID) -> Branch:
    return Branch(
        failed.segment_id, failed.target, failed.attempt + 1, failed.position, replay_of=dead_letter_id
    )


def _part(request_id: UUID, branch: Branch) -> dict[str, Any]:
    own_id = subrequest_id(request_id, branch.segment_id, branch.target, branch.attempt)
    return {
        "target": branch.target,
        "segment_id": branch.segment_id,
        "attempt": branch.attempt,
        "subrequest_id": str(own_id),
    }


async def _discard(acting: Acting, dead_letter_id: UUID) -> Effect:
    letter = await _locked(acting.connection, dead_letter_id)
    if letter["state"] != "open":
        raise Refused(f"dead letter {dead_letter_id} cannot be discarded: {closed_because(letter)}")
    await _close(acting, dead_letter_id, "discarded")
    return Effect(
        answer={
            "dead_letter_id": str(dead_letter_id),
            "request_id": str(letter["request_id"]),
            "state": "discarded",
        },
        summary=f"dead letter {dead_letter_id} is discarded: {letter['error_message']}",
        request_id=letter["request_id"],
    )


async def _close(acting: Acting, dead_letter_id: UUID, state: str) -> None:
    order = acting.order
    closed = await acting.connection.fetchval(
        _SQL["close"], dead_letter_id, state, order.who, order.reason, order.uid
    )
    if closed is None:
        raise Refused(f"dead letter {dead_letter_id} was closed by somebody else at this moment")


def _unknown(dead_letter_id: UUID) -> UnknownDeadLetter:
    return UnknownDeadLetter(f"dead letter {dead_letter_id} is not known; it may no longer be kept")


def _nothing_failed(request_id: UUID, state: RequestState | None) -> str:
    if state is None:
        return f"request {request_id} is not known here, and no dead letter is kept of it"
    if not state.concluded:
        return f"request {request_id} is still under way; only what has failed for good can be replayed"
    return f"request {request_id} ended {state.message.lifecycle_state}: nothing of it failed for good"
