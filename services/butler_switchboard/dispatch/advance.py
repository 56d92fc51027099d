"""Moves a request on until it has to wait or is done: the handler of the inbox queue (SWB-06, SWB-11; D11, D12).

One loop over stored state: load, decide, perform, repeat; what a step has just written is not read back. It may be
interrupted anywhere and continued by any worker of any replica; finished steps are in the database, the others are
decided again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Protocol
from uuid import UUID

import structlog

from butler_contracts.errors import InternalFailure
from butler_contracts.language import Language
from butler_kit.faults import points, reached_async
from butler_kit.queue import Decision, Defer, Finish, Lease, Unblock
from butler_kit.telemetry import SpanName, bind_request, span
from butler_kit.time import Clock, uuid7_timestamp
from butler_switchboard.dispatch.announce import Announcer
from butler_switchboard.dispatch.decide import (
    Announce,
    Conclude,
    Dispatch,
    Expire,
    Hear,
    Retry,
    Route,
    Skip,
    Step,
    Wait,
    next_step,
)
from butler_switchboard.dispatch.dispatcher import Dispatcher, DispatchEvents
from butler_switchboard.dispatch.lifecycle import is_interactive
from butler_switchboard.dispatch.model import Correcting, Held, Plan, RequestState, Settling
from butler_switchboard.dispatch.outcome import Abandoned, abandoned, conclude, let_go
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.dispatch.store import DispatchStore, Outdated
from butler_switchboard.ingress.backlog import SHED
from butler_switchboard.routing.registry_view import Presence

__all__ = ["Advance", "Butlers", "FollowsTheEnd", "LifecycleEvents", "Planner"]

_log = structlog.get_logger(__name__)

MAX_STEPS = 40
"""A request needs about four; more means that performing a step does not change the state it was decided from."""

ANNOUNCE_RETRY_S = 10.0

MONTH_RETRY_S = 30.0


FollowsTheEnd = Callable[[RequestState], Awaitable[bool]]
"""Runs once the end of a request has been announced; returns False to be run again later. Never raises."""


class Planner(Protocol):
    """Decides where a message goes; None means that it cannot be decided yet (no butler is there)."""

    async def plan(self, state: RequestState) -> Plan | None: ...


class Butlers(Protocol):
    """What is known about the targets: their signs of life (D17), and which of them are in quarantine."""

    def presence(self) -> Mapping[str, Presence]: ...

    def quarantined(self) -> frozenset[str]: ...

    async def refresh(self) -> None: ...


class CarriesOut(Protocol):
    """Carries out a member's correction once and returns the resulting plan."""

    async def carry_out(self, state: RequestState, plan: Plan, corrects: Correcting) -> Plan: ...


class Settles(Protocol):
    """Settles once what a member answered to the offer of a rule, and returns the resulting plan."""

    async def settle(self, state: RequestState, plan: Plan, settles: Settling) -> Plan: ...


class HearsWords(Protocol):
    """Asks a grown-up about what plans hold, and hears the word (ADR 0124)."""

    async def hear(self, state: RequestState, held: Held) -> float | None: ...

    async def let_former_go(self, state: RequestState) -> None: ...

    async def take_back(self, plan: Plan, request_id: UUID) -> Plan: ...


class LifecycleEvents(DispatchEvents, Protocol):
    """The metrics events for the end of a request (SWB-41.1, SWB-42.1)."""

    def concluded(self, channel: str, state: str, *, seconds: float, interactive: bool) -> None: ...

    def ended_untimed(self, state: str) -> None: ...

    def contradicted(self, decided_by: str) -> None: ...


