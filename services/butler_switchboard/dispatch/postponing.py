"""Postpones or ends a branch that its target has not taken (SWB-13.2, SWB-13.3, D77).

Each method postpones the branch and returns None, or returns the error that it ends with because its time is over.
The message's tier sets that time. While a branch is postponed its thread goes on; later messages of the thread for
the same target stay behind it.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Final, Protocol

import structlog

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_kit.time import Clock
from butler_switchboard.dispatch.breakers import Breakers
from butler_switchboard.dispatch.model import RequestState, Subroute
from butler_switchboard.dispatch.retry import RetryPolicy
from butler_switchboard.dispatch.store import DispatchStore

__all__ = ["Postponing", "RetryEvents"]

_log = structlog.get_logger(__name__)

BEHIND_S: Final = 0.1
"""How long after the message ahead of it a branch asks again."""


class RetryEvents(Protocol):
    def retried(self, target: str, error_class: str) -> None: ...


class Postponing:
    """Decides by `RetryPolicy` and the target's breaker; stores when the next try is due."""

    def __init__(
        self,
        *,
        store: DispatchStore,
        breakers: Breakers,
        retry: RetryPolicy,
        clock: Clock,
        events: RetryEvents,
        rng: random.Random,
    ) -> None:
        self._store = store
        self._breakers = breakers
        self._retry = retry
        self._clock = clock
        self._events = events
        self._rng = rng

    def pause_s(self, tries: int) -> float:
        return self._retry.delay_s(tries, spread=self._rng.random())

    def attempt_pause_s(self, state: RequestState, failed: Subroute) -> float:
        """Return the pause after an attempt that failed retryably."""
        return self._retry.attempt_delay_s(
            state.tier,
            attempt=failed.attempt,
            hint_s=failed.error.retry_after_s if failed.error else None,
            spread=self._rng.random(),
        )

    async def for_circuit(self, state: RequestState, subroute: Subroute) -> ErrorDetail | None:
        """Wait for an open circuit. That costs no try, and is logged once."""
        error = _unavailable(f"its circuit is open: {self._breakers.trip_reason(subroute.target)}")
        if subroute.waiting_since is None:
            await self._store.log_route(state, subroute, duration_ms=0.0, error=error)
        now = self._clock.now()
        since = subroute.waiting_since or now
        return await self._put_off(
            state, subroute, since, self._next_look(state, subroute, since, now), error
        )

    async def until_eligible(self, state: RequestState, subroute: Subroute, name: str) -> ErrorDetail | None:
        """Wait for a target that was away when the message was routed, and still is. That costs no try."""
        error = _unavailable(f"{name} may get nothing at the moment")
        if subroute.waiting_since is None:
            await self._store.log_route(state, subroute, duration_ms=0.0, error=error)
        now = self._clock.now()
        since = subroute.waiting_since or now
        until = self._retry.next_question(state.tier, since=since, now=now)
        return await self._put_off(state, subroute, since, until, error)

    async def behind(
        self, state: RequestState, subroute: Subroute, first_until: datetime
    ) -> ErrorDetail | None:
        """Wait behind an earlier message: a thread's messages to a target keep their order in an outage."""
        now = self._clock.now()
        since = subroute.waiting_since or now
        pause_s = max(0.0, (first_until - now) / timedelta(seconds=1)) + BEHIND_S
        until = self._retry.next_try(state.tier, since=since, now=now, pause_s=pause_s)
        error = _unavailable("an earlier message of this conversation still waits for it")
        return await self._put_off(state, subroute, since, until, error)

    async def after(
        self, state: RequestState, subroute: Subroute, *, tries: int, error: ErrorDetail, took_s: float
    ) -> ErrorDetail | None:
        """Wait after a failed try; if it opened the circuit, wait for the circuit."""
        now = self._clock.now()
        since = subroute.waiting_since or now - timedelta(seconds=took_s)
        if self._breakers.wait_s(subroute.target) > 0:
            until = self._next_look(state, subroute, since, now, hint_s=error.retry_after_s)
        else:
            pause_s = max(self.pause_s(tries), error.retry_after_s or 0.0)
            until = self._retry.next_try(state.tier, since=since, now=now, pause_s=pause_s)
        return await self._put_off(state, subroute, since, until, error)

    def accept_s(self, state: RequestState, subroute: Subroute, usual_s: float) -> float:
        """Return the accept timeout; a probe for a waiting person may take only what is left of the wait."""
        if not self._breakers.probing(subroute.target):
            return usual_s
        now = self._clock.now()
        since = self._met_circuit(subroute, subroute.waiting_since or now, now)
        return self._retry.probe_s(state.tier, since=since, now=now, usual_s=usual_s)

    def _next_look(
        self,
        state: RequestState,
        subroute: Subroute,
        since: datetime,
        now: datetime,
        *,
        hint_s: float | None = None,
    ) -> datetime | None:
        wait_s = max(self._breakers.wait_s(subroute.target), hint_s or 0.0)
        met = self._met_circuit(subroute, since, now)
        return self._retry.next_look(state.tier, since=met, now=now, wait_s=wait_s, spread=self._rng.random())

    def _met_circuit(self, subroute: Subroute, since: datetime, now: datetime) -> datetime:
        """Return since when a branch waits for the circuit; waiting before it opened does not count."""
        return max(since, now - timedelta(seconds=self._breakers.open_for_s(subroute.target)))

    async def _put_off(
        self,
        state: RequestState,
        subroute: Subroute,
        since: datetime,
        until: datetime | None,
        error: ErrorDetail,
    ) -> ErrorDetail | None:
        if until is None:
            return _given_up(error)
        await self._store.put_off(subroute, until=until, since=since)
        self._events.retried(subroute.target, error.error_class.value)
        _log.warning(
            "dispatch_put_off",
            request_id=str(state.request_id),
            target=subroute.target,
            until=until.isoformat(),
            error=error.message,
        )
        return None


def _given_up(error: ErrorDetail) -> ErrorDetail:
    """Return the final error of a branch whose time is over; a full target is told from a silent one."""
    if error.error_class is ErrorClass.OVERLOAD_REJECTED:
        return error.model_copy(update={"retryable": False})
    return _unavailable(error.message)


def _unavailable(message: str) -> ErrorDetail:
    return ErrorDetail(error_class=ErrorClass.TARGET_UNAVAILABLE, message=message, retryable=False)
