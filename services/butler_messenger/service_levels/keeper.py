"""Evaluates the service levels regularly, and keeps the resulting state in the database (MSG-15, docs/adr/0073).

Invariants: a change is decided on the current row, which nobody else can change meanwhile, by one replica at a time;
the change and its record are one transaction. Nothing here sends, holds or drops a message.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Final

from butler_contracts.errors import InternalFailure, TargetUnavailable, TimedOut
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.service_levels import Level, State, decided, why_of
from butler_kit.service_levels.rows import columns_of, level_of
from butler_kit.telemetry import Metrics, get_logger
from butler_messenger.admission.limits import channel_share
from butler_messenger.delivery.circuits import Account
from butler_messenger.delivery.records import Row
from butler_messenger.service_levels.figures import Figures, figures
from butler_messenger.service_levels.objectives import Policy
from butler_messenger.service_levels.tally import Tally, Told

__all__ = ["Keeper"]

_log = get_logger(__name__)
_SQL: Final = NamedQueries("butler_messenger.sql", "service_levels.sql")
_TIGHT: Final = "butlers.messenger.slo_tight"
_BURN: Final = "butlers.messenger.slo_burn"
_TRANSITION: Final = "butlers.messenger.slo_transition"
_BY_ITSELF: Final = "messenger"
_SETTING: Final = "delivery.slo"

EVERY_S: Final = 15.0
"""How often a replica looks."""
_NOT_AGAIN_WITHIN_S: Final = 10.0


class Keeper:
    """Keeps the levels of the configured channels; `places` is how many deliveries may be under way."""

    def __init__(
        self,
        pool: Pool,
        policy: Policy,
        accounts: Collection[Account],
        tally: Tally,
        metrics: Metrics,
        *,
        places: int,
    ) -> None:
        self.policy = policy
        self.accounts = tuple(accounts)
        self._pool = pool
        self._tally = tally
        self._metrics = metrics
        self._places = places

    async def look(self) -> None:
        """Store the counts, decide on each account that no replica has just looked at, and set the gauges."""
        await self._write_tally()
        for account, before, after in await self._look():
            self._tell(account, before, after, why=self._why(after))
        await self._set_gauges()

    async def let_go(
        self, connection: Connection, account: Account, *, why: str, actor: str
    ) -> tuple[Level, Callable[[], None]]:
        """Release it in the caller's transaction; return its former level and a post-commit callback."""
        row = await connection.fetchrow(_SQL["hold"], account.channel, account.identity_scope)
        if row is None:
            raise InternalFailure("a service level was written and nothing said so")
        before = level_of(row)
        after = before.let_go(row["now"])
        await _save(connection, account, after)
        await _record(connection, account, after, why=why, actor=actor)
        return before, lambda: self._tell(account, before, after, why=why)

    async def _look(self) -> list[tuple[Account, Level, Level]]:
        """Return the former and new level of each account that no other replica has just looked at."""
        async with transaction(self._pool, doing="looking at the service levels") as connection:
            claimed = await self._claimed(connection)
            if not claimed:
                return []
            await self._sample(connection, claimed)
            found = await figures(connection, self.policy.windows_s, self.policy)
            return [
                (account, level_of(row), await self._decide(connection, account, row, found))
                for account, row in claimed.items()
            ]

    async def _claimed(self, connection: Connection) -> dict[Account, Row]:
        claimed: dict[Account, Row] = {}
        for account in self.accounts:
            row = await connection.fetchrow(
                _SQL["claim"], account.channel, account.identity_scope, _NOT_AGAIN_WITHIN_S
            )
            if row is not None:
                claimed[account] = row
        return claimed

    async def _decide(
        self, connection: Connection, account: Account, row: Row, found: Mapping[str, Figures]
    ) -> Level:
        before, counts = level_of(row), found.get(account.channel, Figures()).counts
        after = decided(before, counts, self.policy, row["now"])
        await _save(connection, account, after)
        if after.state is not before.state:
            await _record(
                connection, account, after, why=why_of(after, self.policy, setting=_SETTING), actor=_BY_ITSELF
            )
        return after

    def _why(self, level: Level) -> str:
        return why_of(level, self.policy, setting=_SETTING)

    async def _sample(self, connection: Connection, accounts: Iterable[Account]) -> None:
        taken = await connection.fetchval(_SQL["places"])
        full = int(taken >= channel_share(self._places))
        for account in accounts:
            await connection.execute(_SQL["add"], account.channel, 0, 0, 0, 0, 1, full)

    async def _write_tally(self) -> None:
        counted = self._tally.taken()
        try:
            async with transaction(self._pool, doing="counting wishes") as connection:
                for channel, told in sorted(counted.items()):
                    await connection.execute(_SQL["add"], channel, *_columns(told), 0, 0)
        except (TargetUnavailable, TimedOut):
            self._tally.put_back(counted)
            raise

    async def _set_gauges(self) -> None:
        async with acquire(self._pool, doing="reading the service levels") as connection:
            rows = await connection.fetch(_SQL["levels"])
        known = {Account(row["channel"], row["identity_scope"]): level_of(row) for row in rows}
        for account in self.accounts:
            level = known.get(account, Level())
            self._metrics.set(_TIGHT, int(level.state is State.TIGHT), channel=account.channel)
            self._metrics.set(_BURN, level.burn, channel=account.channel)

    def _tell(self, account: Account, before: Level, after: Level, *, why: str) -> None:
        if before.state is after.state:
            return
        _log.warning("slo_transition", channel=account.channel, state=after.state.value, reason=why)
        self._metrics.count(_TRANSITION, channel=account.channel, state=after.state.value)


def _columns(told: Told) -> tuple[int, int, int, int]:
    return told.asked, told.limited, told.crowded, told.tightened


async def _save(connection: Connection, account: Account, level: Level) -> None:
    await connection.execute(_SQL["save"], account.channel, account.identity_scope, *columns_of(level))


async def _record(connection: Connection, account: Account, level: Level, *, why: str, actor: str) -> None:
    changed_at: datetime | None = level.changed_at
    await connection.execute(
        _SQL["record_change"],
        account.channel,
        account.identity_scope,
        changed_at,
        level.state.value,
        why,
        actor,
    )
