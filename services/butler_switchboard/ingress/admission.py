"""Coalesced admission: all waiting rows go next, together, in one durable write (SWB-06.1, CNX-03.4; ADR 0001).

One lane, no timer: alone, a message pays one statement and one flush; under load the batch grows by itself.
Invariants: a caller is answered only after the commit; a row that the database refuses fails its own caller only;
copies of a message that is already on its way here share its outcome; at most `max_in_flight` rows wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

import asyncpg

from butler_contracts.errors import (
    ButlerError,
    InternalFailure,
    OverloadRejected,
    TargetUnavailable,
    ValidationFailed,
)
from butler_kit.db import Pool, is_collision, is_locked_out, is_outage, lacks_partition
from butler_kit.db.faults import DRIVER_ERRORS
from butler_kit.faults import points, reached_async
from butler_switchboard.ingress.batches import batch_length, halves
from butler_switchboard.ingress.lane import POISON, Lane
from butler_switchboard.ingress.partitions import make_months
from butler_switchboard.ingress.rows import AdmissionRow, Admitted

__all__ = ["Admission"]

WRITE_TIMEOUT_S = 10.0
OVERLOAD_RETRY_S = 0.5


class _Remedy(Enum):
    """What may make a failed write succeed."""

    REPLAY = "replay"
    MAKE_MONTHS = "make months"


@dataclass(slots=True, eq=False)
class _Waiting:
    """A row and its waiters: its own caller, and those that submitted copies of it meanwhile."""

    row: AdmissionRow
    outcome: asyncio.Future[Admitted]
    copies: list[asyncio.Future[Admitted]] = field(default_factory=list)

    def answer(self, admitted: Admitted) -> None:
        if not self.outcome.done():
            self.outcome.set_result(admitted)
        for copy in self.copies:
            if not copy.done():
                copy.set_result(Admitted(admitted.request_id, duplicate=True))

    def fail(self, error: Exception) -> None:
        for waiter in (self.outcome, *self.copies):
            if not waiter.done():
                waiter.set_exception(error)
                waiter.exception()  # a caller that left must not make the loop complain


class Admission:
    """The lane between callers and `admit_batch`; `run()` owns it, `submit()` waits for one row's outcome."""

    def __init__(self, pool: Pool, *, max_in_flight: int = 64) -> None:
        self._pool = pool
        self._lane = Lane(pool)
        self._max_in_flight = max_in_flight
        self._waiting: deque[_Waiting] = deque()
        self._in_flight: dict[str, _Waiting] = {}
        self._in_flight_before: dict[str, _Waiting] = {}
        """The same by the key of the hour before, for those that have one."""
        self._wake = asyncio.Event()
        self._closed = False

    @property
    def in_flight(self) -> int:
        return len(self._in_flight)

    async def submit(self, row: AdmissionRow) -> Admitted:
        """Return what the database decided. Raises `OverloadRejected` when full, `TargetUnavailable` in an outage.

        The row of a caller that leaves is written all the same.
        """
        loop = asyncio.get_running_loop()
        while (first := self._same_key(row)) is not None:
            copy: asyncio.Future[Admitted] = loop.create_future()
            first.copies.append(copy)
            if first.row.fingerprint == row.fingerprint:
                return await copy
            await asyncio.wait({copy})
        if self._closed or len(self._in_flight) >= self._max_in_flight:
            raise OverloadRejected(
                f"{len(self._in_flight)} messages are being written; try again shortly",
                retry_after_s=OVERLOAD_RETRY_S,
            )
        waiting = _Waiting(row, loop.create_future())
        self._in_flight[row.dedupe_key] = waiting
        if row.previous_key:
            self._in_flight_before[row.previous_key] = waiting
        self._waiting.append(waiting)
        self._wake.set()
        return await waiting.outcome

    def _same_key(self, row: AdmissionRow) -> _Waiting | None:
        """Return the row in flight under this key or that of the hour before, whichever came first (D8)."""
        found = self._in_flight.get(row.dedupe_key) or self._in_flight_before.get(row.dedupe_key)
        return found or (self._in_flight.get(row.previous_key) if row.previous_key else None)

    def _landed(self, row: AdmissionRow) -> None:
        self._in_flight.pop(row.dedupe_key, None)
        if row.previous_key:
            self._in_flight_before.pop(row.previous_key, None)

    async def run(self) -> None:
        """Write batches until cancelled; rows that still wait then get a retryable refusal."""
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                while self._waiting:
                    await self._write(self._next_batch())
        finally:
            self._closed = True
            self._fail(
                self._waiting, TargetUnavailable("Switchboard is stopping; submit again", retryable=True)
            )
            await self._lane.close()

    def _next_batch(self) -> list[_Waiting]:
        count = batch_length([waiting.row for waiting in self._waiting])
        return [self._waiting.popleft() for _ in range(count)]

    async def _write(self, batch: list[_Waiting]) -> None:
        try:
            await self._write_through(batch)
        except POISON as refused:
            await self._isolate(batch, refused)
        except asyncio.CancelledError:
            self._fail(batch, TargetUnavailable("Switchboard is stopping; submit again", retryable=True))
            raise
        except Exception as failure:
            self._fail(batch, _refusal(failure))

    async def _write_through(self, batch: list[_Waiting]) -> None:
        """Write the batch; retry once after an outage, make a missing month once: one may hide the other."""
        left = {_Remedy.REPLAY, _Remedy.MAKE_MONTHS}
        while True:
            try:
                return await self._execute(batch)
            except DRIVER_ERRORS as failure:
                remedy = _remedy(failure)
                if remedy not in left:
                    raise
                left.remove(remedy)
                if remedy is _Remedy.MAKE_MONTHS:
                    await make_months(self._pool, {waiting.row.received_at for waiting in batch})

    async def _execute(self, batch: list[_Waiting]) -> None:
        await reached_async(points.ADMISSION_BEFORE_COMMIT)
        async with asyncio.timeout(WRITE_TIMEOUT_S):
            outcomes = await self._lane.write([waiting.row for waiting in batch])
        await reached_async(points.ADMISSION_COMMITTED)
        for waiting, admitted in zip(batch, outcomes, strict=True):
            self._landed(waiting.row)
            waiting.answer(admitted)

    async def _isolate(self, batch: list[_Waiting], refused: asyncpg.PostgresError) -> None:
        if len(batch) == 1:
            self._fail(batch, _refusal_of_one(refused))
            return
        for part in halves(batch):
            await self._write(part)

    def _fail(self, batch: Iterable[_Waiting], error: Exception) -> None:
        for waiting in batch:
            self._landed(waiting.row)
            waiting.fail(error)


