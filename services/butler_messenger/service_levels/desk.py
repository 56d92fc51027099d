"""Shows the service levels, and releases a tight channel for an operator (MSG-15, D4).

Invariant: the release and the record of who, when and why are one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from butler_kit.db import Connection, NamedQueries, Pool, acquire
from butler_kit.operations import Acting, Effect, Operations, Order
from butler_kit.service_levels import Level
from butler_kit.service_levels.rows import level_of
from butler_kit.service_levels.views import policy_view
from butler_kit.time import Clock
from butler_messenger.circuits.desk import UnknownChannel
from butler_messenger.delivery.circuits import Account
from butler_messenger.service_levels.figures import Figures, figures, most_within_s
from butler_messenger.service_levels.keeper import Keeper
from butler_messenger.service_levels.views import Standing, standing_view

__all__ = ["ServiceLevelDesk"]

_SQL: Final = NamedQueries("butler_messenger.sql", "service_levels.sql")
_CHANGES: Final = 10
_PERIOD_LASTS_S: Final = 60.0


class ServiceLevelDesk:
    """Gives the same answers on every replica."""

    def __init__(self, pool: Pool, keeper: Keeper, operations: Operations, *, clock: Clock) -> None:
        self._pool = pool
        self._keeper = keeper
        self._operations = operations
        self._clock = clock
        self._period: Mapping[str, Figures] = {}
        self._period_until = 0.0

    async def status(self, channel: str | None = None) -> dict[str, Any]:
        """Return an entry per configured channel, or only `channel`, counted now. Raises `UnknownChannel`."""
        asked = self._keeper.accounts if channel is None else (self._account(channel),)
        policy = self._keeper.policy
        async with acquire(self._pool, doing="reading the service levels") as connection:
            rows = await connection.fetch(_SQL["levels"])
            found = await figures(connection, policy.windows_s, policy)
            period = await self._of_period(connection)
            within_s = await most_within_s(connection, policy.fast.long_s)
            changes = {
                account: await connection.fetch(
                    _SQL["changes"], account.channel, account.identity_scope, _CHANGES
                )
                for account in asked
            }
        known = {Account(row["channel"], row["identity_scope"]): level_of(row) for row in rows}
        standings = [
            Standing(
                account,
                known.get(account, Level()),
                found.get(account.channel, Figures()),
                period.get(account.channel, Figures()),
                within_s,
                changes[account],
            )
            for account in asked
        ]
        return {"slo": [standing_view(one, policy) for one in standings], "policy": policy_view(policy)}

    async def _of_period(self, connection: Connection) -> Mapping[str, Figures]:
        """Return the period's figures, at most a minute old: they are read row by row and requested often."""
        if self._clock.monotonic() >= self._period_until:
            policy = self._keeper.policy
            self._period = await figures(connection, (policy.period_s,), policy)
            self._period_until = self._clock.monotonic() + _PERIOD_LASTS_S
        return self._period

    async def reset(self, channel: str, order: Order) -> dict[str, Any]:
        """Release it; figures until now no longer count. Raises `UnknownChannel`, `KeyReused`."""
        account = self._account(channel)

        async def act(acting: Acting) -> Effect:
            before, tell = await self._keeper.let_go(
                acting.connection, account, why=acting.order.reason, actor=acting.order.who
            )
            acting.afterwards += (tell, self._forget_period)
            answer = {"channel": channel, "state": "kept", "was": before.state.value}
            was = f"{before.state.value}, {before.cause}" if before.cause else before.state.value
            return Effect(answer, f"what {channel} did until now counts no more; its service level was {was}")

        return (await self._operations.run(order, act)).document()

    def _forget_period(self) -> None:
        self._period_until = 0.0

    def _account(self, channel: str) -> Account:
        for account in self._keeper.accounts:
            if account.channel == channel:
                return account
        known = ", ".join(account.channel for account in self._keeper.accounts) or "none"
        raise UnknownChannel(f"no channel {channel!r} here; configured: {known}")
