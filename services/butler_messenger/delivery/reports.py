"""Reports to Switchboard how deliveries ended: `route.complete`, from an outbox, until acknowledged (D18).

Invariant: an end is due for report from the transaction that stored it until Switchboard acknowledged it; after a
restart, or on another replica, the reports go on. Bounded: after `MAX_ATTEMPTS` it is given up and logged.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from butler_contracts.route import RouteResponseContext, RouteResponseV1, RouteTiming
from butler_contracts.stored import Unreadable
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.faults import points, reached_async
from butler_kit.mcp import ToolCalls, ToolError
from butler_kit.telemetry import bind_request, get_logger
from butler_messenger.delivery.records import Delivery, notify_response

__all__ = ["MAX_ATTEMPTS", "OutcomeReporter", "completion_of"]

_log = get_logger(__name__)

_QUERIES = NamedQueries("butler_messenger.sql", "reports.sql")
_CLAIM_DUE: Final = _QUERIES["claim_due"]
_ACKNOWLEDGED: Final = _QUERIES["acknowledged"]
_GIVEN_UP: Final = _QUERIES["given_up"]

MAX_ATTEMPTS: Final = 300
"""With pauses of at most 310 s: about a day."""
_BATCH: Final = 20
_POLL_S: Final = 5.0
_CALL_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class _End:
    """The end that is being reported; another may follow, for a late receipt makes an uncertain delivery a sent one."""

    delivery_id: UUID
    at: datetime | None
    attempts: int


def completion_of(delivery: Delivery) -> RouteResponseV1 | None:
    """The terminal `route_response.v1` of a delivery; None when no route is waiting for it."""
    if delivery.subrequest_id is None or delivery.route_request_id is None or delivery.terminal_at is None:
        return None
    answer = notify_response(delivery)
    lasted_ms = (delivery.terminal_at - delivery.created_at).total_seconds() * 1000
    return RouteResponseV1(
        request_context=RouteResponseContext(request_id=delivery.route_request_id),
        subrequest_id=delivery.subrequest_id,
        status="error" if answer.status == "error" else "ok",
        result={"notify_response": answer.to_wire()},
        error=answer.error,
        timing=RouteTiming(duration_ms=max(lasted_ms, 0.0)),
    )


class OutcomeReporter:
    """Empties the outbox; `wake` signals a new entry."""

    def __init__(self, pool: Pool, switchboard: ToolCalls) -> None:
        self._pool = pool
        self._switchboard = switchboard
        self._woken = asyncio.Event()

    def wake(self) -> None:
        self._woken.set()

    async def run(self, stopping: asyncio.Event) -> None:
        """Report until stopped."""
        while not stopping.is_set():
            self._woken.clear()
            if await self.report_due() < _BATCH:
                await self._pause(stopping)

    async def report_due(self) -> int:
        """Report what is due now; returns how many were taken."""
        async with acquire(self._pool, doing="taking due reports") as connection:
            rows = await connection.fetch(_CLAIM_DUE, _BATCH)
        async with asyncio.TaskGroup() as group:
            for row in rows:
                group.create_task(self._report_row(row))
        return len(rows)

    async def _report_row(self, row: asyncpg.Record) -> None:
        try:
            delivery = Delivery.from_row(row)
        except Unreadable as error:
            end = _End(row["delivery_id"], row["terminal_at"], row["report_attempts"])
            await self._failed(end, error.message, final=False)
        else:
            await self._report(delivery)

    async def _report(self, delivery: Delivery) -> None:
        completion = completion_of(delivery)
        end = _End(delivery.delivery_id, delivery.terminal_at, delivery.report_attempts)
        if completion is None:
            await self._close(_GIVEN_UP, end)
            return
        with bind_request(completion.request_context.request_id, delivery_id=str(end.delivery_id)):
            await reached_async(points.REPORT_CLAIMED)
            try:
                args = {"route_response": completion.to_wire()}
                await self._switchboard.call("route.complete", args, timeout_s=_CALL_TIMEOUT_S)
            except ToolError as error:
                retryable = error.error is None or error.error.retryable
                await self._failed(end, str(error), final=not retryable)
            except OSError as error:
                await self._failed(end, str(error), final=False)
            else:
                await reached_async(points.REPORT_ACKNOWLEDGED)
                await self._close(_ACKNOWLEDGED, end)

    async def _failed(self, end: _End, problem: str, *, final: bool) -> None:
        if final or end.attempts >= MAX_ATTEMPTS:
            _log.error("outcome_not_reported", problem=problem, attempts=end.attempts)
            await self._close(_GIVEN_UP, end)
            return
        _log.warning("outcome_report_retry", problem=problem, attempt=end.attempts)

    async def _close(self, statement: str, end: _End) -> None:
        async with acquire(self._pool, doing="closing a report") as connection:
            await connection.execute(statement, end.delivery_id, end.at)

    async def _pause(self, stopping: asyncio.Event) -> None:
        waits = [asyncio.ensure_future(event.wait()) for event in (self._woken, stopping)]
        try:
            await asyncio.wait(waits, timeout=_POLL_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
