"""`route_inbox` and its work rows: accepted once, decided once, ended once (SWB-17.3, CON-4.4, D11, D12).

Invariants: one statement inserts the inbox row with its work row, and the statement that ends the row deletes the
work row; the holder of the lease writes outcome, records and messages to send in one statement.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, Literal
from uuid import UUID

import asyncpg

from butler_contracts.errors import ErrorDetail, InternalFailure
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.people import PeopleV1
from butler_contracts.route import RouteEnvelopeV1
from butler_contracts.stored import stored
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.faults import points, reached_async
from butler_kit.queue import Lease, LeaseLost
from butler_specialist.store.conversation import question_from_wire, question_to_wire
from butler_specialist.store.model import Abandoned, Outcome, RoutedWork, Telling
from butler_specialist.store.records import changes_of, facts_of
from butler_specialist.store.reminder_answers import answers_of
from butler_specialist.store.reminders import reminders_of, wishes_of
from butler_specialist.store.scheduled import scheduled_from
from butler_specialist.store.tellings import telling_from, telling_to_wire
from butler_specialist.store.visibility import ALL_HOUSEHOLD, Policy, Viewer

__all__ = ["Cancelled", "RouteInbox"]

Cancelled = Literal["cancelled", "ended", "unknown"]
"""The result of a cancellation; `ended`: the work already had its outcome."""

_SQL = NamedQueries("butler_specialist.sql", "inbox.sql")
_ACCEPT: Final = _SQL["accept"]
_FIND: Final = _SQL["find"]
_BEGIN: Final = _SQL["begin_run"]
_COMMIT: Final = _SQL["commit_outcome"]
_EARLIER: Final = _SQL["earlier_outcome"]
_OVERTAKEN: Final = NamedQueries("butler_specialist.sql", "former.sql")["overtaken"]
_KEEP_RESPONSE: Final = _SQL["keep_notify_response"]
_KEEP_TELLING: Final = _SQL["keep_telling_response"]
_KEEP_BOOKING: Final = _SQL["keep_booking"]
_FALLBACK: Final = _SQL["use_fallback"]
_FINISH: Final = _SQL["finish"]
_ABANDON: Final = _SQL["abandon"]
_CANCEL: Final = _SQL["cancel"]
_MEET: Final = _SQL["meet"]


class RouteInbox:
    """Routed work in the pool's schema and its queue `route_work`; `policy` decides whose its facts are."""

    def __init__(
        self, pool: Pool, *, capacity: int, policy: Policy = ALL_HOUSEHOLD, books: bool = False
    ) -> None:
        self._pool = pool
        self._policy = policy
        self._capacity = capacity
        self._books = books

    async def accept(
        self,
        envelope: RouteEnvelopeV1,
        *,
        lane: str,
        thread_key: str | None,
        teller: str,
        order_key: str | None = None,
    ) -> bool:
        """Store and queue a subrequest; return False if it is known already, or if there is no room.

        It waits for earlier work of its thread, or of its `order_key` if it has one.
        """
        subrequest, context = envelope.subrequest, envelope.request_context
        await reached_async(points.ACCEPT_BEFORE_COMMIT)
        async with acquire(self._pool, doing="accepting routed work") as connection:
            accepted = await connection.fetchval(
                _ACCEPT,
                subrequest.subrequest_id,
                context.request_id,
                subrequest.segment_id,
                envelope.undated().unpeopled().to_wire(),
                envelope.limits.max_queue_wait_s,
                self._capacity,
                lane,
                context.source_channel.value,
                thread_key,
                context.observed_at,
                envelope.people.to_wire() if envelope.people is not None else None,
                teller,
                order_key or thread_key,
            )
        if accepted is None:
            return False
        await reached_async(points.ACCEPT_COMMITTED)
        return True

    async def find(self, subrequest_id: UUID) -> RoutedWork | None:
        """Return the subrequest as it stands. Raises `Unreadable`."""
        async with acquire(self._pool, doing="reading routed work") as connection:
            row = await connection.fetchrow(_FIND, subrequest_id)
        return replace(_work(row), books=self._books) if row is not None else None

    async def begin(self, lease: Lease) -> int | None:
        """Count one more run; None when the outcome is already known. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="starting routed work") as connection:
            row = await connection.fetchrow(_BEGIN, lease.item_id, lease.lease_id)
        _check_held(lease, row is not None and row["held"])
        return row["runs"] if row is not None else None

    async def meet(self, lease: Lease, work: RoutedWork, people: PeopleV1) -> RoutedWork:
        """Store who the work is for, which no message states. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="keeping for whom a schedule is") as connection:
            held = await connection.fetchval(_MEET, lease.item_id, lease.lease_id, people.to_wire())
        _check_held(lease, held)
        return replace(work, people=people)

    async def earlier_outcome(self, work: RoutedWork) -> Outcome | None:
        """Return what another attempt at the same segment came to: told again, not done again (SWB-11.1)."""
        segment_id = work.envelope.subrequest.segment_id
        async with acquire(self._pool, doing="looking for an earlier attempt") as connection:
            row = await connection.fetchrow(_EARLIER, work.request_id, segment_id, work.subrequest_id)
        if row is None:
            return None
        return Outcome(
            result=row["result"],
            notify=_notify(row["notify_request"]),
            fallback=_notify(row["notify_fallback"]),
            tags=("earlier_attempt",),
            question=question_from_wire(row["asked"]),
            tellings=_tellings(row["tellings"]),
        )

    async def overtaken(self, work: RoutedWork) -> bool:
        """Return whether an edit of the message was worked on before this former version of it."""
        segment_id = work.envelope.subrequest.segment_id
        async with acquire(self._pool, doing="looking for an edit") as connection:
            found: bool = await connection.fetchval(_OVERTAKEN, work.request_id, segment_id)
        return found

    async def commit(self, lease: Lease, work: RoutedWork, outcome: Outcome) -> RoutedWork | None:
        """Write the outcome with everything that belongs to it, once; return the work as it then stands.

        None if it already had an outcome. Raises `LeaseLost`, and a retryable `InternalFailure` if a record to be
        changed is no longer as it was when the change was decided: nothing is written, and the work is done anew.
        """
        context = work.envelope.request_context
        async with acquire(self._pool, doing="keeping the outcome of routed work") as connection:
            row = await connection.fetchrow(
                _COMMIT,
                work.subrequest_id,
                outcome.result,
                _wire(outcome.error),
                outcome.notify.to_wire() if outcome.notify is not None else None,
                outcome.fallback.to_wire() if outcome.fallback is not None else None,
                list(outcome.tags),
                lease.lease_id,
                facts_of(work.envelope, outcome.records, self._policy),
                context.source_channel.value,
                context.source_sender_identity,
                context.sender_class,
                work.contact_id,
                changes_of(work.envelope, outcome.changes),
                question_to_wire(outcome.question),
                reminders_of(work, outcome.reminders),
                [stop.reminder_id for stop in outcome.reminder_stops],
                answers_of(work, outcome),
                wishes_of(work, outcome.wishes),
                [telling_to_wire(one) for one in outcome.tellings] or None,
                *Viewer(None, self._policy, family=work.role != "guest").arguments[1:],
                list(outcome.held),
                outcome.forgets,
            )
        _check_held(lease, row is not None and row["held"])
        if row is not None and row["subrequest_id"] is None and row["stale"]:
            raise InternalFailure("a record was changed by another message meanwhile", retryable=True)
        if row is None or row["subrequest_id"] is None:
            return None
        return replace(
            work,
            lifecycle_state=row["lifecycle_state"],
            now=row["now"],
            started_at=row["started_at"],
            outcome_at=row["outcome_at"],
            result=outcome.result,
            error=outcome.error,
            notify_request=outcome.notify,
            notify_fallback=outcome.fallback,
            tellings=outcome.tellings,
        )

    async def keep_notify_response(
        self, lease: Lease, work: RoutedWork, response: dict[str, Any]
    ) -> RoutedWork | None:
        """Store the result of sending the answer, which is not sent again; return the work as it then stands.

        None if a result was stored already. Raises `LeaseLost`.
        """
        async with acquire(self._pool, doing="keeping an acknowledgement") as connection:
            row = await connection.fetchrow(_KEEP_RESPONSE, lease.item_id, lease.lease_id, response)
        _check_held(lease, row is not None and row["held"])
        return replace(work, now=row["now"], notify_response=response) if row and row["kept"] else None

    async def keep_telling_response(
        self, lease: Lease, work: RoutedWork, place: int, response: dict[str, Any]
    ) -> RoutedWork | None:
        """Store the result of a telling, as `keep_notify_response` does. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="keeping what became of a telling") as connection:
            row = await connection.fetchrow(_KEEP_TELLING, lease.item_id, lease.lease_id, place, response)
        _check_held(lease, row is not None and row["held"])
        if not row or not row["kept"]:
            return None
        told = replace(work.tellings[place], response=response)
        return replace(
            work, now=row["now"], tellings=(*work.tellings[:place], told, *work.tellings[place + 1 :])
        )

    async def keep_booking(self, lease: Lease, work: RoutedWork, said: str) -> RoutedWork | None:
        """Store what the answer says about the calendar, as `keep_notify_response` does.

        Raises `LeaseLost`.
        """
        async with acquire(self._pool, doing="keeping what is said of the calendar") as connection:
            row = await connection.fetchrow(_KEEP_BOOKING, lease.item_id, lease.lease_id, said)
        _check_held(lease, row is not None and row["held"])
        return replace(work, now=row["now"], booking=said) if row and row["kept"] else None

    async def use_fallback(self, lease: Lease) -> None:
        """Switch the answer to the other channel. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="changing the channel of an answer") as connection:
            held = await connection.fetchval(_FALLBACK, lease.item_id, lease.lease_id)
        _check_held(lease, held)

    async def finish(self, lease: Lease, *, tags: tuple[str, ...] = ()) -> None:
        """End the row and remove it from the queue. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="finishing routed work") as connection:
            gone = await connection.fetchval(_FINISH, lease.item_id, list(tags), lease.lease_id)
        _check_held(lease, gone is not None)

    async def abandon(self, lease: Lease, error: ErrorDetail) -> Abandoned | None:
        """Write the outcome of a row that nobody can work on, without reading the row, unless it has one.

        None if it has ended or is gone. Raises `LeaseLost`.
        """
        async with acquire(self._pool, doing="giving routed work up") as connection:
            row = await connection.fetchrow(_ABANDON, lease.item_id, _wire(error), lease.lease_id)
        _check_held(lease, row is not None and row["held"])
        if row is None or row["request_id"] is None:
            return None
        return Abandoned(
            lease.item_id, row["request_id"], error, row["started_at"], row["outcome_at"], row["now"]
        )

    async def cancel(self, subrequest_id: UUID, error: ErrorDetail) -> Cancelled:
        """End it with this error unless it has an outcome, whoever holds its lease."""
        async with acquire(self._pool, doing="cancelling routed work") as connection:
            cancelled = await connection.fetchval(_CANCEL, subrequest_id, _wire(error))
        if cancelled is None:
            return "unknown"
        return "cancelled" if cancelled else "ended"


def _check_held(lease: Lease, held: bool) -> None:
    if not held:
        raise LeaseLost(f"route_work: the lease on {lease.item_id} is lost (attempt {lease.attempt})")


def _work(row: asyncpg.Record) -> RoutedWork:
    return RoutedWork(
        envelope=stored(RouteEnvelopeV1, row["envelope"]),
        observed_at=row["observed_at"],
        people=stored(PeopleV1, row["people"]) if row["people"] is not None else None,
        lifecycle_state=row["lifecycle_state"],
        accepted_at=row["accepted_at"],
        queue_deadline_at=row["queue_deadline_at"],
        now=row["now"],
        runs=row["runs"],
        started_at=row["started_at"],
        outcome_at=row["outcome_at"],
        finished_at=row["finished_at"],
        result=row["result"],
        error=stored(ErrorDetail, row["error"]) if row["error"] is not None else None,
        notify_request=_notify(row["notify_request"]),
        notify_fallback=_notify(row["notify_fallback"]),
        notify_response=row["notify_response"],
        tellings=_tellings(row["tellings"]),
        scheduled=scheduled_from(row["scheduled"]) if row["scheduled"] is not None else None,
        booking=row["booking"],
    )


def _tellings(documents: list[dict[str, Any]] | None) -> tuple[Telling, ...]:
    return tuple(telling_from(one) for one in documents or ())


def _notify(document: dict[str, Any] | None) -> NotifyRequestV1 | None:
    return stored(NotifyRequestV1, document) if document is not None else None


def _wire(error: ErrorDetail | None) -> dict[str, Any] | None:
    return error.model_dump(mode="json", by_alias=True) if error is not None else None
