"""Coalesced admission: whoever is waiting goes next, together, in one durable write (SWB-06.1, CNX-03.4; ADR 0001).

One lane, no timer: alone, a message pays one statement and one flush; under load the batch grows by itself.
Invariants: a caller is answered only after the commit; a row that the database refuses fails its own caller only;
copies of a message that is already on its way here share its outcome; at most `max_in_flight` rows wait.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import asyncpg

from butler_contracts.errors import (
    ButlerError,
    InternalFailure,
    OverloadRejected,
    TargetUnavailable,
    ValidationFailed,
)
from butler_kit.db import NamedQueries, is_collision, is_outage, lacks_partition
from butler_kit.faults import points, reached_async
from butler_switchboard.ingress.batches import batch_length, halves
from butler_switchboard.ingress.partitions import make_months
from butler_switchboard.ingress.rows import AdmissionRow, Admitted, column_arrays

__all__ = ["Admission"]

_SQL = NamedQueries("butler_switchboard", "sql/ingress.sql")

_POISON = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, asyncpg.ProgramLimitExceededError)
"""What one row can do to its batch: text that cannot be stored, an index row too long."""

WRITE_TIMEOUT_S = 10.0
OVERLOAD_RETRY_S = 0.5


@dataclass(slots=True)
class _Waiting:
    row: AdmissionRow
    outcome: asyncio.Future[Admitted]


class Admission:
    """The lane between callers and `admit_batch`; `run()` owns it, `submit()` waits for one row's outcome."""

    def __init__(self, pool: asyncpg.Pool, *, max_in_flight: int = 64) -> None:
        self._pool = pool
        self._max_in_flight = max_in_flight
        self._waiting: deque[_Waiting] = deque()
        self._in_flight: dict[str, _Waiting] = {}
        self._wake = asyncio.Event()
        self._closed = False

    @property
    def in_flight(self) -> int:
        return len(self._in_flight)

    async def submit(self, row: AdmissionRow) -> Admitted:
        """Return what the database decided. Raises `OverloadRejected` when full, `TargetUnavailable` in an outage."""
        while (first := self._same_key(row)) is not None:
            if first.row.fingerprint == row.fingerprint:
                return Admitted((await asyncio.shield(first.outcome)).request_id, duplicate=True)
            await asyncio.wait({first.outcome})
        if self._closed or len(self._in_flight) >= self._max_in_flight:
            raise OverloadRejected(
                f"{len(self._in_flight)} messages are being written; try again shortly",
                retry_after_s=OVERLOAD_RETRY_S,
            )
        waiting = _Waiting(row, asyncio.get_running_loop().create_future())
        self._in_flight[row.dedupe_key] = waiting
        waiting.outcome.add_done_callback(lambda _: self._in_flight.pop(row.dedupe_key, None))
        self._waiting.append(waiting)
        self._wake.set()
        return await asyncio.shield(waiting.outcome)

    def _same_key(self, row: AdmissionRow) -> _Waiting | None:
        """What is on its way under this key or under the one of the hour before (D8)."""
        found = self._in_flight.get(row.dedupe_key)
        return found or (self._in_flight.get(row.previous_key) if row.previous_key else None)

    async def run(self) -> None:
        """Write batches until cancelled; what still waits then is answered with a retryable refusal."""
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

    def _next_batch(self) -> list[_Waiting]:
        count = batch_length([waiting.row for waiting in self._waiting])
        return [self._waiting.popleft() for _ in range(count)]

    async def _write(self, batch: list[_Waiting]) -> None:
        try:
            await self._write_once_more(batch)
        except _POISON as refused:
            await self._isolate(batch, refused)
        except asyncio.CancelledError:
            self._fail(batch, TargetUnavailable("Switchboard is stopping; submit again", retryable=True))
            raise
        except Exception as failure:
            self._fail(batch, _refusal(failure))

    async def _write_once_more(self, batch: list[_Waiting]) -> None:
        try:
            await self._execute(batch)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as failure:
            if lacks_partition(failure, "message_inbox"):
                # The clock went where no sweep has been yet: the message's month is missing, not the message wrong.
                await make_months(self._pool, {waiting.row.received_at for waiting in batch})
            elif not _is_replayed(failure):
                raise
            await self._execute(batch)

    async def _execute(self, batch: list[_Waiting]) -> None:
        arrays = column_arrays([waiting.row for waiting in batch])
        async with asyncio.timeout(WRITE_TIMEOUT_S), self._pool.acquire() as connection:
            await reached_async(points.ADMISSION_BEFORE_COMMIT)
            records = await connection.fetch(_SQL["admit_batch"], *arrays)
        await reached_async(points.ADMISSION_COMMITTED)
        for waiting, record in zip(batch, records, strict=True):
            if not waiting.outcome.done():
                waiting.outcome.set_result(
                    Admitted(record["canonical_id"], record["duplicate"], record["conflict"])
                )

    async def _isolate(self, batch: list[_Waiting], refused: asyncpg.PostgresError) -> None:
        if len(batch) == 1:
            self._fail(batch, ValidationFailed(f"the message cannot be stored: {refused}"))
            return
        for part in halves(batch):
            await self._write(part)

    @staticmethod
    def _fail(batch: Sequence[_Waiting] | deque[_Waiting], error: Exception) -> None:
        for waiting in batch:
            if not waiting.outcome.done():
                waiting.outcome.set_exception(error)
                waiting.outcome.exception()  # a caller that left must not make the loop complain


def _is_replayed(failure: Exception) -> bool:
    """Outages and collisions: replaying the batch is harmless, the keys see to that."""
    return is_outage(failure) or is_collision(failure)


def _refusal(failure: Exception) -> ButlerError:
    """What the callers of a failed batch are told: what may pass later is retryable, a defect of ours is not."""
    if isinstance(failure, ButlerError):
        return failure
    if _is_replayed(failure) or isinstance(failure, TimeoutError | asyncpg.QueryCanceledError):
        return TargetUnavailable(f"the inbox cannot be written: {type(failure).__name__}: {failure}")
    return InternalFailure(f"the inbox refused the batch: {type(failure).__name__}")
