"""Lists approvals and lets an operator decide them (MSR-03, D4).

Invariant: the verdict and the record of who, when and why are one transaction; what follows from it comes after.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.actions import Verdict as Choice
from butler_contracts.errors import ValidationFailed
from butler_kit.db import NamedQueries, Pool, acquire, transaction
from butler_kit.operations import Acting, Effect, Operations, Order
from butler_messenger.approvals.questions import ApprovalsQuestion
from butler_messenger.approvals.releases import Releases
from butler_messenger.approvals.rules import StandingRules
from butler_messenger.approvals.verdicts import Decision, Verdict, decide, find, unknown_approval
from butler_messenger.approvals.views import approval_view, full_view, id_of
from butler_messenger.delivery.records import Delivery, Row
from butler_messenger.tracking.cursor import read_cursor, write_cursor

__all__ = ["ApprovalDesk", "Choice"]

_SQL: Final = NamedQueries("butler_messenger.sql", "approvals.sql")
_CALLS: Final = NamedQueries("butler_messenger.sql", "call_approvals.sql")
_DECISIONS: Final[dict[Choice, Decision]] = {"approve": "approved", "deny": "denied"}


class ApprovalDesk:
    """Gives the same answers on every replica."""

    def __init__(
        self,
        pool: Pool,
        operations: Operations,
        releases: Releases,
        rules: StandingRules,
        on_terminal: Callable[[Delivery], None],
    ) -> None:
        self._pool = pool
        self._operations = operations
        self._releases = releases
        self._rules = rules
        self._on_terminal = on_terminal

    async def page(self, asked: ApprovalsQuestion) -> dict[str, Any]:
        """Return a page, newest first; `next_cursor` is null on the last one."""
        state = None if asked.state == "all" else asked.state
        after = read_cursor(asked.cursor)
        async with transaction(self._pool, doing="listing approvals") as connection:
            await connection.execute(_SQL["plan_each_time"])
            deliveries = await connection.fetch(_SQL["page"], state, *after, asked.limit + 1)
            calls = await connection.fetch(_CALLS["page"], state, *after, asked.limit + 1)
        rows = sorted((*deliveries, *calls), key=_place, reverse=True)
        page, more = rows[: asked.limit], len(rows) > asked.limit
        return {
            "approvals": [approval_view(row) for row in page],
            "next_cursor": write_cursor(*_place(page[-1])) if more else None,
        }

    async def inspect(self, delivery_id: UUID) -> dict[str, Any]:
        """Return one approval with its whole text. Raises `UnknownApproval`."""
        return full_view(await self.found(delivery_id))

    async def found(self, delivery_id: UUID) -> Row:
        """Return the row of one approval. Raises `UnknownApproval`."""
        async with acquire(self._pool, doing="reading an approval") as connection:
            row = await find(connection, delivery_id)
        if row is None:
            raise unknown_approval(delivery_id)
        return row

    async def decide(
        self,
        delivery_id: UUID,
        choice: Choice,
        order: Order,
        *,
        via: str = "operator",
        always_s: float | None = None,
    ) -> dict[str, Any]:
        """Approve or deny, once; `always_s` also makes it a standing rule in the same transaction.

        Raises `UnknownApproval`, `Refused` if it is already decided, `KeyReused`, `ValidationFailed`.
        """
        verdict = Verdict(_DECISIONS[choice], order.who, via, order.reason)
        if always_s is not None and choice != "approve":
            raise ValidationFailed("always_for_s: goes with an approval only; leave it out to deny")

        async def act(acting: Acting) -> Effect:
            decided = await decide(acting.connection, delivery_id, verdict)
            if (ended := decided.ended) is not None:
                acting.afterwards.append(lambda: self._on_terminal(ended))
            answer: dict[str, Any] = {
                "approval_id": str(delivery_id),
                "kind": decided.kind,
                "state": verdict.decision,
            }
            if always_s is not None:
                connection = acting.connection
                answer["rule"] = await self._rules.add(connection, delivery_id, order, lasts_s=always_s)
            return Effect(answer, f"{decided.noun} {delivery_id} is {verdict.decision}")

        done = await self._operations.run(order, act)
        if verdict.decision == "approved":
            await self._releases.release(delivery_id)
        return done.document()


def _place(row: Row) -> tuple[datetime, UUID]:
    """Return the sort key of the list."""
    return row["requested_at"], id_of(row)
