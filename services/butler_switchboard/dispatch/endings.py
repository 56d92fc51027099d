"""The end of a request in PostgreSQL: its conclusion, the replay that it settles, its dead letter (D12, D17).

A function that writes more than one row needs a transaction around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from butler_kit.db import Connection, NamedQueries
from butler_kit.queue import Lease, LeaseLost
from butler_kit.time import uuid7_timestamp
from butler_switchboard.dispatch.outcome import Abandoned, DeadEnd, Outcome

__all__ = ["GivenUp", "write_abandoned", "write_conclusion"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/dispatch.sql")


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A request that was ended unread: its channel, and whether somebody had it sent again before."""

    channel: str
    reopened: bool


async def write_conclusion(connection: Connection, request_id: UUID, outcome: Outcome) -> datetime | None:
    """Write the end once, with any dead letter; return its time, or None if it was written before."""
    ended_at: datetime | None = await connection.fetchval(
        _SQL["write_conclusion"],
        request_id,
        uuid7_timestamp(request_id),
        outcome.lifecycle_state,
        outcome.routing_output,
        outcome.dispatch_outcomes,
        outcome.aggregated_reply,
        outcome.error.error_class.value if outcome.error else None,
        outcome.error.message if outcome.error else None,
        outcome.reroutes,
    )
    if ended_at is None:
        return None
    if outcome.replayed:
        await connection.execute(_SQL["settle_replay"], request_id, outcome.lifecycle_state)
    if outcome.dead_end is not None:
        await _add_dead_letter(connection, request_id, outcome.dead_end)
    return ended_at


async def write_abandoned(connection: Connection, lease: Lease, abandoned: Abandoned) -> GivenUp | None:
    """End a request unread while `lease` holds; return what it was, None if ended. Raises `LeaseLost`."""
    request_id, error = lease.item_id, abandoned.error
    if await connection.fetchval(_SQL["hold_lease"], request_id, lease.lease_id) is None:
        raise LeaseLost(f"the lease on request {request_id} ended before it was given up")
    row = await connection.fetchrow(
        _SQL["abandon"],
        request_id,
        uuid7_timestamp(request_id),
        error.error_class.value,
        error.message,
        abandoned.reply,
    )
    if row is None:
        return None
    await connection.execute(_SQL["abandon_subroutes"], request_id, error.error_class.value, abandoned.said)
    await connection.execute(_SQL["settle_replay"], request_id, "errored")
    [failed] = await connection.fetch(_SQL["failed_targets"], request_id)
    await connection.execute(
        _SQL["add_dead_letter"],
        request_id,
        uuid7_timestamp(request_id),
        failed["targets"],
        error.error_class.value,
        error.message,
        failed["attempts"],
    )
    return GivenUp(row["source_channel"], row["reopened"])


async def _add_dead_letter(connection: Connection, request_id: UUID, dead_end: DeadEnd) -> None:
    await connection.execute(
        _SQL["add_dead_letter"],
        request_id,
        uuid7_timestamp(request_id),
        dead_end.targets,
        dead_end.error.error_class.value,
        dead_end.error.message,
        max((part.attempt for part in dead_end.parts), default=0),
    )