class Advance:
    """Call it with the lease on a request; the decision says what happens to the work row."""

    def __init__(
        self,
        *,
        store: DispatchStore,
        planner: Planner,
        dispatcher: Dispatcher,
        announcer: Announcer,
        butlers: Butlers,
        retry: RetryPolicy,
        clock: Clock,
        events: LifecycleEvents,
        correctors: CarriesOut,
        settlers: Settles,
        words: HearsWords,
        after: FollowsTheEnd | None = None,
        routing_retry_s: float = 2.0,
        language: Language = "en",
    ) -> None:
        self._store = store
        self._planner = planner
        self._dispatcher = dispatcher
        self._announcer = announcer
        self._butlers = butlers
        self._retry = retry
        self._clock = clock
        self._events = events
        self._correctors = correctors
        self._settlers = settlers
        self._words = words
        self._after = after
        self._routing_retry_s = routing_retry_s
        self._language: Language = language

    async def __call__(self, lease: Lease) -> Decision:
        with bind_request(lease.item_id), span(SpanName.MESSAGE):
            state: RequestState | None = None
            for _ in range(MAX_STEPS):
                state = state or await self._store.load(lease.item_id)
                if state is None:
                    if await self._store.is_away(lease.item_id):
                        return Unblock(MONTH_RETRY_S)
                    # It may have come back just before the check; it does not leave again while it is queued.
                    state = await self._store.load(lease.item_id)
                if state is None:
                    _log.warning("message_gone")
                    return Finish()
                step = next_step(
                    state, now=self._clock.now(), policy=self._retry, presence=self._butlers.presence()
                )
                left = await self._perform(lease, state, step)
                if left is not None and not isinstance(left, RequestState):
                    return left
                state = left
            raise InternalFailure(f"request {lease.item_id} does not come to rest after {MAX_STEPS} steps")

    async def give_up(self, lease: Lease, cause: BaseException) -> Decision:
        """Write the end of a request that nobody can work on (the queue's `on_exhausted`); then it is announced.

        If it had ended before, or is gone, there is nothing left to do.
        """
        end = abandoned(lease.item_id, cause, attempts=lease.failures + 1, language=self._language)
        if not await self._end_unrouted(lease, end):
            return Finish()
        with bind_request(lease.item_id):
            _log.error("request_given_up", cause=type(cause).__name__, attempts=lease.failures + 1)
        return Unblock(0.0)

    async def _end_unrouted(self, lease: Lease, end: Abandoned) -> bool:
        """End a request as it is, with a dead letter; return False if it had ended before."""
        given_up = await self._store.abandon(lease, end)
        if given_up is None:
            return False
        seconds = (self._clock.now() - uuid7_timestamp(lease.item_id)) / timedelta(seconds=1)
        self._count_end(given_up.channel, "errored", seconds=seconds, untimed=given_up.reopened)
        return True

    def _count_end(self, channel: str, state: str, *, seconds: float, untimed: bool) -> None:
        """Count an end; the time of a request that somebody had sent again, or thought about, tells nothing."""
        if untimed:
            self._events.ended_untimed(state)
        else:
            self._events.concluded(channel, state, seconds=seconds, interactive=is_interactive(channel))

    async def _perform(self, lease: Lease, state: RequestState, step: Step) -> Decision | RequestState | None:
        """Perform one step; return the decision that ends the turn, the new state, or None to reload it."""
        match step:
            case Route():
                return await self._route(lease, state)
            case Wait():
                return self._waiting(step)
            case Hear(wait) if state.plan is not None and state.plan.held is not None:
                return await self._hear(state, state.plan.held, wait)
            case Conclude():
                return await self._conclude(state)
            case Announce():
                return Finish() if await self._ended(state) else Unblock(ANNOUNCE_RETRY_S)
            case _:
                await self._change(state, step)
                return None

    def _waiting(self, wait: Wait) -> Unblock | Defer:
        delay_s = max(0.0, (wait.until - self._clock.now()) / timedelta(seconds=1))
        return Unblock(delay_s) if wait.releases_thread else Defer(delay_s)

    async def _hear(self, state: RequestState, held: Held, wait: Wait | None) -> Decision | None:
        """Hear the word about what is held; meanwhile the other parts go on, and so does the thread."""
        pause_s = await self._words.hear(state, held)
        if pause_s is None:
            return None
        rest = self._waiting(wait) if wait is not None else Unblock(pause_s)
        return replace(rest, delay_s=min(rest.delay_s, pause_s))

    async def _ended(self, state: RequestState) -> bool:
        told = await self._announcer.announce(state)
        return told and (self._after is None or await self._after(state))

    async def _change(self, state: RequestState, step: Step) -> None:
        match step:
            case Dispatch(due) if state.plan is not None:
                await self._dispatcher.dispatch(state, state.plan, due)
            case Expire(expired):
                for subroute, error in expired:
                    await self._dispatcher.expire(subroute, error)
            case Retry(failed):
                await self._dispatcher.retry_later(state, failed)
            case Skip(ruled_out):
                await self._store.mark_skipped(ruled_out)

    async def _route(self, lease: Lease, state: RequestState) -> Decision | RequestState | None:
        if lease.lane == SHED:
            await self._end_unrouted(lease, let_go(lease.item_id, self._language))
            return None
        quarantined = self._butlers.quarantined()
        await self._words.let_former_go(state)
        plan = await self._planner.plan(state)
        if plan is None:
            return Defer(self._routing_retry_s)
        if plan.corrects is not None:
            plan = await self._correctors.carry_out(state, plan, plan.corrects)
        if plan.settles is not None:
            plan = await self._settlers.settle(state, plan, plan.settles)
        if plan.takes_back is not None:
            plan = await self._words.take_back(plan, plan.takes_back)
        await reached_async(points.ROUTE_DECIDED)
        first = await self._store.commit_plan(lease, plan, quarantined=quarantined)
        await reached_async(points.PLAN_COMMITTED)
        if isinstance(first, Outdated):
            _log.info("routed_anew", quarantined_since=[target.butler for target in plan.targets])
            await self._butlers.refresh()
            return None
        return replace(state, plan=plan, subroutes=first) if first is not None else None

    async def _conclude(self, state: RequestState) -> RequestState | None:
        outcome = conclude(state, self._language)
        ended_at = await self._store.conclude(state.request_id, outcome)
        if ended_at is None:
            return None
        await reached_async(points.CONCLUDED)
        context = state.message.context
        seconds = (self._clock.now() - context.received_at) / timedelta(seconds=1)
        held = state.plan is not None and state.plan.held is not None
        self._count_end(
            context.source_channel.value,
            outcome.lifecycle_state,
            seconds=seconds,
            untimed=outcome.reopened or held,
        )
        for found in outcome.contradictions:
            self._events.contradicted(found.by or "nobody")
        _log.info("request_concluded", state=outcome.lifecycle_state, seconds=round(seconds, 3))
        ended = replace(state.message, lifecycle_state=outcome.lifecycle_state, final_state_at=ended_at)
        return replace(state, message=ended)
