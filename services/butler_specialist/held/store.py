"""The table `held_calls` and its work rows: each decided, begun and ended once, by the lease holder (D61).

Invariants: a call and its work row are inserted with the outcome that requested it (inbox.sql), and the statement
that ends it deletes the work row; one statement records that a call begins, here and among all calls outside.
"""

from __future__ import annotations

from typing import Any, Final, cast
from uuid import UUID

import asyncpg

from butler_contracts.context import RequestContext
from butler_contracts.stored import stored
from butler_kit.db import NamedQueries, Pool, acquire
from butler_kit.queue import Lease, LeaseLost
from butler_specialist.held.model import Decided, HeldCall, Outcome, Verdict, Wish
from butler_specialist.outside.model import CallState
from butler_specialist.remind.reach import Reach

__all__ = ["HeldStore"]

_SQL = NamedQueries("butler_specialist.sql", "held_calls.sql")
_PROBLEM_CHARS: Final = 300
_STATES: Final = {
    Outcome.RETURNED: CallState.RETURNED,
    Outcome.FAILED: CallState.FAILED,
    Outcome.UNSENT: CallState.UNSENT,
}
"""The final states in `external_calls`; for other outcomes that row stays as it is, or there is none."""


class HeldStore:
    """Held calls in the pool's schema."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def any_waits(self) -> bool:
        """Return whether there is anything to do."""
        async with acquire(self._pool, doing="looking for calls that wait") as connection:
            found: bool = await connection.fetchval(_SQL["any_waits"])
        return found

    async def find(self, call_id: UUID) -> HeldCall | None:
        """Return the call as it stands. Raises `Unreadable`."""
        async with acquire(self._pool, doing="reading a call that waits") as connection:
            row = await connection.fetchrow(_SQL["find"], call_id)
        return _call(row) if row is not None else None

    async def decided(self, lease: Lease, decided: Decided, *, problem: str | None = None) -> None:
        """Store the decision, once. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="keeping a verdict") as connection:
            held = await connection.fetchval(
                _SQL["decided"],
                lease.item_id,
                lease.lease_id,
                decided.verdict.value,
                decided.by,
                decided.ago_s,
                _short(problem),
            )
        _check_held(lease, held)

    async def begin(self, lease: Lease) -> bool:
        """Record that the call is about to be made; return False if it was begun before.

        Raises `LeaseLost`.
        """
        async with acquire(self._pool, doing="noting an approved call") as connection:
            row = await connection.fetchrow(_SQL["begin"], lease.item_id, lease.lease_id)
        _check_held(lease, row is not None and row["held"])
        return bool(row is not None and row["begun"])

    async def keep_outcome(self, lease: Lease, outcome: Outcome, *, said: str | None = None) -> None:
        """Store the result, once. Raises `LeaseLost`."""
        state = _STATES.get(outcome)
        async with acquire(self._pool, doing="keeping what came of an approved call") as connection:
            held = await connection.fetchval(
                _SQL["keep_outcome"],
                lease.item_id,
                lease.lease_id,
                outcome.value,
                said,
                state.value if state is not None else None,
            )
        _check_held(lease, held)

    async def finish(self, lease: Lease, *, problem: str | None = None) -> None:
        """End the call and remove it from the queue. Raises `LeaseLost`."""
        async with acquire(self._pool, doing="ending a call that waited") as connection:
            gone = await connection.fetchval(_SQL["finish"], lease.item_id, lease.lease_id, _short(problem))
        _check_held(lease, gone is not None)


def _short(problem: str | None) -> str | None:
    return problem[:_PROBLEM_CHARS] if problem is not None else None


def _check_held(lease: Lease, held: bool | None) -> None:
    if not held:
        raise LeaseLost(f"held_call_work: the lease on {lease.item_id} is lost (attempt {lease.attempt})")


def _call(row: asyncpg.Record) -> HeldCall:
    return HeldCall(
        wish=Wish(
            row["call_id"],
            row["session_id"],
            row["server"],
            row["tool"],
            row["read_only"],
            row["arguments"],
            row["args_shown"],
        ),
        request_id=row["request_id"],
        context=stored(RequestContext, row["context"]),
        reach=_reach(row["reach"]),
        language=row["language"],
        held_at=row["held_at"],
        now=row["now"],
        verdict=Verdict(row["verdict"]) if row["verdict"] is not None else None,
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        begun_at=row["begun_at"],
        outcome=Outcome(row["outcome"]) if row["outcome"] is not None else None,
        outcome_at=row["outcome_at"],
        said=row["said"],
        ended_at=row["ended_at"],
    )


def _reach(found: dict[str, Any] | None) -> Reach | None:
    if found is None:
        return None
    contact_id = UUID(found["contact_id"]) if found["contact_id"] is not None else None
    return Reach(cast(Any, found["channel"]), contact_id, found["address"])
