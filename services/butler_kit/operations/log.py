"""Operators' actions, each done once: key, effect, audit and answer are one transaction (D4).

Invariants: a key stands for one action, at whichever replica and however often it is used; a repetition gets the
stored answer. An effect without its audit does not exist. A permanent refusal is stored like any other answer; a
failure that may pass leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from uuid import UUID

from butler_contracts.errors import InternalFailure, KeyReused
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.faults import points, reached_async
from butler_kit.operations.order import Order, Refused

__all__ = ["Acting", "Auditor", "Done", "Effect", "Operations"]

_SQL: Final = NamedQueries("butler_kit.operations", "operations.sql")


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an action: its answer, a line for the audit, and the audit's entry if it wrote one."""

    answer: dict[str, Any]
    summary: str
    request_id: UUID | None = None
    audit_id: int | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The stored answer; `repeated` when it was given before."""

    uid: str
    answer: dict[str, Any]
    audit_id: int | None
    repeated: bool

    def document(self) -> dict[str, Any]:
        """Return the answer with its ids."""
        return {
            **self.answer,
            "operation_uid": self.uid,
            "audit_id": self.audit_id,
            "repeated": self.repeated,
        }


@dataclass(slots=True)
class Acting:
    """The open transaction of an action; `afterwards` is called once it is committed."""

    connection: Connection
    order: Order
    afterwards: list[Callable[[], object]] = field(default_factory=list)


class Auditor(Protocol):
    """Writes the entry of an action in its transaction; returns the entry's id."""

    async def __call__(
        self, connection: Connection, order: Order, effect: Effect, *, error: str | None
    ) -> int | None: ...


Act = Callable[[Acting], Awaitable[Effect]]


async def _kept_by_the_operation(
    connection: Connection, order: Order, effect: Effect, *, error: str | None
) -> None:
    """For a service whose operations are its audit."""


class Operations:
    """The table `operation` of one service."""

    def __init__(self, pool: Pool, audit: Auditor = _kept_by_the_operation) -> None:
        self._pool = pool
        self._audit = audit

    async def run(self, order: Order, act: Act) -> Done:
        """Do `act` unless the key was used; return the answer. Raises what `act` raises, and `KeyReused`."""
        refusal: Refused | None = None
        async with transaction(self._pool, doing=f"acting on {order.target}") as connection:
            if await connection.fetchval(_SQL["claim"], *_columns(order)) is None:
                return await _known(connection, order)
            acting = Acting(connection, order)
            try:
                async with connection.transaction():
                    effect = await act(acting)
            except Refused as refused:
                refusal, effect = refused, Effect({}, refused.message)
                acting.afterwards.clear()
            audit_id = await self._finish(connection, order, effect, refusal)
            await reached_async(points.OPERATION_BEFORE_COMMIT, order.action)
        await reached_async(points.OPERATION_COMMITTED, order.action)
        for tell in acting.afterwards:
            tell()
        if refusal is not None:
            raise refusal
        return Done(order.uid, effect.answer, audit_id, repeated=False)

    async def done_before(self, uid: str) -> Done | None:
        """Return the stored answer of a key; None if nothing was done with it."""
        async with acquire(self._pool, doing="looking for what was done") as connection:
            row = await connection.fetchrow(_SQL["known"], uid)
        if row is None or row["state"] != "done":
            return None
        return Done(uid, row["result"], row["audit_id"], repeated=True)

    async def _finish(
        self, connection: Connection, order: Order, effect: Effect, refusal: Refused | None
    ) -> int | None:
        error = refusal.message if refusal is not None else None
        audit_id = effect.audit_id
        if audit_id is None:
            audit_id = await self._audit(connection, order, effect, error=error)
        state = "refused" if refusal is not None else "done"
        await connection.execute(
            _SQL["finish"], order.uid, state, effect.answer, error, effect.summary, audit_id
        )
        return audit_id


async def _known(connection: Connection, order: Order) -> Done:
    """Return the stored answer of a used key."""
    row = await connection.fetchrow(_SQL["known"], order.uid)
    if row is None:
        raise InternalFailure(f"operation {order.uid} vanished while it was looked up", retryable=True)
    first = (row["action"], row["target"], row["reason"], row["requested_by"], row["params"])
    if first != order.body():
        raise KeyReused(
            f"Idempotency-Key: {order.uid} was used to {row['action']} {row['target']}; "
            "another action, target or reason needs a key of its own"
        )
    if row["state"] == "refused":
        raise Refused(row["error"])
    return Done(order.uid, row["result"], row["audit_id"], repeated=True)


def _columns(order: Order) -> tuple[object, ...]:
    return (
        order.uid,
        order.action,
        order.target,
        order.reason,
        order.actor,
        order.requested_by,
        order.params,
    )
