"""The durable side of delivery: marker, attempts, receipts, ends (MSG-12, D41).

Invariants: a marker is committed before the provider call it stands for, and removed only together with the outcome
of that call, or by its own process if no call follows. A receipt is evidence and always accepted; only the holder of
the lease may record that something was *not* sent, since another worker may be sending by now.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ErrorClass, InternalFailure
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.queue import Lease, LeaseLost
from butler_messenger.attachments.decisions import Without
from butler_messenger.delivery.breaker import Circuit
from butler_messenger.delivery.circuits import circuit_of
from butler_messenger.delivery.outcomes import Failure
from butler_messenger.delivery.records import Delivery, Row
from butler_messenger.delivery.states import Status

__all__ = ["AttemptResult", "Completed", "DeadLetterMark", "DeliveryStore", "SuppressionMark", "Work"]

_QUERIES = NamedQueries("butler_messenger.sql", "delivery.sql")
_LOAD: Final = _QUERIES["load"]
_HOLD: Final = _QUERIES["hold_lease"]
_MARK: Final = _QUERIES["mark"]
_UNMARK: Final = _QUERIES["unmark"]
_ADD_RECEIPT: Final = _QUERIES["add_receipt"]
_CLEAR_MARKER: Final = _QUERIES["clear_marker"]
_SETTLE: Final = _QUERIES["settle_attempt"]
_SETTLE_OPEN: Final = _QUERIES["settle_open_attempt"]
_COMPLETE: Final = _QUERIES["complete_sent"]
_COMPLETE_CALL: Final = _QUERIES["complete_call"]
_GO_WITHOUT: Final = _QUERIES["go_without"]
_PUT_BACK: Final = _QUERIES["put_back"]
_END_UNSENT: Final = _QUERIES["end_unsent"]
_DEAD_LETTER: Final = _QUERIES["add_dead_letter"]
_THROTTLE: Final = _QUERIES["throttle"]
_THROTTLE_RECIPIENT: Final = _QUERIES["throttle_recipient"]
_ABANDON: Final = _QUERIES["abandon"]
_SUPPRESS: Final = NamedQueries("butler_messenger.sql", "suppressions.sql")["add"]

_OWN_NAME: Final = "messenger"
"""The actor recorded for suppressing an address that a provider says does not exist."""


@dataclass(frozen=True, slots=True)
class Work:
    """A delivery and everything its next step depends on; times are the database's."""

    delivery: Delivery
    now: datetime
    throttled_until: datetime | None
    circuit: Circuit
    tight: bool
    """Whether its account misses its service level: a send is then retried more slowly."""
    marked_part: int | None
    marked_attempt: int | None
    marked_at: datetime | None
    marked_cause: Failure | None
    """How the call behind an open marker is known to have ended; None if nobody was left to say."""
    last_attempt: int
    deferrals: int
    away_since: datetime | None
    """When a store of its files was first found unavailable, and how often."""
    away_looks: int
    received_parts: frozenset[int]


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """How one provider attempt ended, for its row in `delivery_attempts`."""

    attempt: int
    part: int
    tool: str
    outcome: str
    latency_ms: float
    failure: Failure | None = None
    consumed: bool = True
    response: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class DeadLetterMark:
    """The id and the reason of the dead letter that an end creates."""

    dead_letter_id: UUID
    reason: str


@dataclass(frozen=True, slots=True)
class SuppressionMark:
    """The id of the suppression that an end creates, and what the provider said (docs/adr/0083)."""

    suppression_id: UUID
    evidence: str


@dataclass(frozen=True, slots=True)
class Completed:
    """The end of a sent delivery; `delivery` is None when it had ended otherwise."""

    delivery: Delivery | None
    out_of_queue: bool


