"""Sends the due branches of a plan to their targets and records the answers (SWB-11, SWB-13, SWB-35).

Branches of a parallel plan go out together. A try whose answer nobody saw is repeated with the same subrequest id, by
which the target recognises it (D12).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol

import structlog

from butler_contracts.context import RequestContext
from butler_contracts.errors import ButlerError, ErrorClass, ErrorDetail
from butler_contracts.people import PeopleV1
from butler_contracts.route import PartResultV1, RouteEnvelopeV1
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import SpanName, span
from butler_kit.time import Clock
from butler_switchboard.dispatch.breakers import Breakers
from butler_switchboard.dispatch.clocks import Clocks, accepted_deadline
from butler_switchboard.dispatch.envelope import route_envelope
from butler_switchboard.dispatch.model import Plan, RequestState, Subroute
from butler_switchboard.dispatch.postponing import Postponing, RetryEvents
from butler_switchboard.dispatch.responses import Acknowledged, Answered, read_response
from butler_switchboard.dispatch.store import Behind, Counted, DispatchStore
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.dispatch.withdrawing import planned_target
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["DispatchEvents", "Dispatcher", "TargetFacts", "outcome_of"]

_log = structlog.get_logger(__name__)

_TRANSPORT_CLASSES = frozenset(
    {ErrorClass.TARGET_UNAVAILABLE, ErrorClass.OVERLOAD_REJECTED, ErrorClass.TIMEOUT}
)
"""Refusals that say nothing about the message: the same subrequest is tried again."""


class TargetFacts(Protocol):
    """What the registry knows about a target."""

    def view(self) -> RegistryView: ...

    def endpoint(self, name: str) -> str | None: ...

    def expected(self, name: str) -> bool: ...

    def capable(self, name: str, tool: str) -> bool: ...


class KnowsPeople(Protocol):
    """The household's people, as told to the butler that works on a message; it never fails."""

    async def people_of(self, context: RequestContext) -> PeopleV1 | None: ...


class KnowsResults(Protocol):
    """The results of the parts that a part had to wait for."""

    async def before(self, state: RequestState, plan: Plan, part: Subroute) -> tuple[PartResultV1, ...]: ...


class DispatchEvents(RetryEvents, Protocol):
    """The metrics events of dispatch (SWB-42.1, CON-4.4)."""

    def dispatched(self, target: str, fanout_mode: str) -> None: ...

    def ended(self, target: str, outcome: str, seconds: float | None, *, again: bool = False) -> None: ...

    def late(self, target: str) -> None: ...


