"""Shows the service levels, and releases a tight one for an operator (SWB-41.1, D4).

Invariant: the release and the record of who, when and why are one transaction.
"""

from __future__ import annotations

from typing import Any, Final

from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.operations import Acting, Effect, Operations, Order
from butler_kit.service_levels import Level, Measured, Sli
from butler_kit.service_levels.rows import level_of
from butler_kit.service_levels.views import changes_view, level_view, objective_view, policy_view
from butler_kit.time import Clock
from butler_switchboard.service_levels.figures import measured
from butler_switchboard.service_levels.keeper import Keeper
from butler_switchboard.service_levels.objectives import NAME, Objective

__all__ = ["ServiceLevelDesk"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/service_levels.sql")
_CHANGES: Final = 10
_PERIOD_LASTS_S: Final = 60.0


class ServiceLevelDesk:
    """Gives the same answers on every replica."""

    def __init__(self, pool: Pool, keeper: Keeper, operations: Operations, *, clock: Clock) -> None:
        self._pool = pool
        self._keeper = keeper
        self._operations = operations
        self._clock = clock
        self._period: Measured = {}
        self._period_until = 0.0

    async def status(self) -> dict[str, Any]:
        """Return the level with its objectives, counted now, and the policy that decides."""
        policy = self._keeper.policy
        async with acquire(self._pool, doing="reading the service levels") as connection:
            row = await connection.fetchrow(_SQL["level"])
            lately = await measured(connection, policy.windows_s)
            period = await self._of_period(connection)
            changes = await connection.fetch(_SQL["changes"], _CHANGES)
        objectives = [
            {
                **objective_view(Sli(objective), lately, period, policy),
                "within_s": policy.within_s.get(objective),
            }
            for objective in Objective
        ]
        standing = level_view(level_of(row) if row is not None else Level(), policy)
        one = {"name": NAME, **standing, "objectives": objectives, "changes": changes_view(changes)}
        return {"slo": [one], "policy": policy_view(policy)}

    async def _of_period(self, connection: Connection) -> Measured:
        """Return the period's counts, at most a minute old: they are many rows and requested often."""
        if self._clock.monotonic() >= self._period_until:
            self._period = await measured(connection, (self._keeper.policy.period_s,))
            self._period_until = self._clock.monotonic() + _PERIOD_LASTS_S
        return self._period

    async def reset(self, order: Order) -> dict[str, Any]:
        """Release it; counts until now no longer count. Raises `KeyReused`."""

        async def act(acting: Acting) -> Effect:
            before, tell = await self._keeper.let_go(
                acting.connection, why=acting.order.reason, actor=acting.order.who
            )
            acting.afterwards += (tell, self._forget_period)
            answer = {"name": NAME, "state": "kept", "was": before.state.value}
            was = f"{before.state.value}, {before.cause}" if before.cause else before.state.value
            return Effect(answer, f"what happened until now counts no more; the service level was {was}")

        return (await self._operations.run(order, act)).document()

    def _forget_period(self) -> None:
        self._period_until = 0.0