class DeliveryStore:
    """Reads and writes deliveries on behalf of the worker."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def load(self, delivery_id: UUID) -> Work | None:
        async with acquire(self._pool, doing="loading a delivery") as connection:
            row = await connection.fetchrow(_LOAD, delivery_id)
        if row is None:
            return None
        return Work(
            delivery=Delivery.from_row(row),
            now=row["db_now"],
            throttled_until=row["throttled_until"],
            circuit=circuit_of(row, prefix="circuit_"),
            tight=row["tight"],
            marked_part=row["marked_part"],
            marked_attempt=row["marked_attempt"],
            marked_at=row["marked_at"],
            marked_cause=_cause(row),
            last_attempt=row["last_attempt"],
            deferrals=row["deferrals"],
            away_since=row["away_since"],
            away_looks=row["away_looks"],
            received_parts=frozenset(row["received_parts"]),
        )

    async def mark(self, lease: Lease, *, attempt: int, part: int, tool: str) -> None:
        """Commit that provider call `part` is about to be made; raise `LeaseLost` if it must not be."""
        async with acquire(self._pool, doing="marking a delivery") as connection:
            marked = await connection.fetchval(_MARK, lease.item_id, attempt, part, tool, lease.lease_id)
        if marked is None:
            raise LeaseLost(f"delivery {lease.item_id}: the lease was lost before the provider call")

    async def unmark(self, lease: Lease, *, attempt: int) -> None:
        """Take back a mark that may have been committed, and its attempt: no call was made."""
        async with self._held(lease, "taking a mark back") as connection:
            await connection.execute(_UNMARK, lease.item_id, attempt)
            await connection.execute(_PUT_BACK, lease.item_id, 0, None, None, None)

    async def part_sent(self, delivery_id: UUID, result: AttemptResult, provider_delivery_id: str) -> None:
        """Record the receipt of a part that is not the last."""
        async with transaction(self._pool, doing="recording a receipt") as connection:
            await self._receipt(connection, delivery_id, result, provider_delivery_id)

    async def complete(
        self, lease: Lease, result: AttemptResult, provider_delivery_id: str, *, told: bool
    ) -> Completed:
        """Record the last receipt and the end, and take the row out of the queue if the lease still holds.

        `told`: the requester is waiting in this process and learns of the end from the answer to the call.
        """
        response = dict(result.response) if result.response is not None else None
        async with acquire(self._pool, doing="recording a sent delivery") as connection:
            row = await connection.fetchrow(
                _COMPLETE_CALL,
                lease.item_id,
                result.part,
                provider_delivery_id,
                response,
                result.attempt,
                result.tool,
                result.latency_ms,
                lease.lease_id,
                told,
            )
        if row is None:
            raise InternalFailure("the end of a delivery was written and nothing said so")
        ended = Delivery.from_row(row) if row["delivery_id"] is not None else None
        return Completed(ended, out_of_queue=row["out_of_queue"])

    async def found(self, work: Work, provider_delivery_id: str) -> Delivery | None:
        """Record that the provider's own records have it (D41)."""
        delivery_id, part = work.delivery.delivery_id, work.marked_part
        async with transaction(self._pool, doing="recording evidence") as connection:
            await connection.execute(
                _ADD_RECEIPT, delivery_id, part, provider_delivery_id, "sent_mailbox", None
            )
            await connection.execute(_CLEAR_MARKER, delivery_id, part)
            await connection.execute(_SETTLE_OPEN, delivery_id, work.marked_attempt, "sent", None, None)
            row = await connection.fetchrow(_COMPLETE, delivery_id, 1)
        return Delivery.from_row(row) if row else None

    async def all_received(self, lease: Lease) -> Delivery | None:
        """End as sent a delivery that has a receipt for every part, so that no call is left to make."""
        async with self._held(lease, "ending what was received") as connection:
            row = await connection.fetchrow(_COMPLETE, lease.item_id, 0)
        return Delivery.from_row(row) if row else None

    async def put_back(self, lease: Lease, result: AttemptResult) -> Delivery | None:
        """Record an attempt that will be followed by another; its part was certainly not sent."""
        delivery_id = lease.item_id
        async with self._held(lease, "recording an attempt") as connection:
            await connection.execute(_CLEAR_MARKER, delivery_id, result.part)
            await self._settle(connection, delivery_id, result)
            row = await connection.fetchrow(
                _PUT_BACK, delivery_id, int(result.consumed), *_failure_columns(result.failure)
            )
        return Delivery.from_row(row) if row else None

    async def go_without(
        self, lease: Lease, result: AttemptResult, files: Mapping[int, Without]
    ) -> Delivery | None:
        """Record the files left out, with the attempt that showed it; its part was certainly not sent."""
        told = {str(number): one.to_json() for number, one in files.items()}
        async with self._held(lease, "leaving a file out") as connection:
            await connection.execute(_CLEAR_MARKER, lease.item_id, result.part)
            await self._settle(connection, lease.item_id, result)
            row = await connection.fetchrow(_GO_WITHOUT, lease.item_id, told)
        return Delivery.from_row(row) if row else None

    async def throttled(
        self, lease: Lease, delivery: Delivery, result: AttemptResult, *, pause_s: float, whole: bool
    ) -> None:
        """Record the provider's pause; the attempt is not consumed (D43). It is for the chat unless it is `whole`."""
        bot = (delivery.channel, delivery.identity_scope)
        async with self._held(lease, "recording a provider's pause") as connection:
            if whole:
                await connection.execute(_THROTTLE, *bot, pause_s)
            else:
                await connection.execute(_THROTTLE_RECIPIENT, *bot, delivery.target_identity, pause_s)
            await connection.execute(_CLEAR_MARKER, delivery.delivery_id, result.part)
            await self._settle(connection, delivery.delivery_id, result)
            await connection.execute(_PUT_BACK, delivery.delivery_id, 0, None, None, None)

    async def resume(self, lease: Lease, work: Work, why: Failure) -> Delivery | None:
        """Close an attempt that a crash left open, so that its part may be sent again."""
        delivery_id = work.delivery.delivery_id
        async with self._held(lease, "resuming a delivery") as connection:
            await connection.execute(_CLEAR_MARKER, delivery_id, work.marked_part)
            await connection.execute(
                _SETTLE_OPEN,
                delivery_id,
                work.marked_attempt,
                "uncertain",
                why.error_class.value,
                why.message,
            )
            row = await connection.fetchrow(_PUT_BACK, delivery_id, 1, *_failure_columns(why))
        return Delivery.from_row(row) if row else None

    async def leave_open(self, lease: Lease, result: AttemptResult) -> None:
        """Close the attempt and keep its marker: the provider's records are asked next."""
        async with self._held(lease, "recording an attempt") as connection:
            await self._settle(connection, lease.item_id, result)

    async def end(
        self,
        lease: Lease,
        status: Status,
        failure: Failure,
        *,
        result: AttemptResult | None = None,
        dead_letter: DeadLetterMark | None = None,
        suppression: SuppressionMark | None = None,
    ) -> Delivery | None:
        """Record a terminal state other than sent; an uncertain one keeps its marker, for the operator."""
        delivery_id = lease.item_id
        consumed = int(result.consumed) if result is not None else 0
        async with self._held(lease, "ending a delivery") as connection:
            if result is not None:
                await self._settle(connection, delivery_id, result)
                if status is not Status.UNCERTAIN:
                    await connection.execute(_CLEAR_MARKER, delivery_id, result.part)
            row = await connection.fetchrow(
                _END_UNSENT, delivery_id, status.value, consumed, *_failure_columns(failure)
            )
            if row is not None and dead_letter is not None:
                await connection.execute(
                    _DEAD_LETTER, dead_letter.dead_letter_id, delivery_id, dead_letter.reason
                )
            if row is not None and suppression is not None:
                await self._suppress(connection, row, suppression)
        return Delivery.from_row(row) if row else None

    async def end_interrupted(
        self, lease: Lease, work: Work, status: Status, failure: Failure
    ) -> Delivery | None:
        """Like `end`, for an attempt that a crash left open."""
        delivery_id = work.delivery.delivery_id
        outcome = "uncertain" if status is Status.UNCERTAIN else "failed"
        async with self._held(lease, "ending a delivery") as connection:
            await connection.execute(
                _SETTLE_OPEN, delivery_id, work.marked_attempt, outcome, failure.error_class, failure.message
            )
            if status is not Status.UNCERTAIN:
                await connection.execute(_CLEAR_MARKER, delivery_id, work.marked_part)
            row = await connection.fetchrow(
                _END_UNSENT, delivery_id, status.value, 1, *_failure_columns(failure)
            )
        return Delivery.from_row(row) if row else None

    async def abandon(
        self, lease: Lease, failure: Failure, *, dead_letter: DeadLetterMark
    ) -> Delivery | None:
        """End a delivery that cannot be worked on, without reading it.

        None if it had ended before, or cannot even be read to announce its end.
        """
        delivery_id = lease.item_id
        async with self._held(lease, "giving a delivery up") as connection:
            row = await connection.fetchrow(_ABANDON, delivery_id, *_failure_columns(failure))
            if row is not None and row["status"] == Status.FAILED and row["intent"] != "react":
                await connection.execute(
                    _DEAD_LETTER, dead_letter.dead_letter_id, delivery_id, dead_letter.reason
                )
        try:
            return Delivery.from_row(row) if row else None
        except Unreadable:
            return None

    @asynccontextmanager
    async def _held(self, lease: Lease, doing: str) -> AsyncIterator[Connection]:
        """Open a transaction in which nobody can take the lease; raise `LeaseLost` if somebody has."""
        async with transaction(self._pool, doing=doing) as connection:
            if await connection.fetchval(_HOLD, lease.item_id, lease.lease_id) is None:
                raise LeaseLost(f"delivery {lease.item_id}: the lease was lost while {doing}")
            yield connection

    async def _receipt(
        self, connection: Connection, delivery_id: UUID, result: AttemptResult, provider_delivery_id: str
    ) -> None:
        response = dict(result.response) if result.response is not None else None
        await connection.execute(
            _ADD_RECEIPT, delivery_id, result.part, provider_delivery_id, "provider_answer", response
        )
        await connection.execute(_CLEAR_MARKER, delivery_id, result.part)

    async def _suppress(self, connection: Connection, ended: Row, mark: SuppressionMark) -> None:
        await connection.execute(
            _SUPPRESS,
            mark.suppression_id,
            ended["channel"],
            ended["target_identity"],
            "bounced",
            mark.evidence,
            ended["delivery_id"],
            _OWN_NAME,
        )

    async def _settle(self, connection: Connection, delivery_id: UUID, result: AttemptResult) -> None:
        response = dict(result.response) if result.response is not None else None
        await connection.execute(
            _SETTLE,
            delivery_id,
            result.attempt,
            result.tool,
            result.outcome,
            result.consumed,
            result.latency_ms,
            *_failure_columns(result.failure),
            response,
        )


def _cause(row: Row) -> Failure | None:
    if row["marked_outcome"] != "uncertain" or row["marked_class"] is None:
        return None
    return Failure(stored(ErrorClass, row["marked_class"]), row["marked_message"], retryable=False)


def _failure_columns(failure: Failure | None) -> tuple[str | None, str | None, bool | None]:
    if failure is None:
        return None, None, None
    return failure.error_class.value, failure.message, failure.retryable
