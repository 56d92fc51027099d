"""Handles the reports that targets send: `route.started` and `route.complete` (D17, SWB-05).

A report is recorded and the request's work row is woken; the worker that claims it decides the next step. A repeated
answer is a duplicate; a different one after the end is kept as late and changes nothing.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol
from uuid import UUID

import structlog

from butler_contracts.errors import ValidationFailed
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.route import RouteResponseV1
from butler_kit.auth import Caller, Forbidden
from butler_kit.faults import points, reached_async
from butler_kit.time import Clock
from butler_switchboard.dispatch.breakers import Breakers
from butler_switchboard.dispatch.clocks import Clocks
from butler_switchboard.dispatch.decide import WATCH_INTERVAL
from butler_switchboard.dispatch.dispatcher import DispatchEvents, outcome_of
from butler_switchboard.dispatch.notifications import Notifications
from butler_switchboard.dispatch.responses import Acknowledged, read_response
from butler_switchboard.dispatch.store import DispatchStore, KnownSubroute
from butler_switchboard.operations.activity import session_ended
from butler_switchboard.operations.audit import AuditEntry

__all__ = ["Activity", "Completions", "Waker"]

_log = structlog.get_logger(__name__)

Recorded = Literal["recorded", "late", "duplicate"]


class Waker(Protocol):
    """Brings a request back to a worker at once."""

    async def wake(self, request_id: UUID) -> None: ...


class Activity(Protocol):
    """Records what butlers did; it never waits and never raises (SWB-17.2)."""

    def record(self, entry: AuditEntry) -> None: ...


class Completions:
    """Handles both tools; the caller must be the target that the subrequest was sent to."""

    def __init__(
        self,
        *,
        store: DispatchStore,
        notifications: Notifications,
        waker: Waker,
        clocks: Clocks,
        breakers: Breakers,
        clock: Clock,
        events: DispatchEvents,
        audit: Activity,
    ) -> None:
        self._store = store
        self._notifications = notifications
        self._waker = waker
        self._clocks = clocks
        self._breakers = breakers
        self._clock = clock
        self._events = events
        self._audit = audit

    async def started(self, caller: Caller, subrequest: UUID) -> dict[str, str]:
        """Start the run clock, or restart it when the work has begun again.

        `ended` means that the branch was given up, and the sender told; `ignored` that it is not the caller's.
        """
        now, name = self._clock.now(), _name(caller)
        deadlines = self._clocks.started_deadlines(name, now)
        begun = await self._store.mark_started(subrequest, name, at=now, deadlines=deadlines)
        if begun is None:
            known = await self._store.find(subrequest)
            ended = known is not None and known.target == caller.name and known.state.terminal
            return {"status": "ended" if ended else "ignored"}
        if begun.deadline_at - now < WATCH_INTERVAL:
            # Otherwise the next look at the request finds the new deadline long before it passes.
            await self._waker.wake(begun.request_id)
        return {"status": "recorded"}

    async def complete(self, caller: Caller, document: dict[str, Any]) -> dict[str, str]:
        """Record a terminal response. Raises `ValidationFailed` if it is for no known request or breaks the contract.

        A malformed one still ends its branch, as `validation_error` (SWB-05.3): silence would only end it later.
        """
        try:
            response = parse(RouteResponseV1, document)
        except ContractViolation:
            await self._end_by_broken_answer(caller, document)
            raise
        known = await self._store.find(response.subrequest_id)
        if known is None:
            return await self._notification_ended(caller, response)
        _check_target(caller, known)
        status = await self._record(known, document)
        await reached_async(points.COMPLETION_RECORDED, known.target)
        if status != "late":
            await self._waker.wake(known.request_id)
        return {"status": status}

    async def _end_by_broken_answer(self, caller: Caller, document: dict[str, Any]) -> None:
        try:
            subrequest = UUID(str(document.get("subrequest_id")))
        except ValueError:
            return
        known = await self._store.find(subrequest)
        if known is not None and known.target == caller.name and not known.state.terminal:
            await self._record(known, document)
            await self._waker.wake(known.request_id)

    async def _record(self, known: KnownSubroute, document: dict[str, Any]) -> Recorded:
        answer = read_response(document, known.request_id, known.subrequest_id)
        if isinstance(answer, Acknowledged):
            raise ValidationFailed(
                "route_response.status: is 'accepted'; expected ok or error, the work's end"
            )
        ended = await self._store.mark_ended(
            known.subrequest_id, error=answer.error, response=answer.document, duration_ms=answer.duration_ms
        )
        if ended is not None:
            self._audit.record(
                session_ended(
                    known.target,
                    request_id=known.request_id,
                    subrequest_id=known.subrequest_id,
                    response=answer.document,
                    error=answer.error,
                    duration_ms=answer.duration_ms,
                )
            )
            self._breakers.ended(known.target, answer.error)
            self._events.ended(known.target, outcome_of(answer.error), ended.seconds, again=ended.again)
            return "recorded"
        if known.response == answer.document:
            return "duplicate"
        await self._store.keep_late_response(known.subrequest_id, answer.document)
        self._events.late(known.target)
        _log.info("late_response", request_id=str(known.request_id), target=known.target)
        return "late"

    async def _notification_ended(self, caller: Caller, response: RouteResponseV1) -> dict[str, str]:
        """Record Messenger's report on the end of a delivery that `notify` admitted (D18)."""
        if _name(caller) != "messenger" or not await self._notifications.ended(response):
            raise ValidationFailed(
                f"subrequest_id: {response.subrequest_id} was never sent to {_name(caller)}; expected one that was"
            )
        return {"status": "recorded"}


def _name(caller: Caller) -> str:
    if caller.name is None:
        raise Forbidden(f"'{caller.subject}' is not a butler")
    return caller.name


def _check_target(caller: Caller, known: KnownSubroute) -> None:
    if _name(caller) != known.target:
        raise Forbidden(f"'{caller.subject}' cannot answer for {known.target}")
