"""The most connections that each kind of process opens, and the resulting limit of its role (CON-2.9, ADR 0057).

Pure. The services open their pools with these sizes, so a role's limit cannot be less than what its processes need.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "AUDIT",
    "AUDIT_LEAST",
    "DASHBOARD",
    "JOBS",
    "MESSENGER_WORKERS",
    "POOL_LEAST",
    "POOL_MOST",
    "REMINDERS",
    "RESERVE",
    "UPKEEP",
    "connection_limit",
    "messenger_pool",
    "specialist_pool",
    "switchboard_pool",
]

POOL_LEAST: Final = 2
"""Connections that a butler's pool keeps open at rest."""
POOL_MOST: Final = 10
"""The most that it opens. A statement beyond it waits for a connection, which is a retryable `timeout` after 5 s."""
_BESIDE_WORKERS: Final = 2
"""Connections beside one for each worker, for admission, tools and all the rest, when there are many workers."""
REMINDERS: Final = 2
"""Reminders that are told at the same time."""
MESSENGER_WORKERS: Final = 8
"""Concurrent deliveries, where the configuration does not say."""
AUDIT_LEAST: Final = 1
AUDIT: Final = 2
"""Switchboard's pool for the audit log, so that neither pool can delay the other or lose an entry."""
UPKEEP: Final = 3
"""Switchboard's second pool, for work on all days and months at once: partitions and statistics."""
DASHBOARD: Final = 6
JOBS: Final = 32
"""Jobs on the Switchboard's tables: statistics and backfills, whose own processes connect as its role."""
RESERVE: Final = 5
"""For people who inspect the database as that role, and for a session whose end the server has not noticed yet."""


def switchboard_pool(workers: int) -> int:
    """Return the size of the Switchboard's main pool; `UPKEEP` and `AUDIT` come on top."""
    return _pool(workers)


def messenger_pool(workers: int) -> int:
    """Return the size of Messenger's pool."""
    return _pool(workers)


def specialist_pool(sessions: int) -> int:
    """Return the size of a specialist's pool."""
    return _pool(sessions + REMINDERS)


def _pool(workers: int) -> int:
    return max(POOL_MOST, workers + _BESIDE_WORKERS)


def connection_limit(process: int, *, replicas: int = 1, jobs: int = 0, wanted: int | None = None) -> int:
    """Return a role's limit: the pools of its replicas and of those they replace, plus `jobs` and a reserve.

    `process` is the most that one replica opens. A manifest's `wanted` applies where it is higher.
    """
    needed = process * max(replicas, 1) * 2 + jobs + RESERVE
    return max(needed, wanted or 0)