class Dispatcher:
    """Performs `Dispatch` steps."""

    def __init__(
        self,
        *,
        store: DispatchStore,
        targets: Targets,
        facts: TargetFacts,
        contacts: KnowsPeople,
        results: KnowsResults,
        breakers: Breakers,
        postponing: Postponing,
        clocks: Clocks,
        clock: Clock,
        events: DispatchEvents,
    ) -> None:
        self._store = store
        self._targets = targets
        self._facts = facts
        self._contacts = contacts
        self._results = results
        self._breakers = breakers
        self._postponing = postponing
        self._clocks = clocks
        self._clock = clock
        self._events = events

    async def dispatch(self, state: RequestState, plan: Plan, due: Sequence[Subroute]) -> None:
        """Send every due branch concurrently; return when each was answered or postponed."""
        async with asyncio.TaskGroup() as group:
            for subroute in due:
                group.create_task(self._send(state, plan, subroute))

    async def retry_later(self, state: RequestState, failed: Sequence[Subroute]) -> None:
        """Give each branch that failed retryably its next attempt, after a pause."""
        for subroute in failed:
            pause_s = self._postponing.attempt_pause_s(state, subroute)
            not_before = self._clock.now() + timedelta(seconds=pause_s)
            await self._store.add_attempt(state.request_id, subroute, not_before=not_before)
            self._events.retried(subroute.target, subroute.error.error_class.value if subroute.error else "")

    async def expire(self, subroute: Subroute, error: ErrorDetail) -> None:
        """End a branch whose target's silence counts as a failure."""
        ended = await self._store.mark_given_up(subroute, error)
        if ended is None:
            return
        self._breakers.ended(subroute.target, error)
        self._events.ended(subroute.target, error.error_class.value, ended.seconds, again=ended.again)
        _log.warning("subroute_expired", target=subroute.target, error_class=error.error_class.value)

    async def _send(self, state: RequestState, plan: Plan, subroute: Subroute) -> None:
        absent = self._absent(subroute.target, away=planned_target(state, plan, subroute).away)
        if absent is not None:
            await self._end_if(
                state, subroute, await self._postponing.until_eligible(state, subroute, absent)
            )
            return
        if not self._facts.capable(subroute.target, "route.execute"):
            await self._end(state, subroute, _incapable(subroute.target))
            return
        if self._breakers.wait_s(subroute.target) > 0:
            await self._end_if(state, subroute, await self._postponing.for_circuit(state, subroute))
            return
        match await self._store.count_try(state.request_id, subroute):
            case Counted(tries):
                if not self._breakers.admit(subroute.target):
                    await self._end_if(state, subroute, await self._postponing.for_circuit(state, subroute))
                    return
                await self._call(state, subroute, await self._envelope(state, plan, subroute), tries)
            case Behind(until):
                await self._end_if(state, subroute, await self._postponing.behind(state, subroute, until))

    def _absent(self, target: str, *, away: bool) -> str | None:
        """Return a target that cannot be sent to yet, and why: away since routing, not registered or not declared.

        One whose declaration is gone may be back in a moment, as when its resource is replaced.
        """
        if away and not self._facts.view().eligible(target):
            return self._facts.view().barred(target)
        if self._facts.endpoint(target) is None:
            return f"{target} (not declared)"
        return f"{target} (not registered yet)" if self._facts.expected(target) else None

    async def _envelope(self, state: RequestState, plan: Plan, subroute: Subroute) -> RouteEnvelopeV1:
        people = await self._contacts.people_of(state.message.context)
        results = await self._results.before(state, plan, subroute)
        timeouts = self._clocks.of(subroute.target, state.tier)
        return route_envelope(state, plan, subroute, timeouts, people=people, results=results)

    async def _call(
        self, state: RequestState, subroute: Subroute, envelope: RouteEnvelopeV1, tries: int
    ) -> None:
        started = self._clock.monotonic()
        usual_s = self._clocks.of(subroute.target, state.tier).accept_s
        accept_s = self._postponing.accept_s(state, subroute, usual_s)
        self._events.dispatched(subroute.target, envelope.subrequest.fanout_mode)
        await reached_async(points.DISPATCH_COUNTED, subroute.target)
        try:
            with span(SpanName.ROUTE_DISPATCH, target=subroute.target):
                document = await self._targets.execute(envelope, timeout_s=accept_s)
        except ButlerError as failure:
            await self._refused(
                state, subroute, tries, failure.to_detail(), self._clock.monotonic() - started
            )
            return
        await reached_async(points.DISPATCH_ANSWERED, subroute.target)
        self._breakers.accepted(subroute.target)
        seconds = self._clock.monotonic() - started
        answer = read_response(document, envelope.request_context.request_id, subroute.subrequest_id)
        if isinstance(answer, Acknowledged):
            now, wait_s = self._clock.now(), envelope.limits.max_queue_wait_s
            deadline = accepted_deadline(now, queue_wait=wait_s, run_s=envelope.limits.route_timeout_s)
            await self._store.mark_accepted(
                state, subroute, at=now, deadline=deadline, duration_ms=seconds * 1000
            )
            return
        await self._store.log_route(state, subroute, duration_ms=seconds * 1000, error=answer.error)
        await self._answered(subroute, answer)

    async def _answered(self, subroute: Subroute, answer: Answered) -> None:
        ended = await self._store.mark_ended(
            subroute.subrequest_id,
            error=answer.error,
            response=answer.document,
            duration_ms=answer.duration_ms,
        )
        if ended is not None:
            self._breakers.ended(subroute.target, answer.error)
            self._events.ended(subroute.target, outcome_of(answer.error), ended.seconds, again=ended.again)

    async def _refused(
        self, state: RequestState, subroute: Subroute, tries: int, error: ErrorDetail, seconds: float
    ) -> None:
        await self._store.log_route(state, subroute, duration_ms=seconds * 1000, error=error)
        if error.error_class not in _TRANSPORT_CLASSES:
            self._breakers.ended(subroute.target, error)
            await self._end(state, subroute, error)
            return
        self._breakers.refused(subroute.target, error)
        await self._end_if(
            state,
            subroute,
            await self._postponing.after(state, subroute, tries=tries, error=error, took_s=seconds),
        )

    async def _end_if(self, state: RequestState, subroute: Subroute, error: ErrorDetail | None) -> None:
        if error is not None:
            await self._end(state, subroute, error)

    async def _end(self, state: RequestState, subroute: Subroute, error: ErrorDetail) -> None:
        ended = await self._store.mark_given_up(subroute, error)
        if ended is None:
            return
        self._events.ended(subroute.target, outcome_of(error), ended.seconds, again=ended.again)
        _log.warning(
            "subroute_failed",
            request_id=str(state.request_id),
            target=subroute.target,
            error_class=error.error_class.value,
            error=error.message,
        )


def outcome_of(error: ErrorDetail | None) -> str:
    """Return the label of a branch's end: `ok` or its error class."""
    return error.error_class.value if error is not None else "ok"


def _incapable(target: str) -> ErrorDetail:
    message = f"{target} does not offer route.execute"
    return ErrorDetail(error_class=ErrorClass.VALIDATION_ERROR, message=message, retryable=False)
