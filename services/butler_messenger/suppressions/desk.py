"""Lists suppressions, and lets an operator add and end them (docs/adr/0083, D4).

Invariant: the change and the record of who, when and why are one transaction.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import Conflict, NotFound
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.operations import Acting, Effect, Operations, Order, Refused
from butler_messenger.approvals.views import moment
from butler_messenger.suppressions.questions import SuppressionsQuestion
from butler_messenger.suppressions.refusing import Cause, SuppressionList
from butler_messenger.suppressions.views import suppression_view
from butler_messenger.tracking.cursor import page_of, read_cursor

__all__ = ["SuppressionDesk"]

_SQL: Final = NamedQueries("butler_messenger.sql", "suppressions.sql")
_PAGES: Final = {"in_force": _SQL["page_in_force"], "all": _SQL["page"]}


class SuppressionDesk:
    """Gives the same answers on every replica."""

    def __init__(self, pool: Pool, operations: Operations, suppressions: SuppressionList) -> None:
        self._pool = pool
        self._operations = operations
        self._suppressions = suppressions

    async def page(self, asked: SuppressionsQuestion) -> dict[str, Any]:
        """Return a page, newest first; `next_cursor` is null on the last one."""
        after = read_cursor(asked.cursor)
        async with acquire(self._pool, doing="listing suppressions") as connection:
            rows = await connection.fetch(_PAGES[asked.state], *after, asked.limit + 1)
        return page_of("suppressions", rows, suppression_view, limit=asked.limit, own_id="suppression_id")

    async def suppress(self, channel: str, target: str, order: Order) -> dict[str, Any]:
        """Suppress a recipient from now on. Raises `Refused` if it is suppressed already, `KeyReused`."""

        async def act(acting: Acting) -> Effect:
            cause = Cause("operator", order.reason, order.who)
            added = await self._suppressions.add(acting.connection, channel, target, cause)
            if added is None:
                raise await self._suppressed_already(acting.connection, channel, target)
            answer = {
                "suppression_id": str(added),
                "channel": channel,
                "target_identity": target,
                "state": "in_force",
            }
            return Effect(answer, f"nothing is sent to {target} on {channel} unasked")

        return (await self._operations.run(order, act)).document()

    async def end(self, suppression_id: UUID, order: Order) -> dict[str, Any]:
        """End a suppression. Raises `NotFound`, `Refused` if it is ended already, `KeyReused`."""

        async def act(acting: Acting) -> Effect:
            ended = await acting.connection.fetchrow(_SQL["end"], suppression_id, order.who, order.reason)
            if ended is None:
                raise await _not_in_force(acting.connection, suppression_id)
            place = f"{ended['target_identity']} on {ended['channel']}"
            answer = {
                "suppression_id": str(suppression_id),
                "channel": ended["channel"],
                "target_identity": ended["target_identity"],
                "state": "ended",
            }
            return Effect(answer, f"suppression {suppression_id} is ended: {place} is written to again")

        return (await self._operations.run(order, act)).document()

    async def _suppressed_already(self, connection: Connection, channel: str, target: str) -> Conflict:
        known = await self._suppressions.refusal_of(connection, channel, target)
        return (
            Refused(known.message)
            if known is not None
            else Conflict("it was ended at this moment; ask again")
        )


async def _not_in_force(connection: Connection, suppression_id: UUID) -> NotFound | Refused:
    row = await connection.fetchrow(_SQL["find"], suppression_id)
    if row is None:
        return NotFound(f"no suppression {suppression_id}; `butlers suppressions` lists them")
    return Refused(
        f"suppression {suppression_id} was ended by {row['ended_by']} at {moment(row['ended_at'])}"
    )
