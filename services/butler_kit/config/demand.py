"""How many connections each kind of process opens at most, and the limit of its role that follows (ADR 0057).

Pure. The services open their pools with these sizes, so a role's limit cannot be less than what its processes need.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "DASHBOARD",
    "JOBS",
    "MESSENGER_WORKERS",
    "REMINDERS",
    "RESERVE",
    "UPKEEP",
    "connection_limit",
    "messenger_pool",
    "specialist_pool",
    "switchboard_pool",
]

_BESIDE_WORKERS: Final = 8
"""One a worker, and these: admission, tools, the scanner, the registry, the audit, readiness."""
REMINDERS: Final = 2
"""Reminders that are told at the same time."""
MESSENGER_WORKERS: Final = 8
"""Deliveries at the same time, where the configuration does not say."""
UPKEEP: Final = 3
"""Switchboard's second pool, for what looks at all days and months at once: partitions and statistics."""
DASHBOARD: Final = 6
JOBS: Final = 32
"""Jobs on the Switchboard's tables: statistics and backfills, whose own processes connect as its role."""
RESERVE: Final = 5
"""For whoever looks at the database as that role, and for a session whose end the server has not noticed yet."""


def switchboard_pool(workers: int) -> int:
    """The Switchboard's main pool; `UPKEEP` comes on top."""
    return workers + _BESIDE_WORKERS


def messenger_pool(workers: int) -> int:
    """Messenger's pool."""
    return workers + _BESIDE_WORKERS


def specialist_pool(sessions: int) -> int:
    """A specialist's pool."""
    return sessions + REMINDERS + _BESIDE_WORKERS


def connection_limit(process: int, *, replicas: int = 1, jobs: int = 0, wanted: int | None = None) -> int:
    """What a role may have open: its replicas' pools, those of the replicas that they replace, `jobs`, a reserve.

    `process` is what one replica opens at most. A manifest's `wanted` counts where it is more.
    """
    needed = process * max(replicas, 1) * 2 + jobs + RESERVE
    return max(needed, wanted or 0)
