"""Plans, subroutes and conclusions in PostgreSQL; every transition is guarded by the state it leaves (D12, D17)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from butler_contracts.errors import ErrorDetail
from butler_contracts.ingest import PolicyTier
from butler_contracts.keys import subrequest_id
from butler_contracts.stored import stored
from butler_kit.db import NamedQueries, Pool, acquire, transaction
from butler_kit.queue import Lease, LeaseLost
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.endings import GivenUp, write_abandoned, write_conclusion
from butler_switchboard.dispatch.model import (
    Branch,
    Plan,
    PlannedTarget,
    RequestState,
    Subroute,
    SubrouteState,
)
from butler_switchboard.dispatch.outcome import Abandoned, Outcome
from butler_switchboard.dispatch.records import plan_to_json
from butler_switchboard.dispatch.state import add_branches, load_request

__all__ = [
    "Begun",
    "Behind",
    "Counted",
    "DispatchStore",
    "Ended",
    "KnownSubroute",
    "Outdated",
]

_SQL = NamedQueries("butler_switchboard", "sql/dispatch.sql")
_MONTH_IS_LEAVING = NamedQueries("butler_switchboard", "sql/partitions.sql")["month_is_leaving"]


@dataclass(frozen=True)
class KnownSubroute:
    """The stored branch that a response is checked against."""

    subrequest_id: UUID
    request_id: UUID
    target: str
    state: SubrouteState
    response: dict[str, Any] | None


@dataclass(frozen=True)
class Counted:
    """A counted try; it is the branch's try number `tries`."""

    tries: int


@dataclass(frozen=True)
class Behind:
    """An earlier message of the thread waits for the same target; it is due at `until`."""

    until: datetime


@dataclass(frozen=True)
class Outdated:
    """A target was put into quarantine after the plan's registry was read."""


@dataclass(frozen=True)
class Begun:
    """A branch that its target has begun, and when it must have answered."""

    request_id: UUID
    deadline_at: datetime


@dataclass(frozen=True)
class Ended:
    """The end of a branch; `seconds` since it was first sent, None when it never was.

    `again`: somebody had its part done again (a replay, a reroute, a correction), or it took something back.
    """

    request_id: UUID
    seconds: float | None
    again: bool


