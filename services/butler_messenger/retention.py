"""Internal maintenance of Messenger's own tables: no schedule, a sweep (MSR-11.1, D50, D55)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from butler_kit.db import NamedQueries, Pool, acquire
from butler_messenger.settings import MessengerDelivery

__all__ = ["RetentionLimits", "limits_of", "prune"]

_QUERIES = NamedQueries("butler_messenger.sql", "retention.sql")
_DELIVERIES: Final = _QUERIES["drop_deliveries"]
_DEAD_LETTERS: Final = _QUERIES["drop_dead_letters"]
_OPERATIONS: Final = _QUERIES["drop_operations"]
_THROTTLES: Final = _QUERIES["drop_throttles"]
_RECIPIENT_THROTTLES: Final = _QUERIES["drop_recipient_throttles"]
_RATES: Final = _QUERIES["drop_rates"]
_TALLIES: Final = _QUERIES["drop_tallies"]
_CHANGES: Final = _QUERIES["drop_changes"]
_RULES: Final = _QUERIES["drop_rules"]
_CALL_APPROVALS: Final = _QUERIES["drop_call_approvals"]
_ACTIONS: Final = _QUERIES["drop_actions"]
_SUPPRESSIONS: Final = _QUERIES["drop_suppressions"]

_BATCH: Final = 1000


@dataclass(frozen=True, slots=True)
class RetentionLimits:
    """How many days records are kept, and the maximum number of dead letters."""

    deliveries_days: int = 365
    dead_letter_days: int = 90
    dead_letter_max: int = 10_000


def limits_of(delivery: MessengerDelivery) -> RetentionLimits:
    """Return the configured limits."""
    return RetentionLimits(
        delivery.dedupe_retention_days, delivery.dead_letter_days, delivery.dead_letter_max
    )


async def prune(pool: Pool, limits: RetentionLimits) -> int:
    """Delete rows past their limit; return how many deliveries, dead letters and call approvals went."""
    gone = 0
    async with acquire(pool, doing="pruning deliveries") as connection:
        while batch := len(await connection.fetch(_DELIVERIES, limits.deliveries_days, _BATCH)):
            gone += batch
        while batch := len(
            await connection.fetch(_DEAD_LETTERS, limits.dead_letter_days, limits.dead_letter_max, _BATCH)
        ):
            gone += batch
        await connection.execute(_OPERATIONS, limits.deliveries_days, _BATCH)
        await connection.execute(_THROTTLES)
        await connection.execute(_RECIPIENT_THROTTLES)
        await connection.execute(_RATES)
        await connection.execute(_TALLIES)
        await connection.execute(_CHANGES, limits.deliveries_days)
        while batch := len(await connection.fetch(_CALL_APPROVALS, limits.deliveries_days, _BATCH)):
            gone += batch
        await connection.execute(_RULES, limits.deliveries_days)
        await connection.execute(_ACTIONS, limits.deliveries_days)
        await connection.execute(_SUPPRESSIONS, limits.deliveries_days)
    return gone
