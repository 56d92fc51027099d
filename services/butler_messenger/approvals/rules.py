"""Standing rules, which allow something for a while without asking again (docs/adr/0076).

Invariants: a rule covers one butler, tool, channel and recipient, or one call to the byte, and has an end; it is made
in the transaction of the approval that it extends. Whether a rule allows a delivery or a call is decided in the
statement that holds it (`request`, `ask`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import NotFound, ValidationFailed
from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.operations import Acting, Effect, Operations, Order, Refused
from butler_messenger.approvals.questions import RulesQuestion
from butler_messenger.approvals.views import moment, rule_view
from butler_messenger.tracking.cursor import page_of, read_cursor

__all__ = ["StandingRules"]

_SQL: Final = NamedQueries("butler_messenger.sql", "approval_rules.sql")
_ALLOW: Final = NamedQueries("butler_messenger.sql", "call_approvals.sql")["allow"]
_PAGES: Final = {"in_force": _SQL["page_in_force"], "all": _SQL["page"]}


class StandingRules:
    """Gives the same answers on every replica."""

    def __init__(self, pool: Pool, operations: Operations, *, new_id: Callable[[], UUID]) -> None:
        self._pool = pool
        self._operations = operations
        self._new_id = new_id

    async def add(
        self, connection: Connection, delivery_id: UUID, order: Order, *, lasts_s: float
    ) -> dict[str, Any]:
        """Allow deliveries like this one, or this very call, from now on; return the rule and its end."""
        said = (self._new_id(), delivery_id, order.who, order.reason, lasts_s)
        row = await connection.fetchrow(_SQL["add"], *said) or await connection.fetchrow(_ALLOW, *said)
        if row is None:
            raise ValidationFailed(
                f"{delivery_id} goes to no address, or is a member's request; approve it without a rule"
            )
        return {"rule_id": str(row["rule_id"]), "expires_at": moment(row["expires_at"])}

    async def page(self, asked: RulesQuestion) -> dict[str, Any]:
        """Return a page, newest first; `next_cursor` is null on the last one."""
        after = read_cursor(asked.cursor)
        async with acquire(self._pool, doing="listing standing rules") as connection:
            rows = await connection.fetch(_PAGES[asked.state], *after, asked.limit + 1)
        return page_of("rules", rows, rule_view, limit=asked.limit, own_id="rule_id")

    async def end(self, rule_id: UUID, order: Order) -> dict[str, Any]:
        """End a rule, so that approval is needed again. Raises `NotFound`, `Refused` if over, `KeyReused`."""

        async def act(acting: Acting) -> Effect:
            ended = await acting.connection.fetchval(_SQL["end"], rule_id, order.who, order.reason)
            if ended is None:
                await _refuse(acting.connection, rule_id)
            return Effect({"rule_id": str(rule_id), "state": "ended"}, f"standing rule {rule_id} is ended")

        return (await self._operations.run(order, act)).document()


async def _refuse(connection: Connection, rule_id: UUID) -> None:
    row = await connection.fetchrow(_SQL["find"], rule_id)
    if row is None:
        raise NotFound(f"no standing rule {rule_id}; `butlers approvals rules` lists them")
    if row["ended_at"] is None:
        raise Refused(f"standing rule {rule_id} was over at {moment(row['expires_at'])}")
    raise Refused(f"standing rule {rule_id} was ended by {row['ended_by']} at {moment(row['ended_at'])}")