class DispatchStore:
    """Reads and writes the stored state of requests."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def load(self, request_id: UUID) -> RequestState | None:
        """Return everything a step is decided from; None if the message is gone."""
        async with acquire(self._pool, doing="reading a request") as connection:
            return await load_request(connection, request_id)

    async def is_away(self, request_id: UUID) -> bool:
        """Return whether a missing message's month may come back: a sweep is taking it out of the inbox."""
        async with acquire(self._pool, doing="looking for a month") as connection:
            leaving: bool = await connection.fetchval(_MONTH_IS_LEAVING, uuid7_timestamp(request_id))
        return leaving

    async def commit_plan(
        self, lease: Lease, plan: Plan, *, quarantined: Collection[str]
    ) -> tuple[Subroute, ...] | Outdated | None:
        """Commit the plan and its first attempts while `lease` still holds; return the attempts. Raises `LeaseLost`.

        None if a plan exists already, which stays: two workers never route one request to two places (D12).
        `Outdated` if a target is in quarantine that was not known to be when the plan was made: once a quarantine is
        answered, no replica sends that butler anything new.
        """
        first, trial = tuple(_first_attempt(plan.request_id, item) for item in plan.targets), plan.trial
        async with acquire(self._pool, doing="committing a plan") as connection:
            row = await connection.fetchrow(
                _SQL["commit_plan"],
                plan.request_id,
                uuid7_timestamp(plan.request_id),
                lease.lease_id,
                plan.family,
                plan.model_version,
                plan.prompt_version,
                plan.decided_by,
                plan.confidence,
                plan.fallback,
                plan.reason,
                plan.fanout_mode.value,
                plan.join_policy.value,
                plan.abort_policy.value,
                plan_to_json(plan),
                [item.subrequest_id for item in first],
                [item.segment_id for item in first],
                [item.target for item in first],
                [item.position for item in first],
                list(quarantined),
                trial.rollout if trial is not None else None,
                trial.arm.value if trial is not None else None,
                trial.invalid if trial is not None else None,
                trial.unanswered if trial is not None else None,
                trial.thread if trial is not None else None,
            )
        if row is None or not row["held"]:
            raise LeaseLost(f"the lease on request {lease.item_id} ended before its plan was committed")
        if row["outdated"]:
            return Outdated()
        return first if row["committed"] else None

    async def add_attempt(self, request_id: UUID, failed: Subroute, *, not_before: datetime) -> None:
        """Add the next attempt of a branch whose target answered with a retryable error."""
        branch = Branch(
            failed.segment_id,
            failed.target,
            failed.attempt + 1,
            failed.position,
            next_try_at=not_before,
            replay_of=failed.replay_of,
        )
        async with transaction(self._pool, doing="adding an attempt") as connection:
            await add_branches(connection, request_id, [branch])

    async def count_try(self, request_id: UUID, subroute: Subroute) -> Counted | Behind | None:
        """Count one transport try; `Behind` if one of its thread goes first, None if no longer pending."""
        async with acquire(self._pool, doing="counting a try") as connection:
            row = await connection.fetchrow(
                _SQL["count_try"], subroute.subrequest_id, request_id, subroute.target
            )
        if row is None:
            return None
        if row["behind_until"] is not None:
            return Behind(row["behind_until"])
        return Counted(row["tries"]) if row["tries"] is not None else None

    async def put_off(self, subroute: Subroute, *, until: datetime, since: datetime) -> None:
        """Postpone it to `until`; it has waited since `since`, which is kept once written."""
        await self._execute("put_off", subroute.subrequest_id, until, since)

    async def mark_accepted(
        self,
        state: RequestState,
        subroute: Subroute,
        *,
        at: datetime,
        deadline: datetime,
        duration_ms: float,
    ) -> None:
        """Record an acknowledgement, with its line of `routing_log`."""
        context = state.message.context
        await self._execute(
            "mark_accepted",
            subroute.subrequest_id,
            at,
            deadline,
            state.request_id,
            subroute.target,
            context.source_channel.value,
            context.source_thread_identity,
            duration_ms,
        )

    async def mark_started(
        self, subrequest: UUID, target: str, *, at: datetime, deadlines: Mapping[PolicyTier, datetime]
    ) -> Begun | None:
        """Return its request and the deadline of its tier; None if the branch is not open, or another target's."""
        async with acquire(self._pool, doing="recording a start") as connection:
            row = await connection.fetchrow(
                _SQL["mark_started"],
                subrequest,
                target,
                at,
                [tier.value for tier in deadlines],
                list(deadlines.values()),
                deadlines[PolicyTier.DEFAULT],
            )
        return Begun(row["request_id"], row["deadline_at"]) if row is not None else None

    async def mark_ended(
        self,
        subrequest: UUID,
        *,
        error: ErrorDetail | None,
        response: dict[str, Any] | None,
        duration_ms: float | None,
    ) -> Ended | None:
        """Record a terminal answer; None if the branch had ended before (a late or repeated answer)."""
        async with acquire(self._pool, doing="recording an answer") as connection:
            row = await connection.fetchrow(
                _SQL["mark_terminal"],
                subrequest,
                (SubrouteState.ERROR if error else SubrouteState.OK).value,
                response,
                error.error_class.value if error else None,
                error.original_class if error else None,
                error.message if error else None,
                error.retryable if error else None,
                duration_ms,
            )
        return Ended(row["request_id"], row["seconds"], row["again"]) if row is not None else None

    async def mark_given_up(self, seen: Subroute, error: ErrorDetail) -> Ended | None:
        """End a branch without an answer of its target; None if it is no longer as `seen`."""
        async with acquire(self._pool, doing="giving a branch up") as connection:
            row = await connection.fetchrow(
                _SQL["mark_given_up"],
                seen.subrequest_id,
                error.error_class.value,
                error.original_class,
                error.message,
                error.retryable,
                seen.state.value,
                seen.deadline_at,
            )
        return Ended(row["request_id"], row["seconds"], row["again"]) if row is not None else None

    async def mark_skipped(self, subroutes: Sequence[Subroute]) -> None:
        await self._execute("mark_skipped", [item.subrequest_id for item in subroutes])

    async def keep_late_response(self, subrequest: UUID, response: dict[str, Any]) -> None:
        await self._execute("keep_late_response", subrequest, response)

    async def keep_called(self, subrequest: UUID, said: str) -> None:
        """Add what a stopped attempt had called outside to the reason of its end, once."""
        await self._execute("keep_called", subrequest, said)

    async def find(self, subrequest: UUID) -> KnownSubroute | None:
        async with acquire(self._pool, doing="finding a subrequest") as connection:
            row = await connection.fetchrow(_SQL["subroute_by_id"], subrequest)
        if row is None:
            return None
        return KnownSubroute(
            row["subrequest_id"],
            row["request_id"],
            row["target"],
            stored(SubrouteState, row["state"]),
            row["response"],
        )

    async def conclude(self, request_id: UUID, outcome: Outcome) -> datetime | None:
        """Write the end once, with any dead letter; return its time, or None if it was written before."""
        in_one_row = outcome.dead_end is None and not outcome.replayed
        opened = acquire if in_one_row else transaction
        async with opened(self._pool, doing="writing a conclusion") as connection:
            return await write_conclusion(connection, request_id, outcome)

    async def abandon(self, lease: Lease, abandoned: Abandoned) -> GivenUp | None:
        """End a request once, without reading it, with a dead letter; return what it was.

        None if it had ended before or is gone. Raises `LeaseLost`.
        """
        async with transaction(self._pool, doing="giving a request up") as connection:
            return await write_abandoned(connection, lease, abandoned)

    async def log_route(
        self, state: RequestState, subroute: Subroute, *, duration_ms: float, error: ErrorDetail | None
    ) -> None:
        """Write one line of `routing_log` for one call of `route.execute`."""
        context = state.message.context
        await self._execute(
            "log_route",
            state.request_id,
            subroute.subrequest_id,
            subroute.target,
            context.source_channel.value,
            context.source_thread_identity,
            error is None,
            duration_ms,
            error.error_class.value if error else None,
            error.message if error else None,
        )

    async def _execute(self, query: str, *arguments: Any) -> None:
        async with acquire(self._pool, doing=query.replace("_", " ")) as connection:
            await connection.execute(_SQL[query], *arguments)


def _first_attempt(request_id: UUID, target: PlannedTarget) -> Subroute:
    """Return the first attempt at a branch, as it is stored."""
    identifier = subrequest_id(request_id, target.segment_id, target.butler, 1)
    return Subroute(identifier, target.segment_id, target.butler, 1, target.position, SubrouteState.PENDING)
