"""What a request needs next: one pure decision over its stored state (SWB-11, SWB-13, SWB-30; D11, D12, D17).

Level-triggered: whoever holds the lease reads the state, asks `next_step`, performs it and asks again. A crash between
any two steps changes nothing, since the next worker reads the same state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_switchboard.dispatch.model import (
    AbortPolicy,
    FanoutMode,
    Plan,
    RequestState,
    Subroute,
    SubrouteState,
)
from butler_switchboard.dispatch.retry import Patience, RetryPolicy
from butler_switchboard.dispatch.withdrawing import lets_go
from butler_switchboard.routing.registry_view import Presence

__all__ = [
    "Announce",
    "Conclude",
    "Dispatch",
    "Expire",
    "Hear",
    "Retry",
    "Route",
    "Skip",
    "Step",
    "Wait",
    "next_step",
]

WATCH_INTERVAL = timedelta(seconds=30)
"""How often a silent branch's target is checked for signs of life."""


@dataclass(frozen=True)
class Route:
    """No plan is committed yet."""


@dataclass(frozen=True)
class Dispatch:
    subroutes: tuple[Subroute, ...]


@dataclass(frozen=True)
class Expire:
    """Branches whose silence counts as a failure, each with its error."""

    expired: tuple[tuple[Subroute, ErrorDetail], ...]


@dataclass(frozen=True)
class Retry:
    subroutes: tuple[Subroute, ...]


@dataclass(frozen=True)
class Skip:
    """Branches that an earlier failure rules out (conditional plans, stopped ordered plans)."""

    subroutes: tuple[Subroute, ...]


@dataclass(frozen=True)
class Conclude:
    """Every branch has ended."""


@dataclass(frozen=True)
class Announce:
    """The end is written; tell the person if that is due, then release the work row."""


@dataclass(frozen=True)
class Wait:
    """Nothing to do before `until`; the thread is released once no branch waits for its first try (D11, D77)."""

    until: datetime
    releases_thread: bool


@dataclass(frozen=True)
class Hear:
    """Parts wait for a grown-up's word: ask for it, or hear it; `wait` is for the other parts, if any is open."""

    wait: Wait | None = None


Step = Route | Dispatch | Expire | Retry | Skip | Conclude | Announce | Wait | Hear


def next_step(
    state: RequestState, *, now: datetime, policy: RetryPolicy, presence: Mapping[str, Presence]
) -> Step:
    """Return the one thing to do now; `presence` has the signs of life of each target."""
    if state.concluded:
        return Announce()
    if state.plan is None:
        return Route()
    latest = state.latest()
    expire = _expire(latest, now, policy.patience(state.tier), presence)
    for step in (expire, _retry(state, latest, policy), _skip(state.plan, latest)):
        if step is not None:
            return step
    if all(subroute.state.terminal for subroute in latest):
        return Hear() if state.plan.waits_for_a_word else Conclude()
    startable = _startable(state.plan, latest)
    due = tuple(item for item in startable if item.next_try_at is None or item.next_try_at <= now)
    if due:
        return Dispatch(due)
    wait = _wait(latest, startable, now)
    return Hear(wait) if state.plan.waits_for_a_word else wait


def _expire(
    latest: tuple[Subroute, ...], now: datetime, patience: Patience, presence: Mapping[str, Presence]
) -> Expire | None:
    expired = tuple(
        (subroute, error)
        for subroute in latest
        if subroute.state in (SubrouteState.ACCEPTED, SubrouteState.STARTED)
        and (error := _end_of(subroute, now, patience, presence.get(subroute.target, Presence()))) is not None
    )
    return Expire(expired) if expired else None


def _end_of(subroute: Subroute, now: datetime, patience: Patience, target: Presence) -> ErrorDetail | None:
    """Return the error that a target's silence means by now; None while it may mean nothing.

    The target has stored what it accepted. So a message that can wait does: for a lost target, as long as for an
    unreachable one; for a run that was cut off with its process, until the process has had time for another run.
    """
    hold = timedelta(seconds=patience.circuit_s)
    if subroute.deadline_at is not None and subroute.deadline_at <= now:
        cut_off = subroute.started_at is not None and not target.works_on(subroute.started_at)
        if cut_off and now < subroute.deadline_at + hold:
            return None
        return _silence(subroute, ErrorClass.TIMEOUT, "did not answer in time")
    if target.lost and target.silent_s >= patience.circuit_s:
        return _silence(subroute, ErrorClass.TARGET_UNAVAILABLE, "stopped responding")
    return None


def _silence(subroute: Subroute, error_class: ErrorClass, what: str) -> ErrorDetail:
    return ErrorDetail(error_class=error_class, message=f"{subroute.target} {what}", retryable=False)


def _retry(state: RequestState, latest: tuple[Subroute, ...], policy: RetryPolicy) -> Retry | None:
    again = tuple(
        item
        for item in latest
        if item.state is SubrouteState.ERROR
        and item.error is not None
        and policy.may_retry(state.tier, attempt=state.tries(item), retryable=item.error.retryable)
    )
    return Retry(again) if again else None


def _skip(plan: Plan, latest: tuple[Subroute, ...]) -> Skip | None:
    stops = plan.fanout_mode is FanoutMode.CONDITIONAL or (
        plan.fanout_mode is FanoutMode.ORDERED and plan.abort_policy is AbortPolicy.STOP
    )
    if not stops:
        return None
    failed_before = False
    ruled_out: list[Subroute] = []
    for subroute in latest:
        if failed_before and subroute.state is SubrouteState.PENDING and not lets_go(plan, subroute):
            ruled_out.append(subroute)
        failed_before = failed_before or subroute.state in (SubrouteState.ERROR, SubrouteState.SKIPPED)
    return Skip(tuple(ruled_out)) if ruled_out else None


def _startable(plan: Plan, latest: tuple[Subroute, ...]) -> tuple[Subroute, ...]:
    """Return the pending branches whose turn it is: all at once in parallel, else the first not ended."""
    if plan.fanout_mode is FanoutMode.PARALLEL:
        return tuple(item for item in latest if item.state is SubrouteState.PENDING)
    first_open = next(item for item in latest if not item.state.terminal)
    return (first_open,) if first_open.state is SubrouteState.PENDING else ()


def _wait(latest: tuple[Subroute, ...], startable: tuple[Subroute, ...], now: datetime) -> Wait:
    """Return the wait; after a failed try the thread goes on, maybe to a healthy butler (D77)."""
    tries = [item.next_try_at for item in startable]
    deadlines = [item.deadline_at for item in latest if not item.state.terminal]
    moments = [moment for moment in (*tries, *deadlines) if moment is not None and moment > now]
    untried = any(item.state is SubrouteState.PENDING and item.waiting_since is None for item in latest)
    return Wait(until=min([*moments, now + WATCH_INTERVAL]), releases_thread=not untried)