def _remedy(failure: Exception) -> _Remedy | None:
    """Return the remedy, if any; a missing month means a clock jump, not that the message is wrong."""
    if lacks_partition(failure, "message_inbox"):
        return _Remedy.MAKE_MONTHS
    return _Remedy.REPLAY if _is_replayed(failure) else None


def _is_replayed(failure: Exception) -> bool:
    """Return whether it is an outage or a collision: the keys make it harmless to replay the batch."""
    return is_outage(failure) or is_collision(failure)


def _refusal_of_one(refused: asyncpg.PostgresError) -> ButlerError:
    """Return the error for a row that the database refuses even alone.

    A constraint that a valid envelope breaks is a defect of ours; its caller must not take it for a bad message.
    """
    if isinstance(refused, asyncpg.IntegrityConstraintViolationError):
        return _refusal(refused)
    return ValidationFailed(f"the message cannot be stored: {refused}")


def _refusal(failure: Exception) -> ButlerError:
    """Return the error for a failed batch: retryable if it may pass later, not for a defect of ours."""
    if isinstance(failure, ButlerError):
        return failure
    late = isinstance(failure, TimeoutError | asyncpg.QueryCanceledError)
    if late or _is_replayed(failure) or is_locked_out(failure):
        return TargetUnavailable(f"the inbox cannot be written: {type(failure).__name__}: {failure}")
    return InternalFailure(f"the inbox refused the batch: {type(failure).__name__}")
